package sparseapprox

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
)

// longer returns B stacked on √μ I, and X stacked on zeros. The lasso for these matrices is the elastic net for B and
// X.
func longer(B, X *mat.Dense, mu float64) (*mat.Dense, *mat.Dense) {
	d, n := B.Dims()
	_, N := X.Dims()
	B2, X2 := mat.NewDense(d+n, n, nil), mat.NewDense(d+n, N, nil)
	B2.Slice(0, d, 0, n).(*mat.Dense).Copy(B)
	X2.Slice(0, d, 0, N).(*mat.Dense).Copy(X)
	for j := range n {
		B2.Set(d+j, j, math.Sqrt(mu))
	}
	return B2, X2
}

// With every method, the elastic net equals the lasso of the longer problem, which has no ridge. It also meets the
// optimality conditions of the elastic net itself.
func TestElasticNet(t *testing.T) {
	for _, size := range [][2]int{{8, 20}, {20, 8}} {
		B, X := problem(size[0], size[1], 6, 41)
		for _, mu := range []float64{1e-3, 0.2, 5} {
			B2, X2 := longer(B, X, mu)
			for _, prior := range []Prior{L1, L1NonNegative} {
				want := solve(t, B2, X2, Options{Prior: prior, Lambda: 0.05, Tolerance: 1e-12})
				for _, m := range []Method{Auto, CoordinateDescent, FeatureSign, LARS, FISTA} {
					name := fmt.Sprintf("%v, μ %v, %v by %v", size, mu, prior, m)
					r := solve(t, B, X, Options{Prior: prior, Lambda: 0.05, Ridge: mu, Method: m, Tolerance: 1e-12, MaxIterations: 100000})
					if d := largestDifference(r.W, want.W); d > 1e-5 {
						t.Errorf("%s: w is off by %g", name, d)
					}
					for k, f := range r.Objective {
						if math.Abs(f-want.Objective[k]) > 1e-10*f || r.Gap[k] > 2e-12*f {
							t.Errorf("%s: objective %v, gap %g; longer %v", name, f, r.Gap[k], want.Objective[k])
						}
						plain := objective(B, X, r.W, k, 0.05, func(v float64) float64 { return math.Abs(v) + mu/2/0.05*v*v })
						if math.Abs(f-plain) > 1e-12*(1+f) {
							t.Errorf("%s: objective %v, by hand %v", name, f, plain)
						}
					}
				}
			}
		}
	}
}

// The path at a fixed μ agrees with single solutions. For an orthonormal B it is soft(c, λ)/(1 + μ).
func TestElasticNetPath(t *testing.T) {
	B, X := problem(8, 20, 1, 42)
	c, err := NewCoder(B, &Options{Lambda: 1, Ridge: 0.3})
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Path(mat.Col(nil, 0, X), 0.01)
	if err != nil {
		t.Fatal(err)
	}
	for _, lambda := range []float64{0.5, 0.1, 0.02} {
		d, err := c.With(&Options{Lambda: lambda, Ridge: 0.3, Tolerance: 1e-12})
		if err != nil {
			t.Fatal(err)
		}
		r, err := d.Code(t.Context(), X)
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range p.At(lambda) {
			if math.Abs(v-r.W.At(j, 0)) > 1e-8 {
				t.Errorf("λ %v, atom %d: %v on the path, %v", lambda, j, v, r.W.At(j, 0))
			}
		}
		other, err := c.With(&Options{Lambda: lambda, Tolerance: 1e-12}) // another μ, so G cannot be reused
		if err != nil {
			t.Fatal(err)
		}
		lasso, err := other.Code(t.Context(), X)
		if err != nil {
			t.Fatal(err)
		}
		if plain := solve(t, B, X, Options{Lambda: lambda, Tolerance: 1e-12}); math.Abs(lasso.Objective[0]-plain.Objective[0]) > 1e-12 {
			t.Errorf("λ %v: With keeps the ridge: %v, want %v", lambda, lasso.Objective[0], plain.Objective[0])
		}
	}
	I := mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	r := solve(t, I, mat.NewDense(3, 1, []float64{2, -0.4, -3}), Options{Lambda: 0.5, Ridge: 1})
	for j, want := range []float64{0.75, 0, -1.25} {
		if math.Abs(r.W.At(j, 0)-want) > 1e-12 {
			t.Errorf("w[%d] is %v, want %v", j, r.W.At(j, 0), want)
		}
	}
}

