package drawing

import (
	_ "embed"
	"fmt"
	"html"
	"maps"
	"math"
	"strings"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/powers"
	"overcomplete/internal/svgpath"
)

// Style is the CSS of drawings. It uses the page's colors --paper, --ink and --line.
//
//go:embed style.css
var Style string

// Script shows the values at the pointer. The rest of a drawing works without the script.
//
//go:embed script.js
var Script string

// HTML returns the figure as HTML: a figure element with the panels, followed by the title and caption.
func (d *Drawing) HTML() string {
	var b strings.Builder
	b.WriteString("<figure>" + d.Panels() + "<figcaption>")
	if d.Title != "" {
		b.WriteString("<b>" + html.EscapeString(d.Title) + "</b> ")
	}
	b.WriteString(html.EscapeString(powers.In(d.Caption)) + "</figcaption></figure>\n")
	return b.String()
}

// Panels returns the HTML of the panels and legends only, in an element of class drawing.
func (d *Drawing) Panels() string {
	var b strings.Builder
	b.WriteString(`<div class="drawing">` + "\n")
	d.writeKeys(&b, d.keys)
	row, under := -1, d.under()
	for _, p := range d.panels {
		if isUnder(under, p) {
			continue // it is written with the panel above it
		}
		if p.Row != row {
			if row >= 0 {
				b.WriteString("</div>\n")
			}
			fmt.Fprintf(&b, `<div class="panels">`+"\n")
			row = p.Row
		}
		whole, share := d.rowWidth(p.Row)
		width := d.flex(p, whole, share)
		if under[p] == nil {
			d.write(&b, p, width)
			continue
		}
		fmt.Fprintf(&b, `<div class="column"%s>`, width)
		for ; p != nil; p = under[p] {
			d.write(&b, p, "")
		}
		b.WriteString("</div>\n")
	}
	b.WriteString("</div>\n</div>\n")
	return b.String()
}

// under maps a panel to the panel below it, if the two must stay together on a page too narrow for a whole row. They
// must if all panels of the lower row have the same title, because then only the title of the panel above says what
// the lower panel shows.
func (d *Drawing) under() map[*panel]*panel {
	rows := map[int][]*panel{}
	for _, p := range d.panels {
		rows[p.Row] = append(rows[p.Row], p)
	}
	pairs := map[*panel]*panel{}
	for row, list := range rows {
		found := map[*panel]*panel{}
		for _, p := range list {
			for _, above := range rows[row-1] {
				if p.Title == list[0].Title && math.Abs(above.Box[2]-p.Box[2]) < 1 {
					found[above] = p
				}
			}
		}
		if len(list) > 1 && len(found) == len(list) {
			maps.Copy(pairs, found)
		}
	}
	return pairs
}

func isUnder(under map[*panel]*panel, p *panel) bool {
	for _, below := range under {
		if below == p {
			return true
		}
	}
	return false
}

// pixels is the number of CSS pixels per point.
const pixels = 96.0 / 72

// Panels share a row in proportion to their widths, and wrap when they would become too small to read.
const (
	leastPanel = .8  // smallest scale of a panel
	aPage      = 840 // pixels: width of a page's text, next to its table of contents
	gap        = 19  // between panels
)

// rowWidth returns two widths for a row of panels. total is the width in CSS pixels that the page must have for all
// panels of the row to fit side by side. share is the share of the page's width, in percent, that each panel gets on a
// narrower page. This share makes the row wrap evenly: five panels become three and two, not four and one. The share is
// 0 for a row that fits on a page of full width, and for fewer than four panels.
func (d *Drawing) rowWidth(row int) (total, share float64) {
	n := 0
	for _, p := range d.panels {
		if p.Row == row {
			n++
			total += leastPanel*(p.bounds.width()+2*air)*pixels + gap
		}
	}
	total -= gap
	if n < 4 || total <= aPage {
		return total, 0
	}
	each := math.Ceil(float64(n) / math.Ceil(total/aPage))
	return total, 100 / (each + .5) // at most each panels per line
}

