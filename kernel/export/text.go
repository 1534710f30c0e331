package export

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	goldhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"

	"overcomplete/internal/inside"
	"overcomplete/kernel/notebook"
)

// parser parses Markdown as Jupyter does: GitHub Flavored Markdown, in which HTML is allowed.
var parser = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithRendererOptions(goldhtml.WithUnsafe()),
)

// A heading is an entry of the table of contents.
type heading struct {
	level int
	id    string
	html  string // HTML without links
}

// markdown converts Markdown to HTML. If listed is set, headings get anchors and entries in the table of contents.
// Pictures in attachments and in files near the notebook are embedded.
func (c *converter) markdown(source string, cell *notebook.Cell, listed bool) string {
	rest, formulas := setAside(source)
	src := []byte(rest)
	doc := parser.Parser().Parse(text.NewReader(src))
	var heads []*ast.Heading
	ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if listed {
				heads = append(heads, n)
			}
		case *ast.Image:
			n.Destination = []byte(c.picture(string(n.Destination), cell))
		}
		return ast.WalkContinue, nil
	})
	for _, h := range heads {
		var inner bytes.Buffer
		for n := h.FirstChild(); n != nil; n = n.NextSibling() {
			if err := parser.Renderer().Render(&inner, src, n); err != nil {
				continue
			}
		}
		title := c.clean.markdown(inner.String(), formulas)
		id := c.anchor(sources(plainHTML(title), formulas))
		h.SetAttributeString("id", []byte(id))
		c.headings = append(c.headings, heading{h.Level, id, c.putBack(links.ReplaceAllString(title, ""), formulas)})
	}
	var b bytes.Buffer
	if err := parser.Renderer().Render(&b, src, doc); err != nil {
		return "<pre>" + html.EscapeString(source) + "</pre>"
	}
	page := c.putBack(c.clean.markdown(b.String(), formulas), formulas)
	if listed {
		page = headEnd.ReplaceAllString(page, `<h$1$2 id="$3"$4>$5 <a class="anchor" href="#$3" aria-label="link to this section">#</a></h$1>`)
	}
	return tables.ReplaceAllString(page, `<div class="wide">$0</div>`)
}

var (
	links   = regexp.MustCompile(`</?a\b[^>]*>`)
	headEnd = regexp.MustCompile(`(?s)<h([1-6])([^>]*) id="([^"]*)"([^>]*)>(.*?)</h[1-6]>`)
	tables  = regexp.MustCompile(`(?s)<table>.*?</table>`)
	anyTag  = regexp.MustCompile(`<[^>]*>`)
)

// plainHTML returns the plain text of HTML.
func plainHTML(s string) string { return html.UnescapeString(anyTag.ReplaceAllString(s, "")) }

// anchor returns the id for a heading. It is formed as on GitHub, in lower case and with hyphens for spaces, so that
// links between cells work. A number is added if the id is already used.
func (c *converter) anchor(title string) string {
	id := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case unicode.IsSpace(r):
			return '-'
		}
		return -1
	}, strings.TrimSpace(title))
	if id == "" {
		id = "section"
	}
	for n, base := 1, id; c.anchors[id]; n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	c.anchors[id] = true
	return id
}

// mostPicture is the largest size in bytes of an embedded picture file.
const mostPicture = 20 << 20

// picture returns a data address with the content of a picture, or the given address if the picture cannot be
// embedded.
func (c *converter) picture(address string, cell *notebook.Cell) string {
	if name, ok := strings.CutPrefix(address, "attachment:"); ok && cell != nil {
		if u, err := url.PathUnescape(name); err == nil {
			name = u
		}
		all, _ := cell.Extra["attachments"].(map[string]any)
		bundle, _ := all[name].(map[string]any)
		for _, kind := range pictureTypes {
			if s, ok := bundle[kind].(string); ok {
				return dataAddress(kind, s)
			}
		}
		return address
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" || c.dir == "" {
		return address
	}
	kind := map[string]string{".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".svg": "image/svg+xml", ".webp": "image/webp"}[strings.ToLower(path.Ext(u.Path))]
	file := filepath.FromSlash(u.Path)
	if c.clean.isOn() && !filepath.IsLocal(file) {
		return address // an untrusted notebook must not pull other files of this computer into the page
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(c.dir, file)
	}
	if kind == "" {
		return address
	}
	folder := c.dir // links in this folder must not lead out of it either
	if !c.clean.isOn() {
		if real, err := filepath.EvalSymlinks(file); err == nil {
			folder, file = filepath.Dir(real), real
		}
	}
	b, err := inside.ReadFile(folder, file, mostPicture)
	if link := new(inside.LinkError); errors.As(err, &link) && c.clean.isOn() {
		c.clean.left["picture by a link out of the folder"] = true
	}
	if err != nil {
		return address
	}
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(b)
}

// dataAddress returns a data address for a picture of a notebook, which stores SVG as text and other kinds in base64.
// The address is always in base64.
func dataAddress(kind, content string) string {
	if kind == "image/svg+xml" {
		content = base64.StdEncoding.EncodeToString([]byte(content))
	}
	return "data:" + kind + ";base64," + strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, content)
}
