package iconframework

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/mnist"
	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/icon"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/paper/internal/labtest"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/record"
)

// smokeLab returns a lab in a temporary folder.
func smokeLab(t *testing.T) *Lab { return &Lab{Lab: labtest.Smoke(t, Paper)} }

func TestIdentities(t *testing.T) {
	patience.SkipShort(t, "it fits the same in two ways")
	labtest.NoData(t)
	l := smokeLab(t)
	l.Loss()
	table := l.Methods()
	if n := len(l.examples()); n != len(table) {
		t.Errorf("%d examples for the %d methods of the table", n, len(table))
	}
	if n := len(l.Instances()); n != 9 {
		t.Errorf("%d methods", n)
	}
	l.KMeansLoss()
	l.Collapse()
	labtest.Want(t, l.Lab, map[string]record.Verdict{
		"instance-t-sne":    record.Partial,
		"instance-k-means":  record.Partial,
		"k-means-same-best": record.NotReproduced,
		"universal":         record.Partial,
	})
}

func TestDigits(t *testing.T) {
	patience.SkipShort(t, "it trains networks")
	labtest.NoData(t)
	l := smokeLab(t)
	if l.Digits().Real {
		t.Fatal("real digits, without a folder of data")
	}
	l.Neighbours()
	l.Augmentations()
	if f := l.Contrast(); len(f) != 3 {
		t.Errorf("%d kinds of features", len(f))
	}
	l.Embeddings()
	l.Matrices()
	if c := l.KMeans(); len(c) != 2 {
		t.Errorf("%d clusterings", len(c))
	}
	if l.Clusters() == nil || l.ContrastLoss() == nil {
		t.Error("no figure")
	}
	if g := l.Scale(); len(g) != 2 {
		t.Errorf("%d maps", len(g))
	}
	l.Map()
	l.Factorisations()
	labtest.Want(t, l.Lab, nil)
}

// If MNIST is available, the digits are MNIST's, and the rows say so.
func TestReal(t *testing.T) {
	if _, err := mnist.Load(); errors.Is(err, data.ErrAbsent) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	l := smokeLab(t)
	l.Map()
	if r := l.Rows()[0]; r.Data.Generated || r.Verdict != record.Reproduced {
		t.Errorf("%+v", r)
	}
	if d := l.Digits(); !d.Real || d.data().Name != "150 digits of MNIST" {
		t.Errorf("%v, real %v", d.data(), d.Real)
	}
}

// TestFormulas checks the gradients of the formulas by central differences.
func TestFormulas(t *testing.T) {
	const n = 9
	X := icon.Normal(n, 4, 1, 1)
	P := conditional(X, 3)
	labels := []int{0, 1, 2, 0, 1, 2, 0, 1, 2}
	positive := func(r int, seed uint64) *mat.Dense {
		M := icon.Normal(r, 2, 1, seed)
		M.Apply(func(_, _ int, v float64) float64 { return 0.2 + math.Abs(v) }, M)
		return M
	}
	V := positive(4, 4)
	A := mat.NewDense(n, 4, nil)
	A.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, X)
	positives := [][]int{{3, 6}, {4}, {5, 8}, {0, 6}, {7}, {2, 8}, {0, 3}, {1, 4}, {2}}
	for _, c := range []struct {
		name string
		at   *mat.Dense
		f    func(Y *mat.Dense) (float64, *mat.Dense)
	}{
		{"sne", icon.Normal(n, 2, 1, 2), func(Y *mat.Dense) (float64, *mat.Dense) { return sne(P, Y) }},
		{"studentByRows", icon.Normal(n, 2, 1, 2), func(Y *mat.Dense) (float64, *mat.Dense) { return studentByRows(P, Y) }},
		{"student", icon.Normal(n, 2, 1, 2), func(Y *mat.Dense) (float64, *mat.Dense) { return student(P, Y) }},
		{"contrastive", icon.Normal(n, 3, 1, 2), func(Z *mat.Dense) (float64, *mat.Dense) { return contrastive(Z, positives, 0.4) }},
		{"logistic", icon.Normal(4, 3, 1, 2), func(W *mat.Dense) (float64, *mat.Dense) { return logistic(X, W, labels) }},
		{"scatterAlong", icon.Normal(4, 2, 1, 2), func(W *mat.Dense) (float64, *mat.Dense) { return scatterAlong(X, W) }},
		{"divergenceKL, U", positive(n, 2), func(U *mat.Dense) (float64, *mat.Dense) {
			D, G, _ := divergenceKL(A, U, V)
			return D, G
		}},
		{"divergenceKL, W", positive(4, 3), func(W *mat.Dense) (float64, *mat.Dense) {
			D, _, G := divergenceKL(A, positive(n, 2), W)
			return D, G
		}},
		{"laplacian", icon.Normal(n, 2, 1, 2), func(Y *mat.Dense) (float64, *mat.Dense) { return laplacian(P, Y) }},
	} {
		_, G := c.f(c.at)
		r, k := c.at.Dims()
		num := mat.NewDense(r, k, nil)
		const h = 1e-5
		for i := range r {
			for j := range k {
				x := c.at.At(i, j)
				c.at.Set(i, j, x+h)
				up, _ := c.f(c.at)
				c.at.Set(i, j, x-h)
				down, _ := c.f(c.at)
				c.at.Set(i, j, x)
				num.Set(i, j, (up-down)/(2*h))
			}
		}
		if e := relativeDistance(G, num); !(e < 1e-7) {
			t.Errorf("%s: gradient off by %.2g", c.name, e)
		}
	}
}

