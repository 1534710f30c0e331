package attention

import (
	"bytes"
	"image/png"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/ui/display"
)

func TestMapFigure(t *testing.T) {
	f := MapFigure("title", mat.NewDense(2, 3, []float64{1, 0, 0, 0, 0.5, 0.5}), []string{"a", "b", "c"})
	var got string
	for _, tick := range f.X.Tick.Marker.Ticks(0, 2) {
		got += tick.Label
	}
	if got != "abc" {
		t.Errorf("columns are marked %q", got)
	}
	if f.Y.Tick.Marker.Ticks(0, 1)[0].Label != "0" {
		t.Error("rows that are no tokens are not marked by numbers")
	}
}

// The weights are seen: the same shape with other weights is another picture.
func TestOutputIsShown(t *testing.T) {
	H := random(1, 3, 4)
	out, err := SelfAttention(H, NewHead(4, 2, 2, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "attention: A is 3×2, Alpha is 3×3" {
		t.Error(got)
	}
	if got := (&Output{}).String(); got != "attention: A is missing, Alpha is missing" {
		t.Error(got)
	}
	other, err := SelfAttention(H, NewHead(4, 2, 2, 2), nil)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(out.Figure(nil).PNG(), other.Figure(nil).PNG()) {
		t.Error("other weights look the same")
	}
	many, err := MultiHead(H, NewHeads(2, 4, 1), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := many.String(); got != "attention: Y is 3×4, A is 3×4, weights of 2 heads" {
		t.Error(got)
	}
	if g := many.Figure([]string{"a", "b", "c"}); len(g.Figures) != 1 || len(g.Figures[0]) != 2 {
		t.Error("not two panels")
	}
	for _, d := range []display.Data{out.Render(), many.Render()} {
		picture, ok := d.Data[display.MIMETypePNG].([]byte)
		if !ok {
			t.Fatal("no picture")
		}
		if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
			t.Error(err)
		}
	}
	if out.Render().Data[display.MIMETypeText] != out.String() {
		t.Error("the text is not String")
	}
}
