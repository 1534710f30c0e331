package lecturesparse

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/kernel-helpers/unrolled"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Unrolled trains networks of few layers to compute the codes of the lasso, and counts the
// iterations that ISTA and FISTA need for the same accuracy.
func (l *Lab) Unrolled() *figure.Figure {
	d, n, N := l.Pick(12, 24, 48), l.Pick(20, 48, 96), l.Pick(1500, 8000, 20000)
	const lambda, test = 0.1, 500
	rng := rand.New(rand.NewPCG(l.Seed, 5))
	B := gaussian(rng, d, n)
	W := mat.NewDense(n, N+test, nil)
	for j := range N + test {
		W.SetCol(j, sparseVector(rng, n, max(2, n/10)).RawVector().Data)
	}
	var X mat.Dense
	X.Mul(B, W)
	codes, err := sparseapprox.Solve(l.Context(), B, &X, &sparseapprox.Options{Lambda: lambda})
	lab.Check(err)
	learn, codesOf := X.Slice(0, d, 0, N), codes.W.Slice(0, n, 0, N)
	rest, want := mat.DenseCopyOf(X.Slice(0, d, N, N+test)), codes.W.Slice(0, n, N, N+test)
	size := mat.Norm(want, 2)
	miss := func(Z mat.Matrix) float64 {
		var e mat.Dense
		e.Sub(Z, want)
		e2 := mat.Norm(&e, 2) / size
		return e2 * e2
	}

	var at, ista, fista, lista []float64
	const most = 100
	L := lipschitz(B)
	l.proximal(B, rest, lambda, L, most, false, func(k int, Z *mat.Dense) { at, ista = append(at, float64(k)), append(ista, miss(Z)) })
	l.proximal(B, rest, lambda, L, most, true, func(_ int, Z *mat.Dense) { fista = append(fista, miss(Z)) })
	layers := []int{0, 1, 3, 7}
	var iterations []float64
	for _, k := range layers {
		m := unrolled.New(B, lambda, k)
		_, err := unrolled.Fit(l.Context(), m, learn, codesOf, &unrolled.Options{Steps: l.Pick(600, 2500, 8000), Rate: 0.003, Seed: l.Seed})
		lab.Check(err)
		iterations, lista = append(iterations, float64(k+1)), append(lista, miss(m.Transform(rest)))
	}
	until := func(errors []float64, level float64) int {
		for i, e := range errors {
			if e <= level {
				return i + 1
			}
		}
		return most + 1
	}
	data := record.Generated(fmt.Sprintf("%d signals of %d random atoms in %d dimensions, and %d held-out signals", N, n, d, test))
	for i, k := range layers {
		if k != 1 && k != 3 {
			continue
		}
		need := until(fista, lista[i])
		l.Row(record.Row{
			ID: fmt.Sprintf("unrolled-%d", k+1), What: fmt.Sprintf("iterations that FISTA needs to reach the error of %d trained iterations (%d means more than %d)", k+1, most+1, most),
			Published: gregor.Quote(fewerIterations, "experiments"),
			Measured:  record.Number(float64(need), ""), Rule: record.AtLeast(float64(3 * (k + 1))), Data: data, Figure: "unrolled", Repeat: 3,
			Reason: fmt.Sprintf("required: at least three times as many. ISTA needs %d iterations", until(ista, lista[i])),
		})
	}
	f := figure.New("Error of the codes", "iterations", "‖w − w*‖² / ‖w*‖²").
		Lines("ISTA", at, ista).Lines("FISTA", at, fista).Marked("trained", iterations, lista).LogX().LogY()
	l.Save("unrolled", fmt.Sprintf("Error on held-out signals. Each trained point is a separate network. Data: %v.", data), f)
	return f
}