func TestConditional(t *testing.T) {
	P := conditional(icon.Normal(20, 3, 1, 1), 6)
	for i := range 20 {
		if p := icon.Perplexity(P.Slice(i, i+1, 0, 20)); math.Abs(p-6) > 1e-9 || P.At(i, i) != 0 {
			t.Errorf("row %d: perplexity %v, p(i|i) = %v", i, p, P.At(i, i))
		}
	}
}

// TestPartitions checks that the loss of a partition, computed directly, equals the loss that package icon returns.
func TestPartitions(t *testing.T) {
	X := icon.Normal(6, 2, 1, 3)
	const sigma, eps = 0.7, 0.02
	ps := partitions(X, sigma, eps)
	if len(ps) != 31 {
		t.Fatalf("%d partitions of 6 points, want 2⁵ − 1", len(ps))
	}
	o := must.Get(icon.KMeans(X, 2, sigma, eps, 1))
	P := o.Supervisory()
	var constant float64
	for k, p := range ps {
		o.Params()[0].X.Copy(logits(p.labels, 2))
		if L := o.Loss(); relativeError(p.L, L) > 1e-12 {
			t.Errorf("%v: loss %v, the engine has %v", p.labels, p.L, L)
		}
		// The exchanged divergence, up to a constant.
		count := [2]float64{}
		for _, c := range p.labels {
			count[c]++
		}
		s := 0.0
		for i, a := range p.labels {
			for j, b := range p.labels {
				if a == b {
					s += math.Log(1/count[a]/P.At(i, j)) / count[a]
				}
			}
		}
		if k == 0 {
			constant = s - p.R
		}
		if math.Abs(s-p.R-constant) > 1e-9 {
			t.Errorf("%v: exchanged %v, want %v", p.labels, p.R+constant, s)
		}
	}
}

// If the queries are also among the known points, the nearest neighbor of a point is itself.
func TestVotes(t *testing.T) {
	X := icon.Normal(60, 5, 1, 1)
	labels := make([]int, 60)
	for i := range labels {
		labels[i] = i % 3
		X.Set(i, labels[i], X.At(i, labels[i])+1.5)
	}
	if s := votes(X, labels, X, labels, 1, nil); s != 1 {
		t.Errorf("one neighbour, oneself: %v", s)
	}
	Y := mat.DenseCopyOf(X.Slice(0, 60, 0, 2))
	if a, b := votesInMap(Y, labels), icon.KNNAccuracy(Y, labels, 5); a != b || b == 1 {
		t.Errorf("in a map: %v, package icon has %v", a, b)
	}
}

