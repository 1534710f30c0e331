package flame

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"html"
	"strings"
	"unicode/utf8"

	"overcomplete/kernel/engine"
)

// Dimensions of the picture, in pixels. charWidth is the approximate width of a character.
const (
	width     = 960
	rowHeight = 19
	fontSize  = 12
	charWidth = 7.3
	margin    = 4
	narrowest = 0.4 // boxes narrower than this are omitted
	deepest   = 60  // maximum number of rows
)

// SVG returns the flame graph below root, with the given title. The cell's lines are at the bottom, and the functions
// that they call are above them. Each box has attributes that the script of Page needs: data-x, the position of the
// box, and data-w, its width, both as fractions of the whole width.
func SVG(kind engine.ProfileKind, root *Node, title string) []byte {
	rows := min(root.depth(), deepest)
	height := rows*rowHeight + 2*margin
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="%d">`,
		width, height, width, height, fontSize)
	fmt.Fprintf(&b, "<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", escape(title))
	d := drawer{out: &b, kind: kind, all: root.Total, height: height}
	d.draw(root, 0, 0)
	b.WriteString("</svg>\n")
	return b.Bytes()
}

type drawer struct {
	out    *bytes.Buffer
	kind   engine.ProfileKind
	all    int64
	height int
}

func (d *drawer) draw(n *Node, before int64, row int) {
	if d.all <= 0 || row >= deepest {
		return
	}
	scale := float64(width-2*margin) / float64(d.all)
	w := float64(n.Total) * scale
	if w < narrowest {
		return
	}
	x, y := margin+float64(before)*scale, d.height-margin-(row+1)*rowHeight
	label := strings.TrimSpace(n.Name + "  " + strings.Join(strings.Fields(n.Text), " "))
	title := fmt.Sprintf("%s\n%s with calls (%s), %s itself (%s)", label, Amount(d.kind, n.Total), percent(n.Total, d.all), Amount(d.kind, n.Self), percent(n.Self, d.all))
	fmt.Fprintf(d.out, `<g class="box" data-x="%.6f" data-w="%.6f" data-l="%s"><title>%s</title>`,
		float64(before)/float64(d.all), float64(n.Total)/float64(d.all), escape(label), escape(title))
	fmt.Fprintf(d.out, `<rect x="%.2f" y="%d" width="%.2f" height="%d" rx="2" fill="%s" stroke="#fff" stroke-width="0.6"/>`, x, y, w, rowHeight-1, n.colour())
	fmt.Fprintf(d.out, `<text x="%.2f" y="%d" fill="#000" xml:space="preserve">%s</text></g>`+"\n", x+3, y+rowHeight-6, escape(fit(label, w)))
	for _, c := range n.Children {
		d.draw(c, before, row+1)
		before += c.Total
	}
}

func (n *Node) depth() int {
	deepest := 0
	for _, c := range n.Children {
		deepest = max(deepest, c.depth())
	}
	return deepest + 1
}

// fit cuts a label so that it fits into a box of the given width in pixels. If the label does not fit and there is room
// for fewer than three characters, fit returns "".
func fit(label string, width float64) string {
	room := int((width - 6) / charWidth)
	switch {
	case utf8.RuneCountInString(label) <= room:
		return label
	case room < 3:
		return ""
	}
	return string([]rune(label)[:room-1]) + "…"
}

// colour returns a background color on which black text is readable: warm for lines of cells, blue for
// compiled functions, gray for the garbage collector. Equal names have equal colors.
func (n *Node) colour() string {
	h := fnv.New32a()
	h.Write([]byte(n.Name))
	shade := int(h.Sum32() % 40)
	switch {
	case n.Kind == Collector:
		return "#c8c8c8"
	case n.Kind == Compiled:
		return fmt.Sprintf("rgb(%d,%d,235)", 130+shade, 185+shade/2)
	case n.Text == "" && n.Name == "all":
		return "#e8e4da"
	}
	return fmt.Sprintf("rgb(250,%d,%d)", 165+shade, 85+shade)
}

func escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == utf8.RuneError || r == 0xfffe || r == 0xffff { // characters that XML does not allow
			return '?'
		}
		return r
	}, s)
	return html.EscapeString(s)
}

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
