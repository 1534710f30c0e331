package render

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// AssetsVariable names the environment variable for the location of the scripts of charts: a folder, the files
// of which become part of each page, or an address beginning with http:// or https://, from which the page
// loads them. If it is unset, a page loads them from its own address, which for go-echarts is a server on the
// internet.
const AssetsVariable = "OVERCOMPLETE_ASSETS"

var scriptSource = regexp.MustCompile(`<script([^>]*?)\ssrc="(https?://[^"]+)"([^>]*)>\s*</script>`)

// withAssets replaces the scripts that a page loads by those of AssetsVariable.
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
		// In a script only </script ends it.
		return `<script` + m[1] + m[3] + `>` + strings.ReplaceAll(string(data), "</script", `<\/script`) + `</script>`
	})
}

// notice is shown in place of scripts of a page that cannot be loaded.
const notice = `<script>addEventListener("error",function(e){var s=e.target;if(s.tagName!=="SCRIPT"||!s.src)return;` +
	`var p=document.createElement("p");p.style.font="14px sans-serif";p.textContent="This chart needs "+s.src+", which cannot be loaded. Put a copy into a folder and ` +
	`%env ` + AssetsVariable + `=FOLDER above the chart's cell: run again, the output holds the script itself.";` +
	`var f=function(){document.body.prepend(p)};document.body?f():addEventListener("DOMContentLoaded",f)},true)</script>`

var headTag = regexp.MustCompile(`(?i)<head(\s[^>]*)?>`)

// withNotice makes a page that loads scripts from elsewhere report if it cannot.
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
