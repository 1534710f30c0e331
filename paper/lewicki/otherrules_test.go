package lewicki

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ica"
	"overcomplete/paper/record"
)

// The literal reading assigns −αA(E[zŝ'] + I), whereas package ica's rule adds η times this term.
func TestLiterally(t *testing.T) {
	l := smokeLab(t)
	mix := l.exponentialMixture(1)
	start := ica.PerturbBasis(planeBasis(), perturbation, 1)
	const rate, eta = 0.3, 0.01
	got := learnLiterally(t.Context(), start, mix, rate, 1)
	w := postRule(eta, 1)
	r := w.run(t.Context(), start, mix)
	var want mat.Dense
	want.Sub(r.A, start) // −ηA(E[zŝ'] + I)
	want.Scale(rate/eta, &want)
	if !mat.EqualApprox(got, &want, 1e-9) {
		t.Errorf("%v, and %v from the rule that adds", mat.Formatted(got), mat.Formatted(&want))
	}
}

// Olshausen and Field's rule lowers its mean objective, learns sparse sources from a nearby basis, and keeps
// columns at norm 1.
func TestOlshausenField(t *testing.T) {
	truth := ica.EvenBasis(3, 90)
	start := ica.PerturbBasis(truth, perturbation, 3)
	const sigma = 0.1
	src := ica.BernoulliLaplacian{P: 0.2}
	mix := ica.NewMixture(truth, src, 300, sigma, 4)
	o := &ica.InferOptions{Method: ica.Lasso, Noise: sigma, Scale: src.MeanAbs(), Workers: 1}
	infer := func(A, X *mat.Dense) *mat.Dense {
		in, err := ica.Infer(t.Context(), A, X, o)
		if err != nil {
			t.Fatal(err)
		}
		return in.S
	}
	objective := func(A *mat.Dense) (sum float64) {
		in, err := ica.Infer(t.Context(), A, mix.X, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range in.Objective {
			sum += v
		}
		return sum
	}
	before := mat.DenseCopyOf(start)
	step := olshausenField(t.Context(), start, mix.X, 0.1, 1, infer, nil)
	if !mat.Equal(start, before) {
		t.Error("the start is modified")
	}
	if a, b := objective(step), objective(start); a >= b {
		t.Errorf("the objective is %v after a step, and was %v", a, b)
	}
	end := olshausenField(t.Context(), start, mix.X, 10, 60, infer, nil)
	if worst := ica.Match(truth, end).Worst; worst > threshold {
		t.Errorf("%v degrees off", worst)
	}
	for j, v := range ica.ColumnNorms(end) {
		if math.Abs(v-1) > 1e-12 {
			t.Errorf("column %d has norm %v", j, v)
		}
	}
}

func TestOtherRules(t *testing.T) {
	l := smokeLab(t)
	l.OtherRules()
	if r, ok := l.Results().Row("e3-literal"); !ok || r.Verdict != record.NotReproduced {
		t.Errorf("e3-literal: %v", r.Verdict)
	}
	for _, id := range []string{"e42-field-low-noise", "e42-field-low-noise-step", "e42-field-overcomplete"} {
		if _, ok := l.Results().Row(id); !ok {
			t.Errorf("no row %s", id)
		}
	}
}
