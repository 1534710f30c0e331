package flame

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"strings"
)

//go:embed page.js
var script string

// Page returns HTML with the picture, its caption and the table.
func Page(svg []byte, caption, table string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<div class="flame-graph"><img alt="flame graph; the table below has its numbers" style="max-width:100%%;height:auto" src="data:image/svg+xml;base64,%s">`,
		base64.StdEncoding.EncodeToString(svg))
	fmt.Fprintf(&b, "<p style=\"margin:4px 0\">%s</p><details><summary>The ten most expensive lines and functions</summary><pre>%s</pre></details>\n", escape(caption), escape(table))
	fmt.Fprintf(&b, "<script>%s</script></div>", script)
	return b.String()
}
