package pca

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/internal/symeig"
	"overcomplete/kernel-helpers/internal/trial"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// cloud returns n points in d dimensions, with variances that fall as a power of the axis index. The points
// are rotated and shifted away from 0.
func cloud(n, d int, power float64, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 2))
	Z, T := mat.NewDense(n, d, nil), mat.NewDense(d, d, nil)
	for i := range n {
		for j := range d {
			Z.Set(i, j, rng.NormFloat64()*math.Pow(float64(j+1), -power))
		}
	}
	for i := range d {
		for j := range d {
			T.Set(i, j, rng.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(T)
	var Q, X mat.Dense
	qr.QTo(&Q)
	X.Mul(Z, Q.T())
	for i := range n {
		for j := range d {
			X.Set(i, j, X.At(i, j)+3+float64(j%5))
		}
	}
	return &X
}

func fit(t testing.TB, X mat.Matrix, o Options) *Model {
	t.Helper()
	m, err := Fit(t.Context(), X, &o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func maxDiff(A, B mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(A, B)
	return math.Max(mat.Max(&d), -mat.Min(&d))
}

// gaussian returns an n×d matrix of standard normal numbers.
func gaussian(n, d int, seed uint64) *mat.Dense {
	return trial.Normal(rand.New(rand.NewPCG(seed, 0xc057)), n, d, 1)
}

// distance returns ‖A − B‖_F.
func distance(A, B mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(A, B)
	return mat.Norm(&d, 2)
}

func gram(A *mat.Dense) *mat.Dense {
	var g mat.Dense
	g.Mul(A.T(), A)
	return &g
}

// gonum's stat.PC is the independent solver: a thin SVD.
func TestMethodsAgreeWithGonum(t *testing.T) {
	for _, c := range []struct{ n, d int }{{200, 30}, {30, 200}, {300, 120}, {120, 300}, {90, 90}, {2, 3}, {3, 1}} {
		X := cloud(c.n, c.d, 0.7, 1)
		var pc stat.PC
		if !pc.PrincipalComponents(X, nil) {
			t.Fatal("gonum")
		}
		vars := pc.VarsTo(nil)
		var V mat.Dense
		pc.VectorsTo(&V)
		full := min(c.n-1, c.d)
		for _, how := range []Method{Auto, ByCovariance, ByDual, BySVD} {
			for _, k := range []int{0, 1, (full + 1) / 2, full / 5} {
				m := fit(t, X, Options{Method: how, Components: k})
				if k == 0 {
					k = min(c.n, c.d)
				}
				if m.K() != k || m.Approximate || m.Residual > 1e-12 {
					t.Fatalf("%d×%d %v: %d axes (want %d), approximate %v, residual %g", c.n, c.d, how, m.K(), k, m.Approximate, m.Residual)
				}
				if e := maxDiff(gram(m.Components), eye(k)); e > 1e-12 {
					t.Errorf("%d×%d %v k=%d: axes are orthonormal to %g", c.n, c.d, how, k, e)
				}
				for i, v := range m.Variances() {
					if i < full && math.Abs(v-vars[i]) > 1e-12*vars[0] {
						t.Errorf("%d×%d %v: variance %d is %v, gonum's %v", c.n, c.d, how, i, v, vars[i])
						break
					}
				}
				if k = min(k, full); k > 0 && (k == full || vars[k-1]-vars[k] > 1e-4*vars[0]) {
					// The space of the first k axes.
					a := LargestAngle(m.Components.Slice(0, c.d, 0, k), V.Slice(0, c.d, 0, k))
					if a > 1e-6 {
						t.Errorf("%d×%d %v k=%d: %g degrees from gonum's", c.n, c.d, how, k, a)
					}
				}
			}
		}
	}
}

func TestIdentities(t *testing.T) {
	X := cloud(150, 40, 0.5, 2)
	m := fit(t, X, Options{})
	sum := 0.0
	for _, r := range m.ExplainedRatio() {
		sum += r
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("the shares sum to %v", sum)
	}
	C, err := center(t.Context(), X, m.Mean)
	if err != nil {
		t.Fatal(err)
	}
	if f := mat.Norm(C, 2); math.Abs(f*f-m.Total) > 1e-10*m.Total {
		t.Errorf("‖X̄‖² = %v, the total %v", f*f, m.Total)
	}
	part := fit(t, X, Options{Components: 25})
	for _, k := range []int{0, 1, 7, 25, 40} {
		loss := m.Loss(X, k)
		if d := m.DiscardedLoss(k); math.Abs(loss-d) > 1e-7*math.Sqrt(m.Total) {
			t.Errorf("k=%d: loss %v, discarded eigenvalues give %v", k, loss, d)
		}
		if k <= 25 {
			if d := part.DiscardedLoss(k); math.Abs(loss-d) > 1e-7*math.Sqrt(m.Total) {
				t.Errorf("k=%d of 25: loss %v, the total less eigenvalues gives %v", k, loss, d)
			}
		}
		if e := loss*loss/m.Total + m.Explained(k); math.Abs(e-1) > 1e-12 {
			t.Errorf("k=%d: loss and explained variance sum to %v", k, e)
		}
		if e := maxDiff(m.Project(X, k), m.Reconstruct(m.Scores(X).Slice(0, 150, 0, k))); k > 0 && e > 1e-12 {
			t.Errorf("k=%d: Project and Reconstruct differ by %g", k, e)
		}
	}
	// Scores equal UΣ and are uncorrelated.
	f, err := ThinSVD(C)
	if err != nil {
		t.Fatal(err)
	}
	var us mat.Dense
	us.Mul(f.U, f.Sigma())
	if e := maxDiff(&us, m.Scores(X)); e > 1e-10 {
		t.Errorf("scores differ from UΣ by %g", e)
	}
	if e := maxDiff(gram(m.Scores(X)), mat.NewDiagDense(40, m.Eigenvalues)); e > 1e-10*m.Total {
		t.Errorf("scores have a scatter that is not diagonal: %g", e)
	}
	for _, share := range []float64{0.01, 0.5, 0.9, 1} {
		k, err := m.Choose(share)
		if err != nil {
			t.Fatal(err)
		}
		if m.Explained(k) < share-1e-11 || k > 1 && m.Explained(k-1) >= share {
			t.Errorf("Choose(%v) = %d", share, k)
		}
	}
	if _, err := part.Choose(1); err == nil {
		t.Error("25 of 40 axes hold all the variance")
	}
}

// In the lecture's example, X has rows t(1, 2).
func TestLectureExample(t *testing.T) {
	X := mat.NewDense(4, 2, []float64{1, 2, 2, 4, -1, -2, -2, -4})
	for _, how := range []Method{ByCovariance, ByDual, BySVD} {
		m := fit(t, X, Options{Method: how})
		if math.Abs(m.Eigenvalues[0]-50) > 1e-12 || m.Eigenvalues[1] > 1e-13 {
			t.Errorf("%v: eigenvalues %v", how, m.Eigenvalues)
		}
		want := mat.NewDense(2, 1, []float64{1 / math.Sqrt(5), 2 / math.Sqrt(5)})
		if e := maxDiff(m.Components.Slice(0, 2, 0, 1), want); e > 1e-15*4 {
			t.Errorf("%v: axis %v", how, m.Axis(0))
		}
		if e := maxDiff(m.Project(X, 1), X); e > 1e-14 {
			t.Errorf("%v: one axis loses %g", how, e)
		}
	}
	S, err := Scatter(X)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(S, mat.NewSymDense(2, []float64{10, 20, 20, 40})) {
		t.Errorf("XᵀX = %v", mat.Formatted(S))
	}
}

func TestSigns(t *testing.T) {
	Q := mat.NewDense(3, 3, []float64{
		-0.5, 0.5 - 1e-12, 0,
		0.1, -0.5, -1,
		0.2, 0, 0.3,
	})
	symeig.Signs(Q)
	want := mat.NewDense(3, 3, []float64{
		0.5, 0.5 - 1e-12, 0,
		-0.1, -0.5, 1,
		-0.2, 0, -0.3,
	})
	if !mat.Equal(Q, want) {
		t.Errorf("got %v", mat.Formatted(Q))
	}
}

func TestMirrorOfData(t *testing.T) {
	// −X has the same axes as X, with the same signs.
	X := cloud(80, 70, 0.5, 3)
	var Y mat.Dense
	Y.Scale(-1, X)
	for _, how := range []Method{ByCovariance, ByDual, BySVD, ByRandom} {
		a, b := fit(t, X, Options{Method: how, Components: 5}), fit(t, &Y, Options{Method: how, Components: 5})
		if e := maxDiff(a.Components, b.Components); e > 1e-9 {
			t.Errorf("%v: axes of X and −X differ by %g", how, e)
		}
	}
}

// TestSmallSingularValues: all exact methods resolve s = 1, 1e-3, .., 1e-12.
func TestSmallSingularValues(t *testing.T) {
	for _, dims := range [][2]int{{60, 5}, {5, 60}, {300, 5}} {
		n, d := dims[0], dims[1]
		U, err := FullSVD(cloud(n, n, 0, 4))
		if err != nil {
			t.Fatal(err)
		}
		V, err := FullSVD(cloud(d, d, 0, 5))
		if err != nil {
			t.Fatal(err)
		}
		S := mat.NewDense(n, d, nil)
		for j := range min(n, d) {
			S.Set(j, j, math.Pow(10, -3*float64(j)))
		}
		var US, X mat.Dense
		US.Mul(U.U, S)
		X.Mul(&US, V.V.T())
		for _, how := range []Method{ByCovariance, ByDual, BySVD} {
			for _, k := range []int{4, 5} {
				m := fit(t, &X, Options{Method: how, Components: k, NoCenter: true})
				for j, s := range m.Singular {
					if e := math.Abs(s - S.At(j, j)); e > 1e-14+1e-8*S.At(j, j) {
						t.Errorf("%d×%d, %v, k = %d: s_%d is off by %g", n, d, how, k, j, e)
					}
					// The axis may turn by the rounding of X, relative to s_j.
					if a := math.Abs(mat.Dot(m.Components.ColView(j), V.V.ColView(j))); j < 4 && math.Sqrt(max(0, 1-a*a)) > 1e-14/S.At(j, j)+1e-7 {
						t.Errorf("%d×%d, %v, k = %d: axis %d has the cosine %v", n, d, how, k, j, a)
					}
				}
			}
		}
	}
}

// TestColumnInOtherUnits: with one column in a unit of its own, its axis is nearly a coordinate axis, and the other axes
// are nearly those of the other columns alone. (They differ by the square of the ratio of the units.)
func TestColumnInOtherUnits(t *testing.T) {
	for _, dims := range [][2]int{{200, 70}, {70, 200}} {
		n, d := dims[0], dims[1]
		X := cloud(n, d, 0.9, 7)
		rest := fit(t, residuals(X), Options{Method: BySVD})
		for _, factor := range []float64{1e4, 1e7, 1e10} {
			Y := mat.DenseCopyOf(X)
			for i := range n {
				Y.Set(i, 0, factor*X.At(i, 0))
			}
			for _, how := range []Method{Auto, ByCovariance, ByDual, BySVD} {
				for _, k := range []int{3, 20, 60} {
					m := fit(t, Y, Options{Method: how, Components: k})
					for j := 1; j < k; j++ {
						if got, want := m.Singular[j], rest.Singular[j-1]; math.Abs(got-want) > 1e-5*want {
							t.Errorf("%d×%d, column 0 times %g, %v: s_%d is %v, want %v", n, d, factor, how, j, got, want)
							break
						}
					}
				}
			}
		}
	}
}

// residuals returns the columns 1 to d−1 of X, centered, without what the centered column 0 explains of them.
func residuals(X *mat.Dense) *mat.Dense {
	n, d := X.Dims()
	R := mat.NewDense(n, d, nil)
	for j := range d {
		x := mat.Col(nil, j, X)
		floats.AddConst(-stat.Mean(x, nil), x)
		if j > 0 {
			first := mat.Col(nil, 0, R)
			floats.AddScaled(x, -floats.Dot(first, x)/floats.Dot(first, first), first)
		}
		R.SetCol(j, x)
	}
	return R.Slice(0, n, 1, d).(*mat.Dense)
}

func TestDualNullDirections(t *testing.T) {
	// 20 centered points span at most 19 dimensions; here only 3.
	rng := rand.New(rand.NewPCG(1, 1))
	A, B := trial.Normal(rng, 20, 3, 1), trial.Normal(rng, 3, 100, 1)
	var X mat.Dense
	X.Mul(A, B)
	m := fit(t, &X, Options{Method: ByDual})
	if e := maxDiff(gram(m.Components), eye(20)); e > 1e-12 {
		t.Errorf("axes are orthonormal to %g", e)
	}
	if r := m.Loss(&X, 3) / math.Sqrt(m.Total); r > 1e-7 {
		t.Errorf("rank 3, and three axes lose %g", r)
	}
	same := mat.NewDense(5, 9, nil)
	for i := range 5 {
		same.SetRow(i, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9})
	}
	for _, how := range []Method{ByDual, ByCovariance, BySVD, ByRandom} {
		m = fit(t, same, Options{Method: how})
		if m.Total != 0 || m.Explained(5) != 0 || maxDiff(gram(m.Components), eye(5)) > 1e-12 {
			t.Errorf("%v: equal points: %v", how, m)
		}
	}
}

func TestRandomised(t *testing.T) {
	X := cloud(400, 250, 1, 6)
	exact := fit(t, X, Options{Components: 20, Method: BySVD})
	m := fit(t, X, Options{Components: 20, Method: ByRandom, Seed: 5})
	if !m.Approximate {
		t.Error("in passes the axes are approximate")
	}
	// The loss is within a thousandth of the best loss, and never below it.
	best, got := exact.Loss(X, 20), m.Loss(X, 20)
	if got < best*(1-1e-12) || got > 1.001*best {
		t.Errorf("loss %v, best %v", got, best)
	}
	for i, l := range m.Eigenvalues {
		if l > exact.Eigenvalues[i]*(1+1e-10) {
			t.Errorf("Ritz value %d is above the eigenvalue", i)
		}
	}
	// More passes give less loss, and the same seed gives the same axes.
	worse := fit(t, X, Options{Components: 20, Method: ByRandom, Seed: 5, Passes: -1})
	if worse.Loss(X, 20) <= got {
		t.Error("no passes lose no more than four")
	}
	again := fit(t, X, Options{Components: 20, Method: ByRandom, Seed: 5})
	if !mat.Equal(again.Components, m.Components) {
		t.Error("the same seed gave other axes")
	}
	long := fit(t, X, Options{Components: 20, Method: ByRandom, Passes: 60})
	if a := LargestAngle(long.Components, exact.Components); a > 1e-5 {
		t.Errorf("60 passes: %g degrees from the exact space", a)
	}
}

func TestIncremental(t *testing.T) {
	X := cloud(230, 20, 0.4, 7)
	batch := fit(t, X, Options{})
	inc := NewIncremental(20)
	for from := 0; from < 230; from += 37 {
		if err := inc.PartialFit(t.Context(), X.Slice(from, min(from+37, 230), 0, 20)); err != nil {
			t.Fatal(err)
		}
	}
	m, err := inc.Model()
	if err != nil {
		t.Fatal(err)
	}
	if m.N != 230 || math.Abs(m.Total-batch.Total) > 1e-11*batch.Total {
		t.Errorf("n %d, total %v, want %v", m.N, m.Total, batch.Total)
	}
	for j := range m.Mean {
		if math.Abs(m.Mean[j]-batch.Mean[j]) > 1e-12 {
			t.Errorf("mean %d is %v, want %v", j, m.Mean[j], batch.Mean[j])
		}
	}
	if e := maxDiff(m.Components, batch.Components); e > 1e-9 {
		t.Errorf("with all axes kept they differ from the batch's by %g", e)
	}
	// With fewer axes, the incremental loss is slightly above the best loss, never below it.
	few := NewIncremental(4)
	for from := 0; from < 230; from += 10 {
		if err := few.PartialFit(t.Context(), X.Slice(from, from+10, 0, 20)); err != nil {
			t.Fatal(err)
		}
	}
	m, _ = few.Model()
	best, got := batch.Loss(X, 4), m.Loss(X, 4)
	if got < best*(1-1e-12) || got > 1.05*best {
		t.Errorf("four axes in blocks: loss %v, best %v", got, best)
	}
	if _, err := NewIncremental(2).Model(); err == nil {
		t.Error("a model of no data")
	}
}

func TestBadData(t *testing.T) {
	bad := mat.NewDense(3, 2, []float64{1, 2, 3, math.NaN(), 5, 6})
	for _, how := range []Method{ByCovariance, ByDual, BySVD, ByRandom} {
		if _, err := Fit(t.Context(), bad, &Options{Method: how}); err == nil || !strings.Contains(err.Error(), "X(1, 1) is NaN") {
			t.Errorf("%v: %v", how, err)
		}
	}
	bad.Set(1, 1, math.Inf(-1))
	if _, err := Fit(t.Context(), bad, nil); err == nil || !strings.Contains(err.Error(), "X(1, 1) is -Inf") {
		t.Errorf("got %v", err)
	}
	if _, err := Fit(t.Context(), &mat.Dense{}, nil); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("got %v", err)
	}
	if _, err := Fit(t.Context(), mat.NewDense(3, 2, nil), &Options{Components: 3}); err == nil {
		t.Error("three axes in the plane")
	}
	huge := mat.NewDense(2, 1, []float64{1e200, -1e200})
	if _, err := Fit(t.Context(), huge, nil); err == nil || !strings.Contains(err.Error(), "overflow") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Fit(ctx, cloud(10, 5, 0, 1), &Options{}); err == nil {
		t.Error("a cancelled context gave no error")
	}
	if r := panics.Value(func() { fit(t, cloud(10, 5, 0, 1), Options{}).Scores(mat.NewDense(2, 4, nil)) }); r == nil || !strings.HasPrefix(r.(string), "pca: ") {
		t.Errorf("panic %v", r)
	}
}

func TestOnePoint(t *testing.T) {
	for _, d := range []int{1, 3} {
		X := mat.NewDense(1, d, nil)
		X.Set(0, 0, 5)
		for _, how := range []Method{Auto, ByCovariance, ByDual, BySVD, ByRandom} {
			m := fit(t, X, Options{Method: how})
			if m.K() != 1 || m.Total != 0 || m.Eigenvalues[0] != 0 || math.Abs(mat.Norm(m.Components, 2)-1) > 1e-12 {
				t.Errorf("d=%d %v: %v, axis %v", d, how, m, m.Axis(0))
			}
			if e := maxDiff(m.Project(X, 1), X); e > 1e-14 {
				t.Errorf("d=%d %v: the point moves by %g", d, how, e)
			}
		}
	}
}

func TestInputStays(t *testing.T) {
	X := cloud(80, 90, 0.5, 8)
	before := mat.DenseCopyOf(X)
	for _, how := range []Method{ByCovariance, ByDual, BySVD, ByRandom} {
		m := fit(t, X, Options{Method: how, Components: 3})
		m.Scores(X)
		m.Loss(X, 2)
	}
	if !mat.Equal(X, before) {
		t.Error("X changed")
	}
}
