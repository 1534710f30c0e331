// Package fittedsvg draws SVG documents in which each text keeps its intended width. A viewer may use other
// fonts than the layout did, and wider letters would overlap or run over the edge.
package fittedsvg

import (
	"bytes"
	"fmt"
	"image"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Canvas records the width of each text.
type Canvas struct {
	*vgsvg.Canvas
	// Shapes counts the paths, texts and images of the document.
	Shapes  int
	widths  []vg.Length // the current line width, and the widths saved by Push
	lengths []vg.Length
	plain   string // the document, kept because gonum's canvas writes it only once
}

// New returns a canvas of the given size.
func New(w, h vg.Length) *Canvas {
	return &Canvas{Canvas: vgsvg.New(w, h), widths: []vg.Length{vg.Points(1)}}
}

// SetLineWidth sets the line width. gonum draws no lines of width 0.
func (c *Canvas) SetLineWidth(w vg.Length) {
	c.widths[len(c.widths)-1] = w
	c.Canvas.SetLineWidth(w)
}

// Push saves the drawing state.
func (c *Canvas) Push() {
	c.widths = append(c.widths, c.widths[len(c.widths)-1])
	c.Canvas.Push()
}

// Pop restores the state saved by the last Push.
func (c *Canvas) Pop() {
	c.widths = c.widths[:len(c.widths)-1]
	c.Canvas.Pop()
}

// Stroke draws a path as a line.
func (c *Canvas) Stroke(p vg.Path) {
	if c.widths[len(c.widths)-1] > 0 {
		c.Shapes++
	}
	c.Canvas.Stroke(p)
}

// Fill fills a path.
func (c *Canvas) Fill(p vg.Path) {
	c.Shapes++
	c.Canvas.Fill(p)
}

// DrawImage draws an image.
func (c *Canvas) DrawImage(r vg.Rectangle, img image.Image) {
	c.Shapes++
	c.Canvas.DrawImage(r, img)
}

// FillString draws text.
func (c *Canvas) FillString(f font.Face, at vg.Point, text string) {
	c.Shapes++
	c.lengths = append(c.lengths, f.Width(text))
	c.Canvas.FillString(f, at, text)
}

// Plain returns the document in gonum's form. Nothing can be drawn afterwards.
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

// Fitted returns the document like Plain, but with an explicit width for each text.
func (c *Canvas) Fitted() string {
	const begin = "<text "
	svg := c.Plain()
	parts := strings.Split(svg, begin) // texts contain no <
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