// flex returns the style attribute with the width of panel p in its row. whole and share are the results of rowWidth.
func (d *Drawing) flex(p *panel, whole, share float64) string {
	w := p.bounds.width() + 2*air
	least := leastPanel
	if len(d.panels) == 1 {
		least = 1
	}
	basis, most := fmt.Sprintf("%.0fpx", math.Min(least*w*pixels, 900)), fmt.Sprintf("%.0fpx", math.Max(1.2*w*pixels, 300))
	if share > 0 {
		basis = fmt.Sprintf("clamp(%s,(%.0fpx - 100%%)*999,%.1f%%)", basis, whole, share)
		most = fmt.Sprintf("max(%s,%.1f%%)", most, share)
	}
	return fmt.Sprintf(` style="flex:%.0f 1 %s;max-width:%s"`, w, basis, most)
}

// write writes panel p, with its title and legend, as HTML. width is the style attribute from flex, or "" for a panel
// in a column.
func (d *Drawing) write(b *strings.Builder, p *panel, width string) {
	alone := len(d.panels) == 1
	fmt.Fprintf(b, `<div class="panel"%s>`, width)
	if p.Title != "" {
		b.WriteString(`<p class="name">` + html.EscapeString(p.Title) + "</p>")
	}
	d.writeKeys(b, p.keys)
	label := d.Title
	if p.Title != "" {
		label = strings.TrimPrefix(d.Title+": "+p.Title, ": ")
	}
	b.WriteByte('\n')
	class := ""
	if n := p.narrow(); n != nil && alone {
		d.picture(b, n, "narrow", label)
		class = "large"
	}
	d.picture(b, p, class, label)
	b.WriteString("</div>\n")
}

// air is the margin around a picture.
const air = 1

// picture writes a panel's picture as an SVG element. class is the element's class, or "". label is a description for
// readers who cannot see the picture.
func (d *Drawing) picture(b *strings.Builder, p *panel, class, label string) {
	w, h := p.bounds.width()+2*air, p.bounds.height()+2*air
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(b, `<svg%s viewBox="%s %s %s %s" width="%.0f" height="%.0f" role="img" aria-label="%s"`, class,
		short(p.bounds.min.X-air), short(p.bounds.min.Y-air), short(w), short(h), w*pixels, h*pixels, html.EscapeString(label))
	if p.values != nil {
		fmt.Fprintf(b, ` data-values='%s'`, inQuotes.Replace(p.values.json()))
	}
	b.WriteString(">\n")
	for i := range p.shapes {
		p.shapes[i].write(b, d.colorsOf(p, &p.shapes[i]))
	}
	b.WriteString("</svg>\n")
}

// colorsOf returns the figure's colors that the page may replace in shape s of panel p. It returns nil if s is a cell
// of a matrix, because the color of such a cell is data and must not change.
func (d *Drawing) colorsOf(p *panel, s *shape) *figuremeta.Colors {
	if !p.Pixels || s.fill == "" || s.stroke != "" || s.text != "" || len(s.dots) > 0 {
		return &d.colors
	}
	const edge = 0.5 // the file's numbers are rounded
	at := s.bounds()
	if at.min.X < p.Area[0]-edge || at.min.Y < p.Area[1]-edge || at.max.X > p.Area[2]+edge || at.max.Y > p.Area[3]+edge {
		return &d.colors
	}
	return nil
}

// inQuotes escapes text for an attribute in single quotation marks. Double quotation marks stay, because JSON
// contains many.
var inQuotes = strings.NewReplacer("&", "&amp;", "'", "&#39;", "<", "&lt;", ">", "&gt;")

func (d *Drawing) writeKeys(b *strings.Builder, keys []key) {
	if len(keys) == 0 {
		return
	}
	b.WriteString(`<div class="keys">`)
	for _, k := range keys {
		at := emptyBox
		for i := range k.thumb {
			at = at.union(k.thumb[i].bounds())
		}
		m := at.middle()
		fmt.Fprintf(b, `<span><svg viewBox="%s %s 20 12" width="27" height="16" aria-hidden="true">`, short(m.X-10), short(m.Y-6))
		for i := range k.thumb {
			k.thumb[i].write(b, &d.colors)
		}
		b.WriteString("</svg>" + html.EscapeString(k.name) + "</span> ")
	}
	b.WriteString("</div>\n")
}

// short formats a number with at most two decimals.
func short(x float64) string { return svgpath.Short(x) }

