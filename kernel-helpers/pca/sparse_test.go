package pca

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
)

// counts returns word counts of n documents, d words. Four in five of a document's words are from its topic.
// Word 0 occurs twice in each document, word 1 in no document, and word 2 at least once in each document.
func counts(n, d, topics, words int, seed uint64) *csr.Matrix {
	rng := rand.New(rand.NewPCG(seed, 7))
	var row, col []int
	var val []float64
	add := func(i, j int, v float64) { row, col, val = append(row, i), append(col, j), append(val, v) }
	for i := range n {
		add(i, 0, 2)
		add(i, 2, 1+float64(i%2))
		for range words {
			j := rng.IntN(d - 3)
			if rng.IntN(5) > 0 {
				j = j/topics*topics + i%topics
			}
			add(i, 3+min(j, d-4), 1)
		}
	}
	S, err := csr.FromTriplets(n, d, row, col, val)
	if err != nil {
		panic(err)
	}
	return S
}

// A sparse matrix and its dense copy give the same model, up to rounding.
func TestSparse(t *testing.T) {
	for _, shape := range [][2]int{{300, 120}, {90, 400}} {
		S := counts(shape[0], shape[1], 4, 30, 1)
		X := S.Dense()
		for _, raw := range []bool{false, true} {
			exact := fit(t, X, Options{Components: 5, Method: BySVD, NoCenter: raw})
			full := fit(t, X, Options{Components: 5, Method: ByRandom, NoCenter: raw, Seed: 3, Passes: 40})
			m := fit(t, S, Options{Components: 5, NoCenter: raw, Seed: 3, Passes: 40})
			if m.Method != ByRandom || !m.Approximate {
				t.Errorf("the method is %v", m)
			}
			if math.Abs(m.Total-exact.Total) > 1e-12*exact.Total || maxDiff(mat.NewDense(1, m.D, m.Mean), mat.NewDense(1, m.D, exact.Mean)) > 1e-15 {
				t.Errorf("%v: the total is %v, of the dense matrix %v", shape, m.Total, exact.Total)
			}
			for i, l := range m.Eigenvalues {
				if math.Abs(l-full.Eigenvalues[i]) > 1e-11*l {
					t.Errorf("%v: λ_%d is %v, of the dense matrix %v", shape, i+1, l, full.Eigenvalues[i])
				}
				if math.Abs(l-exact.Eigenvalues[i]) > 1e-5*l {
					t.Errorf("%v: λ_%d is %v, by the SVD %v", shape, i+1, l, exact.Eigenvalues[i])
				}
			}
			if e := maxDiff(m.Components, full.Components); e > 1e-8 {
				t.Errorf("%v: the axes differ from those of the dense matrix by %.2g", shape, e)
			}
			// The topics span three axes, four with the mean, well above the noise.
			if e := LargestAngle(m.Components.Slice(0, m.D, 0, 3), exact.Components.Slice(0, m.D, 0, 3)); e > 1e-4 {
				t.Errorf("%v: the first axes are %.2g from those by the SVD", shape, e)
			}
			if e := maxDiff(m.Scores(S), m.Scores(X)); e > 1e-12 {
				t.Errorf("%v: the scores differ by %.2g", shape, e)
			}
			for _, k := range []int{0, 2, 5} {
				if a, b := m.Loss(S, k), m.Loss(X, k); math.Abs(a-b) > 1e-11*b {
					t.Errorf("%v: the loss on %d axes is %v, of the dense matrix %v", shape, k, a, b)
				}
			}
		}
	}
}

// TestSparseMethods: the other methods make a dense copy, and so does Auto if many axes are
// wanted.
func TestSparseMethods(t *testing.T) {
	S := counts(90, 80, 4, 20, 2)
	for _, o := range []Options{{Method: ByCovariance, Components: 3}, {Method: ByDual, Components: 3}, {}, {Components: 9}} {
		m, want := fit(t, S, o), fit(t, S.Dense(), o)
		if m.Method != want.Method || !mat.Equal(m.Components, want.Components) {
			t.Errorf("%+v: %v, of the dense matrix %v", o, m, want)
		}
	}
}

// TestSparseLarge fits a matrix that would take 40 GB if dense.
func TestSparseLarge(t *testing.T) {
	S := counts(100_000, 50_000, 3, 3, 3)
	m := fit(t, S, Options{Components: 2, Passes: 3, Oversample: 2})
	Z := m.Scores(S)
	s := 0.0
	for i := range m.N {
		s += Z.At(i, 0) * Z.At(i, 0)
	}
	// The scores of all axes are centered and have the sum of squares λ.
	if math.Abs(s-m.Eigenvalues[0]) > 1e-9*s {
		t.Errorf("the scores have the sum of squares %v, λ_1 is %v", s, m.Eigenvalues[0])
	}
	// The deviations of word 2, ±½, are far larger than those of the other words.
	if math.Abs(m.Axis(0)[2]-1) > 1e-3 || math.Abs(m.Eigenvalues[0]/25_000-1) > 0.01 {
		t.Errorf("axis 1 has %v of word 2 and λ = %v", m.Axis(0)[2], m.Eigenvalues[0])
	}
}

