package regress

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/constant"
	"overcomplete/kernel-helpers/internal/trial"
)

// centeredExactly returns the columns of X minus their means (0 for constant columns), the means, and ỹ.
func centeredExactly(X *mat.Dense, y []float64) (columns [][]trial.Number, means []trial.Number, yc []trial.Number, ym trial.Number) {
	columns = trial.Columns(X)
	flat := constant.Columns(X)
	means = make([]trial.Number, len(columns))
	for j, c := range columns {
		columns[j], means[j] = trial.Centered(c)
		if flat[j] {
			for i := range c {
				columns[j][i] = trial.Of(0)
			}
		}
	}
	for _, v := range y {
		yc = append(yc, trial.Of(v))
	}
	yc, ym = trial.Centered(yc)
	return columns, means, yc, ym
}

// predictions returns Σ w_j x̃_j + ȳ, computed with all digits.
func predictions(columns [][]trial.Number, w []trial.Number, ym trial.Number) []float64 {
	p := make([]float64, len(columns[0]))
	for i := range p {
		s := trial.Of(0)
		for j, c := range columns {
			s = trial.Add(s, trial.Mul(w[j], c[i]))
		}
		p[i] = trial.Float(trial.Add(s, ym))
	}
	return p
}

// rounding returns a bound on the rounding error of w'x + b for each row. Since the residuals sum to 0, a rounding
// error of w at a far point also becomes an error of b, so the mean over the rows is added.
func rounding(X *mat.Dense, m *Linear) []float64 {
	n, d := X.Dims()
	e := make([]float64, n)
	for i := range n {
		e[i] = math.Abs(m.Intercept)
		for j := range d {
			e[i] += math.Abs(m.W[j] * X.At(i, j))
		}
		e[i] *= float64(d+2) * 0x1p-53
	}
	floats.AddConst(floats.Sum(e)/float64(n), e)
	return e
}

// quadratic returns ½w'Hw − g'w + Σ_j weight_j |w_j|.
func quadratic(H [][]trial.Number, g, weight, w []trial.Number) trial.Number {
	f := trial.Of(0)
	for j, row := range H {
		half := trial.Mul(trial.Of(0.5), trial.Dot(row, w))
		f = trial.Add(f, trial.Mul(w[j], trial.Sub(half, g[j])))
		f = trial.Add(f, trial.Mul(weight[j], trial.Of(math.Abs(trial.Float(w[j])))))
	}
	return f
}

