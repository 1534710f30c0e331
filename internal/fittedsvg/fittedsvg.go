// Package fittedsvg draws SVG documents whose texts take the room that they were given: whoever shows one
// may have other fonts than those that it was laid out with, and wider letters run into each other, or over the edge.
package fittedsvg

import (
	"bytes"
	"fmt"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Canvas notes how long each text is.
type Canvas struct {
	*vgsvg.Canvas
	lengths []vg.Length
	plain   string // the document, once it was asked for: gonum's canvas gives it once
}

// New returns a canvas of a size.
func New(w, h vg.Length) *Canvas { return &Canvas{Canvas: vgsvg.New(w, h)} }

// FillString draws text.
func (c *Canvas) FillString(f font.Face, at vg.Point, text string) {
	c.lengths = append(c.lengths, f.Width(text))
	c.Canvas.FillString(f, at, text)
}

// Plain returns the document as gonum writes it. Nothing can be drawn after it.
func (c *Canvas) Plain() string {
	if c.plain != "" {
		return c.plain
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		panic(fmt.Sprintf("fittedsvg: %v", err)) // a bytes.Buffer does not fail
	}
	c.plain = b.String()
	return c.plain
}

// Fitted returns the document like Plain, in which each text says how long it is.
func (c *Canvas) Fitted() string {
	const begin = "<text "
	svg := c.Plain()
	parts := strings.Split(svg, begin) // a text itself has no <
	if len(parts) != len(c.lengths)+1 {
		return svg
	}
	var b strings.Builder
	b.WriteString(parts[0])
	for i, p := range parts[1:] {
		b.WriteString(begin)
		if w := c.lengths[i].Points(); w > 0 {
			fmt.Fprintf(&b, `textLength="%.5g" lengthAdjust="spacingAndGlyphs" `, w)
		}
		b.WriteString(p)
	}
	return b.String()
}
