package figure

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A measured canvas notes how long each text is in the fonts that figures are laid out with. A
// browser that shows the SVG may have others.
type measured struct {
	*vgsvg.Canvas
	lengths []vg.Length
}

// FillString draws text.
func (m *measured) FillString(f font.Face, at vg.Point, text string) {
	m.lengths = append(m.lengths, f.Width(text))
	m.Canvas.FillString(f, at, text)
}

// fitted has each text of an SVG document that m has drawn take the room that it was given.
func (m *measured) fitted(svg string) string {
	const begin = "<text "
	parts := strings.Split(svg, begin) // a text itself has no <
	if len(parts) != len(m.lengths)+1 {
		return svg
	}
	var b strings.Builder
	b.WriteString(parts[0])
	for i, p := range parts[1:] {
		b.WriteString(begin)
		if w := m.lengths[i].Points(); w > 0 {
			fmt.Fprintf(&b, `textLength="%.5g" lengthAdjust="spacingAndGlyphs" `, w)
		}
		b.WriteString(p)
	}
	return b.String()
}