func TestElasticNetAgainstSklearn(t *testing.T) {
	py := peer.Start(t, 1, `
from sklearn.linear_model import ElasticNet
def net(B, x, lam, mu):
    m = len(x)
    e = ElasticNet(alpha=(lam + mu) / m, l1_ratio=lam / (lam + mu), fit_intercept=False, tol=1e-12, max_iter=100000)
    return e.fit(B, x).coef_
`, "sklearn")
	B, X := problem(12, 30, 4, 43)
	py.Array("B", B)
	py.Array("X", X)
	r := solve(t, B, X, Options{Lambda: 0.07, Ridge: 0.4, Tolerance: 1e-12})
	for k := range 4 {
		for j, want := range py.Floats(fmt.Sprintf("net(B, X[:,%d], 0.07, 0.4)", k)) {
			if math.Abs(r.W.At(j, k)-want) > 1e-7 {
				t.Errorf("w[%d,%d] is %v, scikit-learn has %v", j, k, r.W.At(j, k), want)
			}
		}
	}
}

// A pursuit that cannot reach MaxError reports the failure; a pursuit for a given number of atoms succeeds.
func TestPursuitMissesError(t *testing.T) {
	B := mat.NewDense(3, 2, []float64{1, 0, 0, 1, 0, 0})
	X := mat.NewDense(3, 2, []float64{1, 1, 1, 1, 0.5, 0}) // the error of the first signal is at least ½
	r, err := Solve(t.Context(), B, X, &Options{Prior: L0, MaxError: 0.1})
	if err == nil || !errors.Is(err, ended.ErrNotConverged) || r == nil || r.Signals[0] != ended.NoProgress || r.Signals[1] != ended.Greedy || r.W.At(0, 0) != 1 {
		t.Errorf("%v, %v", r, err)
	}
	if r := solve(t, B, X, Options{Prior: L0, MaxError: 0.5}); r.Status != ended.Greedy {
		t.Errorf("within reach: %v", r)
	}
	if r := solve(t, B, X, Options{Prior: L0, MaxError: 0.1, Nonzeros: 1}); r.Status != ended.Greedy {
		t.Errorf("one atom as asked: %v", r)
	}
}

// Orthogonal matching pursuit selects the same atoms as scikit-learn's, with the same coefficients.
func TestPursuitAgainstSklearn(t *testing.T) {
	py := peer.Start(t, 1, "from sklearn.linear_model import orthogonal_mp", "sklearn")
	B, X := problem(20, 40, 12, 44)
	py.Array("B", B)
	py.Array("X", X)
	for _, k := range []int{1, 3, 8} {
		r := solve(t, B, X, Options{Prior: L0, Nonzeros: k})
		want := mat.NewDense(40, 12, py.Floats(fmt.Sprintf("orthogonal_mp(B, X, n_nonzero_coefs=%d).ravel()", k)))
		if d := largestDifference(r.W, want); d > 1e-9 {
			t.Errorf("%d atoms: off by %g", k, d)
		}
	}
	r := solve(t, B, X, Options{Prior: L0, MaxError: 0.3})
	want := mat.NewDense(40, 12, py.Floats("orthogonal_mp(B, X, tol=0.3**2).ravel()"))
	if d := largestDifference(r.W, want); d > 1e-9 {
		t.Errorf("to an error: off by %g", d)
	}
}
