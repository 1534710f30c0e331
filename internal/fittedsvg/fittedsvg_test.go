package fittedsvg

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Every text of a plot has an explicit length, which is close to the width of its letters.
func TestFitted(t *testing.T) {
	p := plot.New()
	p.Title.Text = "A title <text of it> & more"
	p.X.Label.Text, p.Y.Label.Text = "x", "y"
	c := New(6*vg.Inch, 4*vg.Inch)
	p.Draw(draw.New(c))
	if plain := c.Plain(); plain != c.Plain() || len(c.Fitted()) < len(plain) {
		t.Error("the document is given once only")
	}
	d := xml.NewDecoder(strings.NewReader(c.Fitted()))
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
	if texts < 5 || texts != len(c.lengths) {
		t.Errorf("%d texts, %d lengths", texts, len(c.lengths))
	}
	if c.lengths = c.lengths[1:]; c.Fitted() != c.Plain() {
		t.Error("lengths that do not belong to the texts were used")
	}
}