// TestLaws: ridge and the lasso are solved equally well for any units and origins, with equal and constant features,
// and with a far point. The predictions of ridge agree with those computed with 400 binary digits. The lasso's Gap
// is at least the distance from the minimum, which the test finds by trying all signs of w. So is the gap that the Gram
// matrix proves.
func TestLaws(t *testing.T) {
	ctx := context.Background()
	refused := map[string]int{}
	worst, proved := 0.0, 0
	for seed := range uint64(trial.Count(300, 10000)) {
		rng := rand.New(rand.NewPCG(seed, 77))
		n, d := 5+rng.IntN(6), 1+rng.IntN(3)
		X, name := trial.Features(rng, n, d)
		y := make([]float64, n)
		for i := range y {
			y[i] = rng.NormFloat64() + math.Atan(X.At(i, 0))
		}
		columns, means, yc, ym := centeredExactly(X, y)
		G, c := trial.Gram(columns), make([]trial.Number, d)
		for j := range c {
			c[j] = trial.Dot(columns[j], yc)
		}
		yy := trial.Float(trial.Dot(yc, yc))
		spread := math.Sqrt(yy / float64(n))
		top := 0.0
		for j := range d {
			top = math.Max(top, math.Abs(trial.Float(c[j]))/float64(n))
		}
		compare := func(what string, m *Linear, right []float64) {
			noise := rounding(X, m)
			for i, p := range m.Predict(X) {
				e := math.Abs(p-right[i]) / (1e-6*spread + 2*noise[i])
				worst = math.Max(worst, e)
				if !(e < 1) {
					t.Errorf("seed %d, %d×%d, %s: %s: predictions[%d] is %v, want %v (noise %g)", seed, n, d, name, what, i, p, right[i], noise[i])
					return
				}
			}
		}
		size := 0.0 // the mean eigenvalue
		for j := range d {
			size += trial.Float(G[j][j]) / float64(d)
		}
		if size == 0 {
			continue
		}
		for _, alpha := range []float64{0, 1e-6 * size, size, 1} {
			H := make([][]trial.Number, d)
			for j := range H {
				for k := range H {
					H[j] = append(H[j], G[j][k])
				}
				H[j][j] = trial.Add(H[j][j], trial.Of(alpha))
			}
			w := trial.Solve(H, c)
			var right []float64
			if w != nil {
				right = predictions(columns, w, ym)
			}
			for kind, Z := range map[string]mat.Matrix{"dense": X, "sparse": csr.Of(X)} {
				what := fmt.Sprintf("ridge, %s, alpha %g", kind, alpha)
				m, err := FitRidge(ctx, Z, y, alpha)
				switch {
				case err != nil && alpha == 0:
					refused["least squares"]++
				case err != nil && alpha < 1e-24*size: // the documentation says that such solutions are lost
					refused["alpha lost"]++
				case err != nil || w == nil:
					t.Errorf("seed %d, %d×%d, %s: %s: %v", seed, n, d, name, what, err)
				default:
					compare(what, m, right)
				}
				if alpha > 0 {
					path, err := FitRidgePath(ctx, Z, y, []float64{alpha, 2 * alpha})
					if err != nil {
						if alpha < 1e-24*size {
							continue
						}
						t.Errorf("seed %d, %d×%d, %s: path, %s: %v", seed, n, d, name, what, err)
						continue
					}
					compare("path, "+what, path[0], right)
				}
			}
		}
		if top == 0 {
			continue
		}
		for _, share := range []float64{0.3, 1e-4} {
			for _, rho := range []float64{1, 0.5} {
				alpha := share * top
				H, g, weight := make([][]trial.Number, d), make([]trial.Number, d), make([]trial.Number, d)
				count := trial.Of(float64(n))
				for j := range H {
					for k := range H {
						H[j] = append(H[j], trial.Quo(G[j][k], count))
					}
					l2 := trial.Mul(trial.Of(alpha), trial.Of(1-rho))
					H[j][j] = trial.Add(H[j][j], l2)
					g[j], weight[j] = trial.Quo(c[j], count), trial.Of(alpha*rho)
				}
				f, _ := trial.Quadratic(H, g, weight, false)
				least := trial.Float(trial.Add(f, trial.Of(yy/2/float64(n))))
				for kind, Z := range map[string]mat.Matrix{"dense": X, "sparse": csr.Of(X)} {
					what := fmt.Sprintf("seed %d, %d×%d, %s: lasso, %s, alpha %g, share %g", seed, n, d, name, kind, alpha, rho)
					o := &LassoOptions{L1Ratio: rho}
					if rng.IntN(2) == 0 {
						o.MaxIterations = 1 + rng.IntN(20)
					}
					m, err := FitLasso(ctx, Z, y, alpha, o)
					if m == nil || err != nil && !errors.Is(err, ended.ErrNotConverged) {
						t.Errorf("%s: %v", what, err)
						continue
					}
					if err != nil && o.MaxIterations == 0 {
						refused["lasso"]++
						t.Logf("%s: %v, gap %g of %g", what, err, m.Gap, m.Objective)
					}
					// F at w and b, in all digits.
					w := make([]trial.Number, d)
					b := trial.Sub(trial.Of(m.Intercept), ym)
					penalty := trial.Of(0)
					for j := range w {
						w[j] = trial.Of(m.W[j])
						b = trial.Add(b, trial.Mul(w[j], means[j]))
						l1 := trial.Mul(trial.Of(alpha*rho), trial.Of(math.Abs(m.W[j])))
						l2 := trial.Mul(trial.Of(alpha*(1-rho)/2), trial.Mul(w[j], w[j]))
						penalty = trial.Add(penalty, trial.Add(l1, l2))
					}
					rest := make([]trial.Number, n)
					for i := range rest {
						rest[i] = trial.Sub(yc[i], b)
						for j := range w {
							rest[i] = trial.Sub(rest[i], trial.Mul(w[j], columns[j][i]))
						}
					}
					own := trial.Float(trial.Add(penalty, trial.Quo(trial.Dot(rest, rest), trial.Of(2*float64(n)))))
					e := 0.0 // of b
					for _, v := range rounding(X, &m.Linear) {
						e = math.Max(e, v)
					}
					noise := 1e-13*(own+yy/float64(n)) + e*(e+math.Sqrt(own))
					if !(math.Abs(own-m.Objective) <= 1e-9*own+noise) {
						t.Errorf("%s: Objective is %v, the model has %v", what, m.Objective, own)
					}
					if own-least > m.Gap+noise || m.Objective-m.Gap > least+noise {
						t.Errorf("%s: gap %v, distance from the minimum %v, objective %v, least %v", what, m.Gap, own-least, m.Objective, least)
					}
					if G := newGram(ctx, X, y, nil); G != nil && kind == "dense" {
						// The bound that allows for the rounding errors of the Gram matrix, at the best intercept.
						above := trial.Float(trial.Sub(quadratic(H, g, weight, w), f))
						if _, gap := G.provedGap(m.W, alpha*rho, alpha*(1-rho)); above > gap {
							t.Errorf("%s: F is %v above its minimum, the Gram matrix says at most %v", what, above, gap)
						} else if gap < 1e-6*yy/2/float64(n) {
							proved++
						}
					}
					if m.Objective > yy/2/float64(n)+noise {
						t.Errorf("%s: objective %v, that of w = 0 is %v", what, m.Objective, yy/2/float64(n))
					}
				}
			}
		}
	}
	t.Logf("worst %g of the limit, refused: %v; %d gaps proved from Gram matrices", worst, refused, proved)
	if proved < 1000 {
		t.Errorf("only %d gaps are proved from Gram matrices", proved)
	}
}
