package iconplot_test

import (
	"strings"
	"testing"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/icon"
	"overcomplete/kernel-helpers/icon/iconplot"
)

func TestFigures(t *testing.T) {
	labels := make([]int, 30)
	for i := range labels {
		labels[i] = i % 12
	}
	o, err := icon.SNE(icon.Normal(30, 3, 1, 1), 5, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := &icon.Result{Objective: o, Embedding: icon.Normal(30, 2, 1, 2), History: []icon.Step{{Loss: 1, Gradient: 1}, {Loss: 0.5, Gradient: 1}}}
	for name, png := range map[string][]byte{
		"Loss": iconplot.Loss(r).PNG(), "ContrastLoss": iconplot.ContrastLoss(&icon.ContrastResult{History: r.History}).PNG(),
		"Embedding": iconplot.Embedding(r, labels).PNG(), "without labels": iconplot.Embedding(r, nil).PNG(), "Matrices": iconplot.Matrices(o, labels).PNG(),
		"one coordinate": iconplot.Scatter("", icon.Normal(30, 1, 1, 1), labels).PNG(), "many": iconplot.Scatter("", icon.Normal(30, 5, 1, 1), labels).PNG(),
	} {
		if len(png) < 3000 {
			t.Errorf("%s: a PNG of %d bytes", name, len(png))
		}
	}
	for name, f := range map[string]func(){
		"no embedding": func() { iconplot.Embedding(&icon.Result{Objective: o}, nil) },
		"labels":       func() { iconplot.Scatter("", icon.Normal(30, 2, 1, 1), labels[1:]) },
		"things":       func() { iconplot.Matrices(o, labels[1:]) },
		"no points":    func() { iconplot.Scatter("", nil, nil) },
	} {
		if s, _ := panics.Value(f).(string); !strings.HasPrefix(s, "iconplot: ") {
			t.Errorf("%s: no panic of this package: %q", name, s)
		}
	}
}
