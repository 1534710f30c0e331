package lewicki

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ica"
	"overcomplete/kernel-helpers/pursuit"
)

// A curve of the figure ends where its method ends, so that convergence is visible: at the exact solution, or after
// the largest number of iterations tried.
func TestSolverPathsArrive(t *testing.T) {
	most := 1
	for n := most; n <= mostIterations; n = n*3/2 + 1 {
		most = n
	}
	at := map[string]int{}
	for _, p := range smokeLab(t).solverPaths() {
		n, ok := p.arrives()
		if !ok && n != most {
			t.Errorf("%s: the line ends after %d iterations at an excess of %.2g, neither exact nor after all %d", p.name, n, p.excess[len(p.excess)-1], most)
		}
		if ok {
			at[p.name] = n
		}
	}
	// The notebook's statement about the two methods that treat the kink explicitly.
	if n := at["coordinate descent"]; n == 0 || n > 40 {
		t.Errorf("coordinate descent is exact after %d sweeps, not after a few dozen", n)
	}
	if n := at["FISTA"]; n < 100 || n > 300 {
		t.Errorf("FISTA is exact after %d steps, not after one or two hundred", n)
	}
	if len(at) != 2 {
		t.Errorf("exact: %v; the gradient steps should not be", at)
	}
}

// Gradient steps and coordinate descent are slow, because the error of their coefficients lies in the one
// direction in which A s does not change. Along this direction only the small alpha has an effect.
func TestSlowDirection(t *testing.T) {
	A := planeBasis()
	mix := ica.NewMixture(A, ica.BernoulliLaplacian{P: 0.5}, 100, 0, 1)
	const alpha = inferenceNoise * inferenceNoise
	best, err := pursuit.Lasso(t.Context(), A, mix.X, alpha, &pursuit.LassoOptions{Tolerance: 1e-13})
	if err != nil {
		t.Fatal(err)
	}
	gradient, err := pursuit.GradientDescent(t.Context(), A, mix.X, alpha, &pursuit.GradientOptions{Steps: 500})
	if err != nil {
		t.Fatal(err)
	}
	// Up to its 20th sweep, Lasso uses only coordinate descent. If it stops there, it returns an error.
	coordinates, err := pursuit.Lasso(t.Context(), A, mix.X, alpha, &pursuit.LassoOptions{Tolerance: 1e-13, MaxIterations: 16})
	if err == nil {
		t.Error("coordinate descent alone is exact after 16 sweeps")
	}
	for name, S := range map[string]*mat.Dense{"gradient": gradient.S, "coordinate descent": coordinates.S} {
		var d, along mat.Dense
		d.Sub(S, best.S)
		along.Mul(mat.NewDense(1, 3, []float64{1, -1, 1}), &d) // a₁ − a₂ + a₃ = 0
		share := math.Pow(mat.Norm(&along, 2)/mat.Norm(&d, 2), 2) / 3
		if share < 0.99 {
			t.Errorf("%s: %.3f of the squared error lies along the direction, want nearly all", name, share)
		}
	}
}

// With columns of unequal lengths, basis pursuit may not use the two columns that enclose x: here a short
// column is nearer to x than one of the used columns. With equal lengths it uses the enclosing columns.
func TestEnclosingColumns(t *testing.T) {
	sin, cos := math.Sincos(40 * math.Pi / 180)
	x := mat.NewDense(2, 1, []float64{0.6, 0.9}) // at 56 degrees
	for _, c := range []struct {
		length float64 // length of the column at 40 degrees
		used   [3]bool
	}{
		{0.1, [3]bool{true, true, false}},
		{1, [3]bool{false, true, true}},
	} {
		A := mat.NewDense(2, 3, []float64{1, 0, c.length * cos, 0, 1, c.length * sin})
		r, err := ica.Infer(t.Context(), A, x, nil)
		if err != nil {
			t.Fatal(err)
		}
		exact, err := pursuit.BasisPursuitEnumerate(A, mat.Col(nil, 0, x), nil)
		if err != nil {
			t.Fatal(err)
		}
		for j, want := range c.used {
			if got := math.Abs(r.S.At(j, 0)) > 1e-9; got != want || got != (math.Abs(exact.S[j]) > 1e-9) {
				t.Errorf("a column of length %g at 40 degrees: coefficient %d is %.4f (enumeration %.4f)", c.length, j+1, r.S.At(j, 0), exact.S[j])
			}
		}
	}
}