func TestPaired(t *testing.T) {
	got := matchLabels([]int{2, 2, 0, 0, 1, 1, 1}, []int{0, 0, 1, 1, 2, 2, 1}, 3)
	for i, w := range []int{0, 0, 1, 1, 2, 2, 2} {
		if got[i] != w {
			t.Fatalf("got %v", got)
		}
	}
}

func TestMemberships(t *testing.T) {
	R := memberships(mat.NewDense(2, 3, []float64{1000, 1000, -1000, 0, math.Log(2), math.Log(5)}))
	if e := relativeDistance(R, mat.NewDense(2, 3, []float64{0.5, 0.5, 0, 0.125, 0.25, 0.625})); e > 1e-14 {
		t.Errorf("off by %v: %v", e, mat.Formatted(R))
	}
}

// The p of a relation without an underlying representation can take any values.
func TestFree(t *testing.T) {
	P := must.Get(icon.SameLabelP([]int{0, 0, 0, 1, 1, 1}))
	a := &tape.Param{Name: "a", X: mat.NewDense(6, 6, nil), Grad: mat.NewDense(6, 6, nil)}
	r := must.Get(icon.Minimize(t.Context(), &icon.Objective{P: P, Q: freeAffinities{a}}, &icon.Options{Steps: 400, Rate: 0.2}))
	if r.Loss > 1e-3 {
		t.Errorf("loss %v", r.Loss)
	}
}

// Every experiment ends soon when it is interrupted, and can be run again.
func TestStops(t *testing.T) {
	labtest.NoData(t)
	labtest.Stops(t, smokeLab, nil, nil)
}

// The identity of K-means (section 5 of the notebook) holds for a p that counts i among its own neighbors. With
// p(i|i) = 0, as for SNE, the divergence from q to p is infinite, because i is in its own cluster. If i is left out
// on both sides, the sum is different.
func TestKMeansIdentityNeedsItself(t *testing.T) {
	const n, k, sigma = 12, 3, 0.8
	X := icon.Normal(n, 2, 1, 5)
	labels := make([]int, n)
	count := make([]float64, k)
	for i := range labels {
		labels[i] = i % k
		count[i%k]++
	}
	// divergence returns Σ_i KL(q(·|i)‖p(·|i)) and Σ_i log Z_i. inP and inQ say whether i is among its own neighbors
	// on each side.
	divergence := func(inP, inQ bool) (sum, logZ float64) {
		for i := range n {
			Z := 0.0
			for j := range n {
				if j != i || inP {
					Z += math.Exp(-squaredDistance(X, i, j) / (2 * sigma * sigma))
				}
			}
			logZ += math.Log(Z)
			size := count[labels[i]]
			if !inQ {
				size--
			}
			for j := range n {
				if labels[j] != labels[i] || j == i && !inQ {
					continue
				}
				if j == i && !inP {
					return math.Inf(1), logZ // q log q/0
				}
				p := math.Exp(-squaredDistance(X, i, j)/(2*sigma*sigma)) / Z
				sum += math.Log(1/(size*p)) / size
			}
		}
		return sum, logZ
	}
	identity := func(logZ float64) float64 {
		sum := inertia(X, labels, k)/(sigma*sigma) + logZ
		for _, c := range labels {
			sum -= math.Log(count[c])
		}
		return sum
	}
	if left, logZ := divergence(true, true); math.Abs(left-identity(logZ)) > 1e-12*math.Abs(left) {
		t.Errorf("with i itself: %.6f and %.6f", left, identity(logZ))
	}
	if left, logZ := divergence(false, true); !math.IsInf(left, 1) || math.IsInf(identity(logZ), 0) {
		t.Errorf("p(i|i) = 0 alone: %.6f and %.6f", left, identity(logZ))
	}
	if left, logZ := divergence(false, false); math.Abs(left-identity(logZ)) < 0.1 {
		t.Errorf("without i on both sides: %.6f and %.6f, which should not be the same", left, identity(logZ))
	}
	// The p of the engine's instance is the p that the identity needs.
	o, err := icon.KMeans(X, k, sigma, -1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if p := mat.DenseCopyOf(o.Supervisory()).At(0, 0); !(p > 0) {
		t.Errorf("p(i|i) = %g", p)
	}
}
