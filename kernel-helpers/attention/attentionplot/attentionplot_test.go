package attentionplot_test

import (
	"bytes"
	"image/png"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/attention/attentionplot"
	"overcomplete/ui/display"
)

func TestMap(t *testing.T) {
	f := attentionplot.Map("title", mat.NewDense(2, 3, []float64{1, 0, 0, 0, 0.5, 0.5}), []string{"a", "b", "c"})
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
	for want, f := range map[string]func(){
		"2 tokens, Alpha is 1×1": func() { attentionplot.Map("", mat.NewDense(1, 1, nil), []string{"a", "b"}) },
		"Alpha(0, 0) is NaN":     func() { attentionplot.Map("", mat.NewDense(1, 1, []float64{math.NaN()}), nil) },
		"Alpha is nil":           func() { attentionplot.Weights(&attention.Output{}, nil) },
	} {
		func() {
			defer func() {
				if s := recover(); s != "attentionplot: Map: "+want {
					t.Errorf("panic %v, want %q", s, want)
				}
			}()
			f()
		}()
	}
}

// TestOutputIsShown checks that the picture depends on the weights, not only on their shape.
func TestOutputIsShown(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	H := mat.NewDense(3, 4, nil)
	H.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, H)
	out, err := attention.SelfAttention(H, attention.NewHead(4, 2, 2, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := attention.SelfAttention(H, attention.NewHead(4, 2, 2, 2), nil)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(attentionplot.Weights(out, nil).PNG(), attentionplot.Weights(other, nil).PNG()) {
		t.Error("other weights look the same")
	}
	many, err := attention.MultiHead(H, attention.NewHeads(2, 4, 1), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if g := attentionplot.Heads(many, []string{"a", "b", "c"}); len(g.Figures) != 1 || len(g.Figures[0]) != 2 {
		t.Error("not two panels")
	}
	for v, text := range map[any]string{out: out.String(), many: many.String()} {
		d, ok := display.Registered(v)
		if !ok {
			t.Fatalf("a %T is not shown as a picture", v)
		}
		picture, ok := d.Data[display.MIMETypePNG].([]byte)
		if !ok {
			t.Fatal("no picture")
		}
		if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
			t.Error(err)
		}
		if d.Data[display.MIMETypeText] != text || !strings.HasPrefix(text, "attention: ") {
			t.Errorf("the text is %v", d.Data[display.MIMETypeText])
		}
	}
}
