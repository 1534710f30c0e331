package render

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"overcomplete/internal/sniff"
	"overcomplete/ui/display"
)

var writerType = reflect.TypeFor[io.Writer]()

// largestPage is the maximum size of the output of a value's Render method, in bytes.
const largestPage = 32 << 20

// writtenData shows a value that writes itself with a method Render(io.Writer) error, such as a template, or a chart
// or page of go-echarts. The beginning of the output decides whether it is shown as a whole page, a piece of HTML, an
// SVG or another picture. For other output, and if there is no such method, writtenData returns false. The parameter r
// is v or, if a pointer to v has more methods, a pointer to a copy of v.
func writtenData(v any, r reflect.Value) (d display.Data, ok bool) {
	m := r.MethodByName("Render")
	if !m.IsValid() {
		return display.Data{}, false
	}
	t := m.Type()
	if t.NumIn() != 1 || t.In(0) != writerType || t.NumOut() != 1 || t.Out(0) != errorType {
		return display.Data{}, false
	}
	defer func() {
		if p := recover(); p != nil {
			d, ok = display.Text(fmt.Sprintf("method Render of %T panicked: %v", v, p)), true
		}
	}()
	var b bytes.Buffer
	if err := m.Call([]reflect.Value{reflect.ValueOf(limitedWriter{&b})})[0]; !err.IsNil() {
		return display.Text(fmt.Sprintf("method Render of %T: %v", v, err.Interface())), true
	}
	mime, content := recognise(b.Bytes())
	if mime == "" {
		return display.Data{}, false
	}
	what := "shown as " + mime
	if page, ok := content.(string); ok && isPage(page) {
		content, what = framed(page, fmt.Sprintf("%T", v)), "shown as a page"
	}
	return display.Data{Data: map[string]any{mime: content, display.MIMETypeText: fmt.Sprintf("<%T, %s>", v, what)}}, true
}

// A limitedWriter is a writer that fails rather than write more than largestPage.
type limitedWriter struct{ b *bytes.Buffer }

func (w limitedWriter) Write(p []byte) (int, error) {
	if w.b.Len()+len(p) > largestPage {
		return 0, errors.New("this is too large for a notebook")
	}
	return w.b.Write(p)
}

// recognise returns the MIME type of b, which was written by a value's method Render. It also returns b in the form in
// which display.Data holds content of that type. The type is "" if front ends cannot show b.
func recognise(b []byte) (mime string, content any) {
	text := bytes.TrimSpace(b)
	begins := func(what string) bool {
		return len(text) >= len(what) && strings.EqualFold(string(text[:len(what)]), what)
	}
	switch {
	case begins("<svg"), begins("<?xml") && bytes.Contains(text[:min(len(text), 1000)], []byte("<svg")):
		return display.MIMETypeSVG, string(text)
	case begins("<?xml"):
		return "", nil
	case begins("<!doctype"), begins("<!--"), htmlBegin.Match(text):
		return display.MIMETypeHTML, string(text)
	}
	switch mime := sniff.Type(b); mime {
	case display.MIMETypePNG, display.MIMETypeJPEG, display.MIMETypeGIF, display.MIMETypePDF:
		return mime, b
	}
	return "", nil
}

var htmlBegin = regexp.MustCompile(`^<[A-Za-z][A-Za-z0-9-]*[\s/>]`)

// isPage reports whether text is a whole HTML page. Such a page needs a frame, because it would break the notebook if
// it were inserted directly.
func isPage(text string) bool { return pageBegin.MatchString(text[:min(len(text), 1000)]) }

var pageBegin = regexp.MustCompile(`(?i)<!doctype html|<html[\s>]`)

// framed returns an iframe that contains the page as its srcdoc. The page's scripts run, but they cannot reach the
// notebook, because the iframe is a sandbox without the notebook's origin.
func framed(page, title string) string {
	height := heightOf(page)
	page = withNotice(withAssets(steady(page)))
	return fmt.Sprintf(`<iframe title="%s" sandbox="allow-scripts allow-downloads allow-popups" style="width: 100%%; height: %dpx; border: 0; background: #fff" srcdoc="%s"></iframe>`,
		html.EscapeString(title), height, html.EscapeString(page))
}

// Heights of frames in pixels. Code outside of a frame cannot query the height of its page.
const (
	usualHeight   = 600
	highest       = 4000
	aroundOneItem = 60 // go-echarts adds a margin above a chart
)

var itemHeight = regexp.MustCompile(`class="item"[^>]*style="[^"]*height:\s*(\d+)px`)

// heightOf returns the height of a page's charts, or a default.
func heightOf(page string) int {
	sum := 0
	for _, m := range itemHeight.FindAllStringSubmatch(page, -1) {
		if h, err := strconv.Atoi(m[1]); err == nil {
			sum += h + aroundOneItem
		}
	}
	if sum == 0 {
		return usualHeight
	}
	return min(sum, highest)
}

var chartID = regexp.MustCompile(`goecharts_([A-Za-z]{12})\b`)

// steady replaces the random names of a page's charts with names that stay the same from run to run.
func steady(page string) string {
	n := 0
	seen := map[string]bool{}
	for _, m := range chartID.FindAllStringSubmatch(page, -1) {
		if id := m[1]; !seen[id] {
			seen[id] = true
			n++
			page = strings.ReplaceAll(page, id, fmt.Sprintf("chart%d", n))
		}
	}
	return page
}

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
