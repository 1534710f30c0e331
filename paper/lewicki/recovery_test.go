package lewicki

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/fsdd"
	"overcomplete/kernel-helpers/ica"
	"overcomplete/paper/internal/labtest"
	"overcomplete/paper/record"
)

// smokeLab returns a lab that writes into a temporary folder.
func smokeLab(t *testing.T) *Lab { return &Lab{labtest.Smoke(t, Paper)} }

func TestRecovery(t *testing.T) {
	l := smokeLab(t)
	rep := l.Recovery()
	rows := labtest.Rows(t, l.Lab, "recovery-3-sparse", "recovery-dense")
	if rows[0].Measured.Number < 75 || rows[0].Measured.Number <= rows[1].Measured.Number {
		t.Errorf("sparse sources: %v, dense ones: %v", rows[0].Measured, rows[1].Measured)
	}
	if len(rep.Results) != len(rep.Names) || rep.Figure() == nil {
		t.Error("the report is not complete")
	}
	for _, s := range []string{rep.HTML(), rep.String(), rep.Markdown()} {
		if !strings.Contains(s, "active 30 %") {
			t.Errorf("the table lacks a row: %s", s)
		}
	}
	// Another lab finds the same results.
	m := smokeLab(t)
	if got := m.Recovery().String(); got != rep.String() {
		t.Errorf("a second run differs:\n%s\n%s", got, rep)
	}
}

func TestSettingsHaveDistinctRows(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range settings() {
		if seen[s.id] || s.short == "" {
			t.Errorf("setting %q", s.id)
		}
		seen[s.id] = true
	}
}

func TestRecover(t *testing.T) {
	r := Recover(t.Context(), RecoveryOptions{Seeds: 6, Restarts: &ica.RestartOptions{Starts: 10}})
	if r.Success < 1 || r.MedianWorst > 0.1 {
		t.Errorf("success %g, worst angles %v", r.Success, r.Worst)
	}
	// A trial depends on its seed alone.
	one := Recover(t.Context(), RecoveryOptions{Seeds: 1, First: 3, Restarts: &ica.RestartOptions{Starts: 10}})
	if one.Worst[0] != r.Worst[3] {
		t.Errorf("seed 3 alone: %v, among others: %v", one.Worst[0], r.Worst[3])
	}
}

// TestRecoveryOfSparseSources checks what package ica promises: for 2 mixtures of 3 sources active 30% of the
// time, from random starts, at least 95% of 50 seeds are within 5 degrees.
func TestRecoveryOfSparseSources(t *testing.T) {
	if testing.Short() {
		t.Skip("50 trials")
	}
	r := Recover(t.Context(), RecoveryOptions{})
	if len(r.Worst) != 50 || r.Success < 0.95 {
		t.Errorf("success %g of %d, median worst angle %g", r.Success, len(r.Worst), r.MedianWorst)
	}
}

func TestWhatCannotBeRecovered(t *testing.T) {
	l := smokeLab(t)
	if g := l.WhatCannotBeRecovered(); len(g.Figures) != 1 || len(g.Figures[0]) != 3 {
		t.Error("not three panels in a row")
	}
	labtest.Rows(t, l.Lab, "recovery-dense-exact-posterior")
}

func TestNoise(t *testing.T) {
	l := smokeLab(t)
	l.Noise()
	rows := labtest.Rows(t, l.Lab, "noise-blog-still-diverges", "noise-cure-005", "noise-does-not-cure")
	if rows[0].Measured.Number != 100 {
		t.Errorf("the post's rule: %v", rows[0].Measured)
	}
	if rows[2].Measured.Bool {
		t.Errorf("noise helps: %v", rows[2].Measured)
	}
}

func TestCodingCost(t *testing.T) {
	t.Setenv(fsdd.Variable, "")
	l := smokeLab(t)
	rep := l.CodingCost()
	rows := labtest.Rows(t, l.Lab, "coding-overcomplete-below-fourier-20db", "coding-learned-below-fourier-20db", "coding-overcomplete-below-complete-10db", "coding-speech")
	if rows[3].Verdict != record.Unknown {
		t.Errorf("recorded speech without data: %s", rows[3].Verdict)
	}
	for _, x := range rep.Results {
		for i, b := range x.Bits {
			if !(b > 0) || math.IsInf(b, 0) || i > 0 && b <= x.Bits[i-1] {
				t.Errorf("%s: %v bits", x.Name, x.Bits)
			}
		}
	}
	if f, d := rep.Bits("generated", fourierBasis, 20), rep.Bits("generated", deltaBasis, 20); f >= d {
		t.Errorf("Fourier needs %v bits, samples as they are %v", f, d)
	}
	if !math.IsNaN(rep.Bits("generated", fourierBasis, 7)) {
		t.Error("a cost at an error that was not measured")
	}
}