func TestSparseScale(t *testing.T) {
	S := counts(100, 90, 3, 10, 4)
	want := fit(t, S, Options{Components: 3})
	X := S.Dense()
	for _, c := range []float64{0x1p480, 0x1p-480} {
		var Y mat.Dense
		Y.Scale(c, X)
		m := fit(t, csr.Of(&Y), Options{Components: 3})
		if !mat.Equal(m.Components, want.Components) || m.Eigenvalues[0] != want.Eigenvalues[0]*c*c {
			t.Errorf("of data times %g the axes differ", c)
		}
	}
	// Points that are all equal have no variance, to the bit.
	X = mat.NewDense(80, 70, nil)
	for i := range 80 {
		X.Set(i, 3, 0.1)
		X.Set(i, 60, 1e6/3.0)
	}
	if m := fit(t, csr.Of(X), Options{Components: 2}); m.Total != 0 || m.Eigenvalues[0] != 0 || m.Method != ByRandom {
		t.Errorf("equal points: total %v, λ_1 %v", m.Total, m.Eigenvalues[0])
	}
}

func TestSparseRefuses(t *testing.T) {
	X := counts(80, 70, 3, 10, 5).Dense()
	with := func(v float64) *csr.Matrix {
		Y := mat.DenseCopyOf(X)
		Y.Set(7, 5, v)
		return csr.Of(Y)
	}
	var tiny mat.Dense
	tiny.Scale(1e-170, X)
	for _, c := range []struct {
		X    mat.Matrix
		want string
	}{
		{(*csr.Matrix)(nil), "X is nil"},
		{&csr.Matrix{}, "X is empty"},
		{with(math.NaN()), "X(7, 5) is NaN"},
		{with(math.Inf(-1)), "X(7, 5) is -Inf"},
		{with(1e200), "overflow"},
		{csr.Of(&tiny), "underflow"},
	} {
		for _, raw := range []bool{false, true} {
			if _, err := Fit(t.Context(), c.X, &Options{Components: 2, NoCenter: raw}); err == nil || !strings.HasPrefix(err.Error(), "pca: Fit: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		}
	}
	m := fit(t, csr.Of(X), Options{Components: 2})
	for want, f := range map[string]func(){
		"pca: Scores: X(7, 5) is NaN":                       func() { m.Scores(with(math.NaN())) },
		"pca: Loss: X(7, 5) is NaN":                         func() { m.Loss(with(math.NaN()), 1) },
		"pca: Scores: X is 1×3, the model has dimension 70": func() { m.Scores(csr.Of(mat.NewDense(1, 3, nil))) },
	} {
		if got := fmt.Sprint(panics.Value(f)); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}

// Probabilistic PCA of a sparse matrix equals that of its dense copy, up to rounding.
func TestSparseProbabilistic(t *testing.T) {
	S := counts(60, 40, 4, 12, 5)
	X := S.Dense()
	o := &EMOptions{MaxIterations: 30, Tolerance: 1e-300, Seed: 2}
	want, err := FitProbabilisticEM(t.Context(), X, 3, o)
	if ended.Accept(err) != nil {
		t.Fatal(err)
	}
	p, err := FitProbabilisticEM(t.Context(), S, 3, o)
	if ended.Accept(err) != nil {
		t.Fatal(err)
	}
	if len(p.History) != 31 || len(want.History) != 31 {
		t.Fatalf("%d and %d steps, must be 30", len(p.History)-1, len(want.History)-1)
	}
	for i, l := range p.History {
		if math.Abs(l-want.History[i]) > 1e-10*math.Abs(l) {
			t.Fatalf("step %d: the log likelihood is %v, of the dense matrix %v", i, l, want.History[i])
		}
	}
	if math.Abs(p.Sigma2-want.Sigma2) > 1e-9*want.Sigma2 || maxDiff(p.W, want.W) > 1e-8 {
		t.Errorf("σ² is %v, of the dense matrix %v; W differs by %.2g", p.Sigma2, want.Sigma2, maxDiff(p.W, want.W))
	}
	closed, err := FitProbabilistic(t.Context(), S, 3)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = FitProbabilisticEM(t.Context(), S, 3, &EMOptions{MaxIterations: 2000, Seed: 2}); err != nil {
		t.Fatal(err)
	}
	if off := closed.LogLikelihood - p.LogLikelihood; off < -1e-9*math.Abs(p.LogLikelihood) || off > 1e-6*math.Abs(p.LogLikelihood) {
		t.Errorf("EM ends at %v, the maximum is %v", p.LogLikelihood, closed.LogLikelihood)
	}
	if a, b := closed.LogDensity(S), closed.LogDensity(X); math.Abs(a-b) > 1e-12*math.Abs(b) {
		t.Errorf("the log density is %v, of the dense matrix %v", a, b)
	}
	if e := maxDiff(closed.Posterior(S), closed.Posterior(X)); e > 1e-12 {
		t.Errorf("the posterior means differ by %.2g", e)
	}
	if e := maxDiff(closed.Project(S), closed.Project(X)); e > 1e-12 {
		t.Errorf("the projections differ by %.2g", e)
	}
	val := slices.Repeat([]float64{1}, 3)
	val[2] = math.NaN()
	bad, err := csr.New(3, 40, []int{0, 1, 2, 3}, []int{0, 1, 2}, val)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := FitProbabilisticEM(t.Context(), bad, 2, nil); err == nil || err.Error() != "pca: FitProbabilisticEM: X(2, 2) is NaN" {
		t.Error(err)
	}
	if err := NewIncremental(2).PartialFit(t.Context(), bad); err == nil || err.Error() != "pca: PartialFit: X(2, 2) is NaN" {
		t.Error(err)
	}
}

// Blocks of sparse rows give the same axes as dense blocks. For rank k these are the axes of all data at
// once; for a higher rank they are approximate.
func TestSparseIncremental(t *testing.T) {
	S := counts(240, 150, 4, 30, 6)
	low := lowRankCounts(240, 150, 4)
	for name, c := range map[string]struct {
		S *csr.Matrix
		k int
	}{"of full rank": {S, 6}, "of rank 4": {low, 5}} {
		inc, plain := NewIncremental(c.k), NewIncremental(c.k)
		for from := 0; from < 240; from += 60 {
			rows := make([]int, 60)
			for r := range rows {
				rows[r] = from + r
			}
			B := c.S.Rows(rows)
			if err := inc.PartialFit(t.Context(), B); err != nil {
				t.Fatal(err)
			}
			if err := plain.PartialFit(t.Context(), B.Dense()); err != nil {
				t.Fatal(err)
			}
		}
		m, _ := inc.Model()
		want, _ := plain.Model()
		if m.N != want.N || math.Abs(m.Total-want.Total) > 1e-12*want.Total || maxDiff(mat.NewDense(1, m.D, m.Mean), mat.NewDense(1, m.D, want.Mean)) > 1e-14 {
			t.Errorf("%s: %v, of the dense matrix %v", name, m, want)
		}
		for i, l := range m.Eigenvalues {
			if math.Abs(l-want.Eigenvalues[i]) > 1e-11*want.Eigenvalues[0] {
				t.Errorf("%s: λ_%d is %v, of the dense matrix %v", name, i+1, l, want.Eigenvalues[i])
			}
		}
		three := func(m *Model) mat.Matrix { return m.Components.Slice(0, m.D, 0, 3) }
		if e := LargestAngle(three(m), three(want)); e > 1e-5 {
			t.Errorf("%s: the first axes are %.2g degrees from those of the dense matrix", name, e)
		}
		var Q mat.Dense
		Q.Mul(m.Components.T(), m.Components)
		if e := maxDiff(&Q, eye(c.k)); e > 1e-12 {
			t.Errorf("%s: QᵀQ is off by %.2g", name, e)
		}
		if name == "of rank 4" {
			all := fit(t, c.S.Dense(), Options{Components: 3, Method: BySVD})
			if e := LargestAngle(three(m), three(all)); e > 1e-5 {
				t.Errorf("the axes of blocks are %.2g degrees from those of all", e)
			}
		}
	}
}

// lowRankCounts returns n rows of r kinds. Their deviations have rank r − 1.
func lowRankCounts(n, d, r int) *csr.Matrix {
	kinds := counts(r, d, 2, d/4, 9)
	idx := make([]int, n)
	for i := range idx {
		idx[i] = (i * i) % r
		if i%5 == 0 {
			idx[i] = i / 5 % r
		}
	}
	return kinds.Rows(idx)
}

// TestSparseLargeBlocks uses a matrix that would take 16 GB if dense, and so would X̄.
func TestSparseLargeBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 2 s: not in -short")
	}
	S := counts(40_000, 50_000, 3, 3, 3)
	em, err := FitProbabilisticEM(t.Context(), S, 2, &EMOptions{MaxIterations: 8})
	if ended.Accept(err) != nil {
		t.Fatal(err)
	}
	// The deviations of word 2, ±½, are far larger than those of the other words.
	e2 := mat.NewVecDense(50_000, nil)
	e2.SetVec(2, 1)
	if a := LargestAngle(e2, em.W); a > 5 {
		t.Errorf("W is %.2g degrees from the direction of most variance", a)
	}
	inc := NewIncremental(2)
	for from := 0; from < 1000; from += 250 {
		rows := make([]int, 250)
		for r := range rows {
			rows[r] = from + r
		}
		if err := inc.PartialFit(t.Context(), S.Rows(rows)); err != nil {
			t.Fatal(err)
		}
	}
	m, err := inc.Model()
	if err != nil {
		t.Fatal(err)
	}
	if m.Axis(0)[2] < 0.99 || math.Abs(m.Eigenvalues[0]/250-1) > 0.02 { // of 1,000 points
		t.Errorf("axis 1 has %v of word 2 and λ = %v", m.Axis(0)[2], m.Eigenvalues[0])
	}
}
