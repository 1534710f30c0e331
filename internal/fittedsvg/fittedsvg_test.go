package fittedsvg

import (
	"encoding/xml"
	"image"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Every text of a plot has an explicit length, which is close to the width of its letters.
func TestFitted(t *testing.T) {
	p := plot.New()
	p.Title.Text = "A title <text of it> & more"
	p.X.Label.Text, p.Y.Label.Text = "x", "y"
	c := New(6*vg.Inch, 4*vg.Inch)
	c.Fit = true
	p.Draw(draw.New(c))
	d := xml.NewDecoder(strings.NewReader(c.String()))
	texts, length := 0, 0.0
	inText := false
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			inText = e.Name.Local == "text"
			if !inText {
				break
			}
			texts++
			length = 0
			for _, a := range e.Attr {
				if a.Name.Local == "textLength" {
					length, _ = strconv.ParseFloat(a.Value, 64)
				}
			}
		case xml.EndElement:
			inText = false
		case xml.CharData:
			if n := float64(len(e)); inText && n > 1 && (length < 2*n || length > 10*n) {
				t.Errorf("%q is %v long", e, length)
			}
		}
	}
	if texts < 5 {
		t.Errorf("%d texts", texts)
	}
}

// Without Fit, a text has a length only where wider letters would be cut off at the right edge.
func TestNearEdge(t *testing.T) {
	const text = "mmmmmmmmmm"
	f := plot.DefaultTextHandler.Cache().Lookup(plot.DefaultFont, 10)
	w := f.Width(text)
	for share, want := range map[float64]bool{0.7: false, 0.85: true, 0.99: true} {
		c := New(w*vg.Length(1/share), 20)
		c.FillString(f, vg.Point{X: 0, Y: 5}, text)
		if got := strings.Contains(c.String(), "textLength"); got != want {
			t.Errorf("a text over %.2f of the width has a length: %t", share, got)
		}
		c = New(w*vg.Length(1/share), 20)
		c.Rotate(math.Pi / 2)
		c.FillString(f, vg.Point{X: 0, Y: -5}, text)
		if strings.Contains(c.String(), "textLength") {
			t.Error("a rotated text has a length")
		}
	}
}

// The test draws everything that can be drawn, in every state.
func TestDrawn(t *testing.T) {
	c := New(100, 50)
	c.SetColor(color.NRGBA{0, 114, 178, 128})
	var p vg.Path
	for _, at := range []vg.Point{{X: 30, Y: 20}, {X: 31, Y: 22.04}} {
		p.Move(vg.Point{X: at.X + 2, Y: at.Y})
		p.Arc(at, 2, 0, 2*math.Pi)
		p.Close()
	}
	c.Fill(p)
	c.SetColor(nil)
	c.SetLineWidth(0)
	c.Stroke(p)
	c.SetLineWidth(1.5)
	c.SetLineDash([]vg.Length{4, 3}, 1)
	c.Push()
	c.Translate(vg.Point{X: 10, Y: 5})
	c.Rotate(math.Pi / 2)
	c.Scale(2, 1)
	c.Stroke(vg.Path{{Type: vg.MoveComp, Pos: vg.Point{X: 1, Y: 2}}, {Type: vg.LineComp, Pos: vg.Point{X: 3, Y: 4}}})
	c.Pop()
	c.Fill(vg.Path{{Type: vg.MoveComp, Pos: vg.Point{X: 5, Y: 5}}, {Type: vg.ArcComp, Pos: vg.Point{X: 5, Y: 10}, Radius: 5, Start: -math.Pi / 2, Angle: math.Pi / 2},
		{Type: vg.CurveComp, Pos: vg.Point{X: 20, Y: 10}, Control: []vg.Point{{X: 15, Y: 20}}}, {Type: vg.CloseComp}})
	c.Fill(vg.Path{{Type: vg.MoveComp, Pos: vg.Point{X: 1, Y: 1}}, {Type: vg.LineComp, Pos: vg.Point{X: 2, Y: 3}}})
	c.SetColor(color.White)
	for _, x := range []vg.Length{0, 1} {
		c.Fill(vg.Path{{Type: vg.MoveComp, Pos: vg.Point{X: x, Y: 1}}, {Type: vg.LineComp, Pos: vg.Point{X: 2, Y: 3}}})
	}
	c.DrawImage(vg.Rectangle{Min: vg.Point{X: 1, Y: 2}, Max: vg.Point{X: 11, Y: 7}}, image.NewGray(image.Rect(0, 0, 1, 1)))
	_, body, _ := strings.Cut(c.String(), "1999/xlink\">\n")
	want := `<path d="M30 30h0m1-2h0" style="fill:none;stroke:#0071B1;stroke-opacity:0.50196;stroke-width:4;stroke-linecap:round"/>
<path d="M1-2l2-2" style="fill:none;stroke:#000000;stroke-width:1.5;stroke-dasharray:4,3;stroke-dashoffset:1" transform="matrix(0 -2 1 0 10 45)"/>
<path d="M5 45a5 5 0 0 0 5-5q5-10 10 0z"/>
<path d="M1 49l1-2"/>
<g style="fill:#FFFFFF">
<path d="M0 49l2-2"/>
<path d="M1 49l1-2"/>
</g>
<image x="1" y="43" width="10" height="5" preserveAspectRatio="none" xlink:href="data:image/png;base64,`
	if !strings.HasPrefix(body, want) || c.Shapes != 7 {
		t.Errorf("%d shapes: %s", c.Shapes, body)
	}
}

// A rotated text is in the right place, whatever the document's height is.
func TestHeight(t *testing.T) {
	c := New(100.126, 1127.523)
	c.Push()
	c.Rotate(math.Pi / 2)
	c.FillString(font.DefaultCache.Lookup(plot.New().X.Label.TextStyle.Font, 10), vg.Point{X: 1, Y: 2}, "up")
	c.Pop()
	if s := c.String(); !strings.Contains(s, `viewBox="0 0 100.13 1127.52"`) || !strings.Contains(s, `transform="matrix(0 -1 1 0 0 1127.52)"`) {
		t.Error(s)
	}
}
