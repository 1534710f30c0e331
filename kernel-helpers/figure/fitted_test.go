package figure

import (
	"bytes"
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/vgsvg"
)

// Every text of a figure says how long it is, about as long as its letters are.
func TestFitted(t *testing.T) {
	f := New("A title <text of it> & more", "x", "y").Lines("a line", []float64{0, 1}, []float64{0, 1}).Note("A caption that has more than a few letters.")
	w, h := f.extent()
	c := &measured{Canvas: vgsvg.New(w, h)}
	render(f, c)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(strings.NewReader(c.fitted(b.String())))
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
	if texts < 10 || texts != len(c.lengths) {
		t.Errorf("%d texts, %d lengths", texts, len(c.lengths))
	}
	if c.lengths = c.lengths[1:]; c.fitted(b.String()) != b.String() {
		t.Error("lengths that do not belong to the texts were used")
	}
}
