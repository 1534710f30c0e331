// Package clean removes active content from HTML: scripts, attributes and addresses that run scripts, content fetched
// from elsewhere, frames, forms, and styles that place one element over another. Text, tables and embedded pictures
// remain.
//
// # This project's own scripts
//
// Sliders, saved positions of controls and long tables need scripts. A script is kept if it is byte for byte one that
// this project writes, wherever it is in the HTML. The kept scripts are safe no matter who sends them. They only move
// and sort existing content, and show it as text, as pictures, or as HTML that this package has cleaned (see package
// positions). Two of the project's scripts are removed: the script of flame graphs, which treats its picture as part
// of the page, and the script of live controls, which writes HTML. The picture and the controls' last state are
// visible without these two scripts.
//
// # Method
//
// The HTML is parsed as in a browser and written again, so that later steps see what a browser would. SVG becomes a
// picture, in which nothing runs. The kept scripts are taken out, bluemonday drops everything that policy.go does not
// list, and the scripts are put back. Comparing the counts of elements, attributes and styles before and after shows
// what was removed, for the note to the reader.
package clean

import (
	"encoding/base64"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"overcomplete/internal/positions"
	"overcomplete/kernel/internal/pagedtable"
	"overcomplete/ui/slider"
)

// HTML returns the harmless part of an HTML fragment, with all elements closed. It also returns names of what it
// removed, for example "script", "onerror" or "style: position". These are the names of elements, of styles, and of
// attributes that run something, fetch something or lead to another page. A fragment that is nested too deeply becomes
// text that shows its source.
func HTML(source string) (cleaned string, left []string) {
	return (&washer{}).wash(source)
}

func (w *washer) wash(source string) (cleaned string, left []string) {
	root, err := parse(source)
	if err != nil { // nested too deep
		return "<pre>" + html.EscapeString(source) + "</pre>", nil
	}
	w.before = count{}
	w.prepare(root)
	w.before.addAll(root)
	var after count
	cleaned, after = settle(inner(root))
	for name, n := range w.before {
		if n > after[name] {
			left = append(left, name)
		}
	}
	left = append(left, w.left...)
	slices.Sort(left)
	left = slices.Compact(left)
	return marks.ReplaceAllStringFunc(cleaned, w.script), left
}

// cleanInserted cleans HTML that a script inserts into the page, where nested scripts do not run. It removes saved
// positions of controls. Saved positions contain HTML that cleanInserted would clean in turn, so they could be nested
// without end.
func cleanInserted(source string) (cleaned string, left []string) {
	return (&washer{inside: true}).wash(source)
}

// settle cleans an HTML fragment, and cleans the result again until a browser would parse the result without changing
// it. It cleans at most four times in all. Once is not always enough: a removed element may have kept other elements
// from closing. after has the counts of what remains.
func settle(source string) (cleaned string, after count) {
	for range 4 {
		cleaned, after = ownID.ReplaceAllString(policy().Sanitize(source), ""), count{}
		root, err := parse(cleaned)
		if err != nil {
			break
		}
		after.addAll(root)
		if source = inner(root); source == cleaned {
			break
		}
	}
	return cleaned, after
}

// ownID matches the ids by which the scripts of live pages find their own elements. In bluemonday's output
// quotation marks occur only around attributes.
var ownID = regexp.MustCompile(` id="(?i:overcomplete)[^"]*"`)

// parse parses HTML as a browser would, and returns an element that contains the result.
func parse(source string) (*nethtml.Node, error) {
	nodes, err := nethtml.ParseFragment(strings.NewReader(source), &nethtml.Node{Type: nethtml.ElementNode, Data: "body", DataAtom: atom.Body})
	root := &nethtml.Node{Type: nethtml.ElementNode, Data: "div", DataAtom: atom.Div}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	return root, err
}

func inner(root *nethtml.Node) string {
	var b strings.Builder
	for n := root.FirstChild; n != nil; n = n.NextSibling {
		if err := nethtml.Render(&b, n); err != nil {
			return html.EscapeString(textOf(root)) // root contains a plaintext element, after which no tag can follow
		}
	}
	return b.String()
}

// A washer cleans one HTML fragment.
type washer struct {
	before  count
	scripts []string // kept scripts
	left    []string // names of the parts removed from scripts' data
	inside  bool     // the fragment is part of a script's data
}

// The placeholder of a kept script is its number between two characters that may occur nowhere else.
const (
	markOpen  = "\uE002"
	markClose = "\uE003"
)

var (
	marks   = regexp.MustCompile(markOpen + `(\d+)` + markClose)
	noMarks = strings.NewReplacer(markOpen, "\ufffd", markClose, "\ufffd")
)

func (w *washer) script(mark string) string {
	i, err := strconv.Atoi(marks.FindStringSubmatch(mark)[1])
	if err != nil || i >= len(w.scripts) {
		return ""
	}
	return w.scripts[i]
}

