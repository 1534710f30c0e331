package regress

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
)

// The elastic net agrees with scikit-learn's, for narrow and wide, dense and sparse data.
func TestElasticNetAgainstSklearn(t *testing.T) {
	py := peer.Start(t, 1, `
from sklearn.linear_model import ElasticNet
def net(X, y, a, r):
    m = ElasticNet(alpha=a, l1_ratio=r, tol=1e-13, max_iter=100000).fit(X, y.ravel())
    return list(m.coef_) + [m.intercept_]
`, "sklearn")
	for _, size := range [][2]int{{60, 12}, {20, 50}} {
		X, y := cloud(size[0], size[1], 0.7, 3)
		py.Array("X", X)
		py.Array("y", mat.NewDense(len(y), 1, y))
		for _, ratio := range []float64{0.9, 0.5, 0.05} {
			want := py.Floats(fmt.Sprintf("net(X, y, 0.1, %v)", ratio))
			for name, Z := range map[string]mat.Matrix{"dense": X, "sparse": csr.Of(X)} {
				m, err := FitLasso(t.Context(), Z, y, 0.1, &LassoOptions{L1Ratio: ratio, Tolerance: 1e-13})
				if err != nil || m.Status != ended.Converged {
					t.Fatal(err, m)
				}
				if d := floats.Distance(append(m.W, m.Intercept), want, math.Inf(1)); d > 1e-6 {
					t.Errorf("%v, %s, ratio %v: off by %g", size, name, ratio, d)
				}
			}
		}
	}
}

// Objective and Gap agree with their definitions: the gap bounds the distance from the minimum, which the test finds by
// a second fit, up to rounding. Two equal features share their weight. The path starts at w = 0.
func TestElasticNet(t *testing.T) {
	X, y := cloud(40, 12, 0.7, 4)
	X.SetCol(1, mat.Col(nil, 0, X))
	best, err := FitLasso(t.Context(), X, y, 0.05, &LassoOptions{L1Ratio: 0.5, Tolerance: 1e-14})
	if err != nil || best.Status != ended.Converged {
		t.Fatal(err, best)
	}
	if best.W[0] == 0 || math.Abs(best.W[0]-best.W[1]) > 1e-6 {
		t.Errorf("equal features have the weights %v and %v", best.W[0], best.W[1])
	}
	for _, tol := range []float64{1e-1, 1e-2, 1e-4} {
		m, err := FitLasso(t.Context(), X, y, 0.05, &LassoOptions{L1Ratio: 0.5, Tolerance: tol})
		if err != nil {
			t.Fatal(err)
		}
		f := 0.0
		for i, p := range m.Predict(X) {
			f += (y[i] - p) * (y[i] - p) / 80
		}
		f += 0.05*0.5*floats.Norm(m.W, 1) + 0.05*0.5*floats.Dot(m.W, m.W)/2
		if math.Abs(f-m.Objective) > 1e-12*f || f-best.Objective > m.Gap+1e-12 || m.Gap < 0 {
			t.Errorf("tolerance %g: objective %v, by hand %v, gap %g, minimum %v", tol, m.Objective, f, m.Gap, best.Objective)
		}
	}
	path, err := FitLassoPath(t.Context(), X, y, nil, &LassoOptions{L1Ratio: 0.5, Count: 10})
	if err != nil {
		t.Fatal(err)
	}
	top, err := AlphaMax(X, y)
	if err != nil || math.Abs(path[0].Alpha-2*top) > 1e-12*top || path[0].Active != 0 || path[1].Active == 0 {
		t.Errorf("the path begins at %v with %d nonzeros, then %d; AlphaMax is %v (%v)", path[0].Alpha, path[0].Active, path[1].Active, top, err)
	}
	for _, ratio := range []float64{-0.1, 1.1, math.NaN()} {
		if _, err := FitLasso(t.Context(), X, y, 0.05, &LassoOptions{L1Ratio: ratio}); err == nil || !strings.HasPrefix(err.Error(), "regress: FitLasso: L1Ratio is ") {
			t.Errorf("ratio %v: %v", ratio, err)
		}
		if _, err := LassoCV(t.Context(), X, y, nil, &LassoOptions{L1Ratio: ratio}); err == nil || !strings.HasPrefix(err.Error(), "regress: LassoCV: L1Ratio is ") {
			t.Errorf("ratio %v: %v", ratio, err)
		}
	}
}