// write writes a shape as an SVG element. page has the figure's colors that become colors of the web page. If page is
// nil, all colors stay (see paint).
func (s *shape) write(b *strings.Builder, page *figuremeta.Colors) {
	switch {
	case s.text != "":
		if s.turned {
			fmt.Fprintf(b, `<text x="%s" y="%s" transform="rotate(-90)"`, short(-s.at.Y), short(s.at.X))
		} else {
			fmt.Fprintf(b, `<text x="%s" y="%s"`, short(s.at.X), short(s.at.Y))
		}
		fmt.Fprintf(b, ` font-size="%s"`, short(s.font))
		if s.bold {
			b.WriteString(` font-weight="bold"`)
		}
		b.WriteString(paint(page, "fill", s.fill, s.opacity))
		if w, known := s.textWidth(); known && w > 0 {
			fmt.Fprintf(b, ` textLength="%s" lengthAdjust="spacingAndGlyphs"`, short(w))
		}
		b.WriteString(">" + html.EscapeString(s.text) + "</text>\n")
	case s.image != "":
		fmt.Fprintf(b, `<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" href="data:image/png;base64,%s"/>`+"\n",
			short(s.at.X), short(s.at.Y), short(s.size.X), short(s.size.Y), s.image)
	default:
		if len(s.dots) > 0 {
			fmt.Fprintf(b, `<path d="%s" fill="none" stroke-linecap="round" stroke-width="%s"%s/>`+"\n", svgpath.Dots(s.dots), short(2*s.radius), paint(page, "stroke", s.fill, s.opacity))
			return
		}
		fmt.Fprintf(b, `<path d="%s"`, s.path)
		if s.fill == "" {
			b.WriteString(` fill="none"`)
		} else {
			b.WriteString(paint(page, "fill", s.fill, s.opacity))
		}
		if s.stroke != "" {
			fmt.Fprintf(b, `%s stroke-width="%s"`, paint(page, "stroke", s.stroke, s.opacity), short(s.width))
		}
		if s.dashes != "" {
			fmt.Fprintf(b, ` stroke-dasharray="%s"`, s.dashes)
		}
		b.WriteString("/>\n")
	}
}

// paint returns the SVG attribute for a color, with its opacity. key is the attribute's name, "fill" or "stroke". The
// figure's own colors, which are in own, and nearly black grays become colors of the page. Other dark colors may be
// lightened by the page's style. If own is nil, the color stays as it is.
func paint(own *figuremeta.Colors, key, colour string, opacity float64) string {
	faded := func(by float64) string {
		if by >= .995 {
			return ""
		}
		return fmt.Sprintf(` %s-opacity="%s"`, key, short(by))
	}
	c, _ := rgb(colour)
	grey := math.Max(c[0], math.Max(c[1], c[2]))-math.Min(c[0], math.Min(c[1], c[2])) < 3
	switch {
	case colour == "":
		return ""
	case own == nil:
		return fmt.Sprintf(` %s="%s"%s`, key, colour, faded(opacity))
	case colour == own.Ground: // halos have the background color
		return fmt.Sprintf(` style="%s:var(--paper)"%s`, key, faded(opacity))
	case colour == own.Axis, colour == own.Quiet:
		return fmt.Sprintf(` %s="currentColor"%s`, key, faded(.72*opacity))
	case colour == own.Grid:
		return fmt.Sprintf(` %s="currentColor"%s`, key, faded(.13*opacity))
	case colour == own.Ink, grey && c[0] < 0x40:
		return fmt.Sprintf(` %s="currentColor"%s`, key, faded(opacity))
	case luminance(c) < .2: // too dark for a dark page, so the page's style may lighten it
		lift := "var(--lift,0%)"
		if luminance(c) > .1 {
			lift = "calc(var(--lift,0%)*.6)"
		}
		return fmt.Sprintf(` %s="%s" style="%[1]s:color-mix(in srgb,%[2]s,currentColor %[3]s)"%[4]s`, key, colour, lift, faded(opacity))
	}
	return fmt.Sprintf(` %s="%s"%s`, key, colour, faded(opacity))
}

// luminance returns the relative luminance of c as W3C's contrast guidelines define it, from 0 to 1. The components of
// c go from 0 to 255.
func luminance(c [3]float64) float64 {
	for i, v := range c {
		if v /= 255; v <= .04045 {
			c[i] = v / 12.92
		} else {
			c[i] = math.Pow((v+.055)/1.055, 2.4)
		}
	}
	return .2126*c[0] + .7152*c[1] + .0722*c[2]
}
