package render

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// AssetsVariable is the name of the environment variable that says where the scripts of charts are. Its value is a
// folder, or an address that begins with http:// or https://. Scripts from a folder are copied into each page. If the
// value is an address, pages contain links to the scripts at that address. If the variable is unset, pages keep their
// own links, which for go-echarts lead to a server on the internet.
const AssetsVariable = "OVERCOMPLETE_ASSETS"

var scriptSource = regexp.MustCompile(`<script([^>]*?)\ssrc="(https?://[^"]+)"([^>]*)>\s*</script>`)

// withAssets changes the script tags in page that load scripts from a server. The scripts then come from the folder or
// the address that the environment variable AssetsVariable names.
func withAssets(page string) string {
	from := os.Getenv(AssetsVariable)
	if from == "" {
		return page
	}
	return scriptSource.ReplaceAllStringFunc(page, func(tag string) string {
		m := scriptSource.FindStringSubmatch(tag)
		name := path.Base(strings.SplitN(m[2], "?", 2)[0])
		if strings.HasPrefix(from, "http://") || strings.HasPrefix(from, "https://") {
			return `<script` + m[1] + ` src="` + strings.TrimSuffix(from, "/") + "/" + name + `"` + m[3] + `></script>`
		}
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return tag
		}
		// In an inline script, only </script ends the script.
		return `<script` + m[1] + m[3] + `>` + strings.ReplaceAll(string(data), "</script", `<\/script`) + `</script>`
	})
}

// notice is a script that shows a message if scripts of a page cannot be loaded.
const notice = `<script>addEventListener("error",function(e){var s=e.target;if(s.tagName!=="SCRIPT"||!s.src)return;` +
	`var p=document.createElement("p");p.style.font="14px sans-serif";p.textContent="This chart needs "+s.src+", which cannot be loaded. Put a copy into a folder and ` +
	`%env ` + AssetsVariable + `=FOLDER above the chart's cell, then run the cell again: the output will contain the script itself.";` +
	`var f=function(){document.body.prepend(p)};document.body?f():addEventListener("DOMContentLoaded",f)},true)</script>`

var headTag = regexp.MustCompile(`(?i)<head(\s[^>]*)?>`)

// withNotice adds a script (the constant notice) to a page that loads scripts from a server. The added script reports
// scripts that cannot be loaded.
func withNotice(page string) string {
	if !scriptSource.MatchString(page) {
		return page
	}
	at := headTag.FindStringIndex(page)
	if at == nil {
		return page
	}
	return page[:at[1]] + notice + page[at[1]:]
}