// prepare removes the comments below n, replaces the project's own scripts with placeholders, and turns SVG into
// pictures.
func (w *washer) prepare(n *nethtml.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch {
		case c.Type == nethtml.CommentNode:
			n.RemoveChild(c)
		case c.Type == nethtml.TextNode:
			c.Data = noMarks.Replace(c.Data)
		case c.Type == nethtml.ElementNode && c.Data == "script" && w.keepOwnScript(c):
			n.InsertBefore(&nethtml.Node{Type: nethtml.TextNode, Data: fmt.Sprintf("%s%d%s", markOpen, len(w.scripts)-1, markClose)}, c)
			if moves(c) { // the page gets the current version of the script, whichever version the file has
				if s := scriptAfter(c); s != nil {
					n.RemoveChild(s)
				}
			}
			next = c.NextSibling
			n.RemoveChild(c)
		case c.Type == nethtml.ElementNode && c.Namespace == "svg":
			w.before.scriptsIn(c)
			n.InsertBefore(pictureOf(c), c)
			n.RemoveChild(c)
		default:
			for i := range c.Attr {
				c.Attr[i].Val = noMarks.Replace(c.Attr[i].Val)
			}
			w.prepare(c)
		}
		c = next
	}
}

// keepOwnScript reports whether n is a script that this project writes, and if so adds it to w.scripts. Such a script
// may also consist of data for another script: saved positions, which are cleaned, or a long table.
func (w *washer) keepOwnScript(n *nethtml.Node) bool {
	text := textOf(n)
	kind := ""
	if len(n.Attr) == 1 && n.Attr[0].Key == "type" {
		kind = n.Attr[0].Val
	}
	switch {
	case len(n.Attr) == 0 && (slider.OwnScript(text) || sameScript(text, pagedtable.Script)):
		w.scripts = append(w.scripts, "<script>"+text+"</script>")
		return true
	case kind == "application/json" && pagedtable.Valid(text):
	case kind == positions.Type && !w.inside:
		cleaned, left, ok := positions.Clean(text, cleanInserted)
		if !ok {
			return false
		}
		w.left = append(w.left, left...)
		w.scripts = append(w.scripts, positions.Elements(cleaned))
		return true
	default:
		return false
	}
	w.scripts = append(w.scripts, `<script type="`+kind+`">`+text+"</script>")
	return true
}

// moves reports whether a script element holds data that moves a page's controls (see package positions).
func moves(script *nethtml.Node) bool {
	return len(script.Attr) == 1 && script.Attr[0].Val == positions.Type
}

// scriptAfter returns the script element that directly follows n, or nil.
func scriptAfter(n *nethtml.Node) *nethtml.Node {
	s := n.NextSibling
	for s != nil && s.Type == nethtml.TextNode && strings.TrimSpace(s.Data) == "" {
		s = s.NextSibling
	}
	if s != nil && s.Type == nethtml.ElementNode && s.Data == "script" && len(s.Attr) == 0 {
		return s
	}
	return nil
}

// sameScript reports whether two texts of scripts are equal, apart from surrounding white space.
func sameScript(text, script string) bool {
	return strings.TrimSpace(text) == strings.TrimSpace(script)
}

func textOf(n *nethtml.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == nethtml.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// pictureOf returns an img element that shows an inline SVG. Inline, the SVG could run its scripts and style the whole
// page; in an img element it cannot.
func pictureOf(svg *nethtml.Node) *nethtml.Node {
	img := &nethtml.Node{Type: nethtml.ElementNode, Data: "img", DataAtom: atom.Img}
	named := false
	var attr []nethtml.Attribute
	for _, a := range svg.Attr {
		switch a.Key {
		case "xmlns":
			named = true
		case "width", "height", "style":
			img.Attr = append(img.Attr, nethtml.Attribute{Key: a.Key, Val: a.Val})
		case "aria-label":
			img.Attr = append(img.Attr, nethtml.Attribute{Key: "alt", Val: a.Val})
		}
		if !strings.HasPrefix(a.Key, "on") {
			attr = append(attr, a)
		}
	}
	if !named {
		attr = append(attr, nethtml.Attribute{Key: "xmlns", Val: "http://www.w3.org/2000/svg"})
	}
	svg.Attr = attr
	var b strings.Builder
	if err := nethtml.Render(&b, svg); err != nil {
		b.Reset() // show an empty picture
	}
	img.Attr = append(img.Attr, nethtml.Attribute{Key: "src", Val: "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(b.String()))})
	return img
}

// A count says how often each element, each active attribute (one that runs something, fetches something or leads to
// another page), and each style property occurs in HTML. The keys are like the names that the function HTML returns.
type count map[string]int

// addAll counts the elements, active attributes and style properties below the given node.
func (c count) addAll(root *nethtml.Node) {
	for n := range root.Descendants() {
		c.one(n)
	}
}

func (c count) one(n *nethtml.Node) {
	if n.Type != nethtml.ElementNode {
		return
	}
	c[n.Data]++
	for _, a := range n.Attr {
		switch {
		case a.Key == "style":
			for _, d := range strings.Split(a.Val, ";") {
				if name, _, ok := strings.Cut(d, ":"); ok {
					c["style: "+strings.ToLower(strings.TrimSpace(name))]++
				}
			}
		case strings.HasPrefix(a.Key, "on"), slices.Contains(active, a.Key):
			c[a.Key]++
		}
	}
}

// active lists the attributes that fetch something or lead to another page.
var active = []string{"action", "background", "data", "formaction", "href", "ping", "poster", "src", "srcdoc", "srcset"}

// scriptsIn counts those parts of an inline SVG that stop working in an img element: scripts, attributes with scripts,
// and foreignObject.
func (c count) scriptsIn(svg *nethtml.Node) {
	found := count{}
	found.one(svg)
	found.addAll(svg)
	for name := range found {
		if strings.HasPrefix(name, "on") || name == "script" || name == "foreignObject" {
			c[name] += found[name]
		}
	}
}
