package attentionplot_test

import (
	"bytes"
	"image/png"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
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
		if s := panics.Value(f); s != "attentionplot: Map: "+want {
			t.Errorf("panic %v, want %q", s, want)
		}
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

// TestSteps checks the numbers of each step for an example that can be computed by hand, and compares the last step
// with package attention.
func TestSteps(t *testing.T) {
	// exp of the products ln 3, 0 and ln 6 are 3, 1 and 6: the weights are 0.3, 0.1 and 0.6.
	Q := mat.NewDense(3, 2, []float64{0, 0, 0, 1, 0, 0})
	K := mat.NewDense(3, 2, []float64{7, math.Log(3), -7, 0, 0, math.Log(6)})
	V := mat.NewDense(3, 2, []float64{10, 0, 0, 20, -5, 5})
	words := []string{"a", "<b>", "c"}
	show := attentionplot.Steps(Q, K, V, words)
	for step, want := range map[int]string{
		1: "<b>\t0.00 1.00\n",
		2: "q of <b>\t0.00 1.00\t\na\t7.00 1.10\t1.10\n<b>\t-7.00 0.00\t0.00\nc\t0.00 1.79\t1.79\n",
		3: "a\t1.10\t0.50\t0.30\n<b>\t0.00\t0.17\t0.10\nc\t1.79\t1.00\t0.60\nsum\t\t1.67\t1.00\n",
		4: "a\t0.30\t10.00 0.00\t3.00 0.00\n<b>\t0.10\t0.00 20.00\t0.00 2.00\nc\t0.60\t-5.00 5.00\t-3.00 3.00\n",
		5: "a\t3.00 0.00\n<b>\t0.00 2.00\nc\t-3.00 3.00\nsum a\t0.00 5.00\n",
	} {
		d := show("<b>", step)
		if _, got, _ := strings.Cut(d.Data[display.MIMETypeText].(string), "\n"); got != want {
			t.Errorf("step %d:\n%q\nwant\n%q", step, got, want)
		}
		page := d.Data[display.MIMETypeHTML].(string)
		if strings.Contains(page, "<b>\t") || !strings.Contains(page, "&lt;b&gt;") || step == 2 && !strings.Contains(page, "−7.00") {
			t.Errorf("step %d: the page is\n%s", step, page)
		}
	}
	for want, f := range map[string]func(){
		"Steps: 2 words, Q has 3 rows":             func() { attentionplot.Steps(Q, K, V, words[:2]) },
		"Steps: 3 words, K has 2 rows":             func() { attentionplot.Steps(Q, K.Slice(0, 2, 0, 2), V.Slice(0, 2, 0, 2), words) },
		`Steps: "x" is not one of ["a" "<b>" "c"]`: func() { show("x", 1) },
		"Steps: there is no step 6, there are 5":   func() { show("a", 6) },
		"Steps: attention: Attend: Q(0, 0) is NaN": func() { attentionplot.Steps(mat.NewDense(3, 2, []float64{math.NaN(), 0, 0, 0, 0, 0}), K, V, words) },
	} {
		if s := panics.Value(f); s != "attentionplot: "+want {
			t.Errorf("panic %v, want %q", s, want)
		}
	}
}