// A damaged archive must not be mistaken for an absent one.
func TestCodingCostBadArchive(t *testing.T) {
	if _, err := fsdd.Read(strings.NewReader("")); err == nil || errors.Is(err, fsdd.ErrAbsent) {
		t.Error(err)
	}
}

// Refitting can only lower the error, and does not change zeros.
func TestRefit(t *testing.T) {
	a := ica.RandomBasis(4, 7, 1)
	s := ica.DrawSources(ica.BernoulliLaplacian{P: 0.3}, 7, 50, 2)
	x := ica.Mix(a, ica.DrawSources(ica.Laplacian{}, 7, 50, 3), 0, 0)
	var g, ax mat.Dense
	g.Mul(a.T(), a)
	ax.Mul(a.T(), x)
	r := refit(&g, &ax, s)
	for k := range 50 {
		var before, after float64
		for i := range 4 {
			u, v := x.At(i, k), x.At(i, k)
			for j := range 7 {
				u -= a.At(i, j) * s.At(j, k)
				v -= a.At(i, j) * r.At(j, k)
				if s.At(j, k) == 0 && r.At(j, k) != 0 {
					t.Fatal("a zero is gone")
				}
			}
			before, after = before+u*u, after+v*v
		}
		if after > before+1e-9 {
			t.Errorf("sample %d: %v after, %v before", k, after, before)
		}
	}
}

// The MAP step must find a complete sparse basis from a nearby start.
func TestLearnMAP(t *testing.T) {
	truth := ica.RandomBasis(4, 6, 2)
	x := ica.Mix(truth, ica.DrawSources(ica.BernoulliLaplacian{P: 0.15}, 6, 2000, 2), 0.01, 3)
	start := ica.PerturbBasis(truth, 12, 4)
	a := learnMAP(t.Context(), start, x, 0.2, 80, 5)
	if before, after := ica.Match(truth, start).Worst, ica.Match(truth, a).Worst; after > before/3 {
		t.Errorf("worst angle %v at the start, %v at the end", before, after)
	}
	for _, v := range ica.ColumnNorms(a) {
		if math.Abs(v-1) > 1e-12 {
			t.Errorf("a column of norm %v", v)
		}
	}
}

func TestKHot(t *testing.T) {
	l := smokeLab(t)
	rep := l.KHot()
	labtest.Rows(t, l.Lab, "sae-one-hot", "sae-two-hot", "sae-three-hot", "sae-three-hot-values", "sae-map-values")
	if rep.Total != [3]int{6, 15, 20} {
		t.Errorf("inputs: %v", rep.Total)
	}
	last := len(rep.Methods) - 1
	if rep.Zones[0] != [3]int{6, 6, 6} || rep.Zones[last] != [3]int{6, 6, 0} || rep.Values[last] != [3]int{6, 6, 0} {
		t.Errorf("tied %v, MAP %v with values %v", rep.Zones[0], rep.Zones[last], rep.Values[last])
	}
	if !strings.Contains(rep.HTML(), "6 of 15") || !strings.Contains(rep.Markdown(), "| MAP") {
		t.Error("the table is not complete")
	}
}

func TestAgainstAutoencoder(t *testing.T) {
	l := smokeLab(t)
	l.AgainstAutoencoder()
	rows := labtest.Rows(t, l.Lab, "sae-ica-symmetric", "sae-autoencoder-symmetric", "sae-same-objective-symmetric", "sae-ica-non-negative", "sae-same-objective-non-negative")
	for _, i := range []int{0, 3} {
		if rows[i].Measured.Number > 5 {
			t.Errorf("%s: %v", rows[i].ID, rows[i].Measured)
		}
	}
	for _, i := range []int{2, 4} {
		if rows[i].Measured.Number < -1e-3 {
			t.Errorf("%s: an encoder's code is cheaper than the best: %v", rows[i].ID, rows[i].Measured)
		}
	}
}
