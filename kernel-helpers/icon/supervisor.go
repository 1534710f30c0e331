package icon

import (
	"fmt"
	"math"
	"sort"
	"sync"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/tape"
)

// A Given is a fixed distribution P (n×m), the supervisory p of most methods. P must not be changed after
// first use.
type Given struct {
	Title string
	P     *mat.Dense
	// Joint means that the whole matrix P sums to 1. Otherwise each row sums to 1.
	Joint bool

	once sync.Once
	neg  float64 // Σ P log P
}

// NewGiven returns a Given with a copy of P (n×m). It returns an error if an element is negative, NaN or infinite, or
// if a sum differs from 1 by more than 1e-9: the sum of the whole matrix if joint is true, or else the sum of any row.
func NewGiven(title string, P mat.Matrix, joint bool) (*Given, error) {
	D, err := finite.Dense("P", P)
	if err != nil {
		return nil, fmt.Errorf("icon: NewGiven: %w", err)
	}
	n, m := D.Dims()
	total := 0.0
	for i := range n {
		s := 0.0
		for j, v := range D.RawRowView(i) {
			if v < 0 {
				return nil, fmt.Errorf("icon: NewGiven: P(%d, %d) is %v", i, j, v)
			}
			s += v
		}
		if !joint && math.Abs(s-1) > 1e-9 {
			return nil, fmt.Errorf("icon: NewGiven: row %d of P (%d×%d) sums to %v", i, n, m, s)
		}
		total += s
	}
	if joint && math.Abs(total-1) > 1e-9 {
		return nil, fmt.Errorf("icon: NewGiven: P sums to %v", total)
	}
	return &Given{Title: title, P: mat.DenseCopyOf(D), Joint: joint}, nil
}

// Name returns the title.
func (g *Given) Name() string { return g.Title }

// Params returns nil.
func (g *Given) Params() []*tape.Param { return nil }

// Affinity returns log P, which is −Inf where P is 0.
func (g *Given) Affinity(t *tape.Tape) *tape.Value {
	n, m := g.P.Dims()
	a := t.Matrix(n, m)
	a.Apply(func(_, _ int, v float64) float64 { return math.Log(v) }, g.P)
	return t.Op(a, func(*mat.Dense) {})
}

// negEntropy returns Σ P log P, with 0 log 0 = 0.
func (g *Given) negEntropy() float64 {
	g.once.Do(func() {
		for _, v := range g.P.RawMatrix().Data {
			if v > 0 {
				g.neg += v * math.Log(v)
			}
		}
	})
	return g.neg
}

// GaussianP returns p(j|i) ∝ exp(−‖x_i − x_j‖²/2σ²), for the rows of X (n×d). The case j = i is included only if self
// is true.
func GaussianP(X mat.Matrix, sigma float64, self bool) (*Given, error) {
	if !(sigma > 0) || math.IsInf(sigma, 1) {
		return nil, fmt.Errorf("icon: GaussianP: sigma is %v", sigma)
	}
	D, err := pairwise("GaussianP", X, 2)
	if err != nil {
		return nil, err
	}
	D.Scale(-1/(2*sigma*sigma), D)
	o := Objective{Self: self}
	o.normalize(D, mat.DenseCopyOf(D))
	return &Given{Title: fmt.Sprintf("Gaussian, σ = %.4g", sigma), P: D}, nil
}

// PerplexityP returns SNE's p for the rows of X (n×d): p(j|i) ∝ exp(−‖x_i − x_j‖²/2σ_i²), j ≠ i. Each σ_i is chosen by
// bisection so that row i has the given perplexity, to within 1e-10 in the entropy. The perplexity of a row is 2^h,
// where h is its entropy in bits. PerplexityP returns an error if perplexity is not in (1, n−1], or if no σ_i gives
// this perplexity.
func PerplexityP(X mat.Matrix, perplexity float64) (*Given, error) {
	D, err := pairwise("PerplexityP", X, 3)
	if err != nil {
		return nil, err
	}
	n, _ := D.Dims()
	if !(perplexity > 1) || perplexity > float64(n-1) {
		return nil, fmt.Errorf("icon: PerplexityP: perplexity %v, must be above 1 and at most %d for %d points", perplexity, n-1, n)
	}
	bad := make([]bool, n)
	eachRow(n, func(i int) { bad[i] = !fitPerplexity(D.RawRowView(i), i, math.Log(perplexity)) })
	for i, b := range bad {
		if b {
			return nil, fmt.Errorf("icon: PerplexityP: point %d has so many points at its least distance that no width gives perplexity %v", i, perplexity)
		}
	}
	return &Given{Title: fmt.Sprintf("Gaussian of perplexity %.4g", perplexity), P: D}, nil
}

// fitPerplexity replaces the squared distances d of point i by p(·|i) with entropy h (nats), and reports
// whether a width σ_i with this entropy exists.
func fitPerplexity(d []float64, i int, h float64) bool {
	nearest := math.Inf(1)
	mean := 0.0
	for j, v := range d {
		if j != i {
			nearest = min(nearest, v)
			mean += v / float64(len(d)-1)
		}
	}
	p := make([]float64, len(d))
	// β = 1/2σ². The entropy, log Σ e^(−β(d−d0)) + β E[d−d0], falls as β grows.
	entropy := func(beta float64) float64 {
		z, e := 0.0, 0.0
		for j, v := range d {
			if j == i {
				continue
			}
			p[j] = math.Exp(-beta * (v - nearest))
			z += p[j]
			e += p[j] * (v - nearest)
		}
		for j := range p {
			p[j] /= z
		}
		return math.Log(z) + beta*e/z
	}
	ok := false
	if mean == nearest { // all distances are equal: p is uniform for every β
		ok = math.Abs(entropy(0)-h) < 1e-10
	} else {
		beta, lo, hi := 1/(mean-nearest), 0.0, math.Inf(1)
		for range 200 {
			e := entropy(beta)
			if ok = math.Abs(e-h) < 1e-10; ok {
				break
			}
			if e > h {
				lo = beta
			} else {
				hi = beta
			}
			if math.IsInf(hi, 1) {
				beta *= 2
			} else {
				beta = (lo + hi) / 2
			}
			if math.IsInf(beta, 1) {
				break
			}
		}
		if !ok { // perplexity n−1 is the limit β → 0, which is reached up to rounding
			ok = math.Abs(entropy(beta)-h) < 1e-6
		}
	}
	copy(d, p)
	return ok
}

// Symmetrized returns t-SNE's joint distribution P_ij = (p(j|i) + p(i|j))/2n, where row i of g is p(·|i). It panics if
// g is not square (n×n) or is already joint.
func Symmetrized(g *Given) *Given {
	given.Args("icon: Symmetrized", "g", g)
	n, m := g.P.Dims()
	if n != m || g.Joint {
		panic(fmt.Sprintf("icon: Symmetrized: P is %d×%d, Joint is %v", n, m, g.Joint))
	}
	S := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			S.Set(i, j, (g.P.At(i, j)+g.P.At(j, i))/(2*float64(n)))
		}
	}
	return &Given{Title: g.Title + ", symmetrised", P: S, Joint: true}
}

// NeighborsP returns a p that is uniform over the k nearest neighbors of each row of X (n×d). Among neighbors
// at the same distance, NeighborsP takes those with the smallest indices.
func NeighborsP(X mat.Matrix, k int) (*Given, error) {
	D, err := pairwise("NeighborsP", X, 2)
	if err != nil {
		return nil, err
	}
	n, _ := D.Dims()
	if k < 1 || k > n-1 {
		return nil, fmt.Errorf("icon: NeighborsP: k is %d, must be from 1 to %d", k, n-1)
	}
	eachRow(n, func(i int) {
		row := D.RawRowView(i)
		near := nearest(row, i, k)
		clear(row)
		for _, j := range near {
			row[j] = 1 / float64(k)
		}
	})
	return &Given{Title: fmt.Sprintf("%d nearest neighbours", k), P: D}, nil
}

// nearest returns the indices of the k smallest elements of d, without element i, in ascending order of d.
func nearest(d []float64, i, k int) []int {
	order := make([]int, 0, len(d))
	for j := range d {
		if j != i {
			order = append(order, j)
		}
	}
	sort.SliceStable(order, func(a, b int) bool { return d[order[a]] < d[order[b]] })
	return order[:k]
}

// GraphP returns the transition matrix p(j|i) = w_ij/Σ_j w_ij of a graph with weights W (n×n). No weight may
// be negative, and each row must have a positive weight.
func GraphP(W mat.Matrix) (*Given, error) {
	D, err := finite.Dense("W", W)
	if err != nil {
		return nil, fmt.Errorf("icon: GraphP: %w", err)
	}
	n, m := D.Dims()
	if n != m {
		panic(fmt.Sprintf("icon: GraphP: W is %d×%d", n, m))
	}
	D = mat.DenseCopyOf(D)
	for i := range n {
		s := 0.0
		for _, v := range D.RawRowView(i) {
			s += v
		}
		if !(s > 0) {
			return nil, fmt.Errorf("icon: GraphP: the weights of row %d sum to %v", i, s)
		}
		for j := range n {
			D.Set(i, j, D.At(i, j)/s)
		}
	}
	return NewGiven("graph", D, false)
}

// SameLabelP returns a p in which p(·|i) is uniform over the other things with the same label as thing i. It returns
// an error if a label occurs only once.
func SameLabelP(labels []int) (*Given, error) {
	n := len(labels)
	if n == 0 {
		return nil, fmt.Errorf("icon: SameLabelP: no labels")
	}
	count := map[int]int{}
	for _, l := range labels {
		count[l]++
	}
	if err := square("p", n); err != nil {
		return nil, fmt.Errorf("icon: SameLabelP: %w", err)
	}
	P := mat.NewDense(n, n, nil)
	for i, l := range labels {
		if count[l] == 1 {
			return nil, fmt.Errorf("icon: SameLabelP: thing %d is the only one with label %d", i, l)
		}
		for j, m := range labels {
			if i != j && l == m {
				P.Set(i, j, 1/float64(count[l]-1))
			}
		}
	}
	return &Given{Title: "uniform over the same label", P: P}, nil
}

// ViewsP returns a p (n·views × n·views) in which p(·|i) is uniform over the other views of the same thing. The rows
// are ordered by view: row i is view i / n of thing i mod n. With two views, p(j|i) = 1 for the other view j.
func ViewsP(n, views int) *Given {
	if n < 1 || views < 2 {
		panic(fmt.Sprintf("icon: ViewsP: %d views of %d things", views, n))
	}
	if err := square("p", n*views); err != nil {
		panic("icon: ViewsP: " + err.Error())
	}
	P := mat.NewDense(n*views, n*views, nil)
	for i := range n * views {
		for j := i % n; j < n*views; j += n {
			if j != i {
				P.Set(i, j, 1/float64(views-1))
			}
		}
	}
	return &Given{Title: "augmented views", P: P}
}

// ClassP returns a p over m classes, with one row for each label: p(c|i) = 1 for the class c = labels[i]. It returns an
// error unless all labels are from 0 to m−1.
func ClassP(labels []int, m int) (*Given, error) {
	if len(labels) == 0 {
		return nil, fmt.Errorf("icon: ClassP: no labels")
	}
	if err := ram.Check(fmt.Sprintf("p of %d things and %d classes", len(labels), m), 8*float64(len(labels))*float64(m)); err != nil {
		return nil, fmt.Errorf("icon: ClassP: %w", err)
	}
	P := mat.NewDense(len(labels), max(m, 1), nil)
	for i, l := range labels {
		if l < 0 || l >= m {
			return nil, fmt.Errorf("icon: ClassP: label %d is %d, must be from 0 to %d", i, l, m-1)
		}
		P.Set(i, l, 1)
	}
	return &Given{Title: "labels", P: P}, nil
}

// SelfP returns the p with p(i|i) = 1: each thing is related only to itself. This is PCA's p.
func SelfP(n int) *Given {
	if n < 1 {
		panic(fmt.Sprintf("icon: SelfP: %d things", n))
	}
	if err := square("p", n); err != nil {
		panic("icon: SelfP: " + err.Error())
	}
	P := mat.NewDense(n, n, nil)
	for i := range n {
		P.Set(i, i, 1)
	}
	return &Given{Title: "itself", P: P}
}

// square returns an error if a matrix of n×n numbers would take too much memory.
func square(what string, n int) error {
	return ram.Check(fmt.Sprintf("%s of %d things", what, n), 8*float64(n)*float64(n))
}

// pairwise returns the squared distances between the rows of X. It returns an error if X has fewer than minRows rows.
func pairwise(what string, X mat.Matrix, minRows int) (*mat.Dense, error) {
	data, err := finite.Dense("X", X)
	if err != nil {
		return nil, fmt.Errorf("icon: %s: %w", what, err)
	}
	n, _ := data.Dims()
	if n < minRows {
		return nil, fmt.Errorf("icon: %s: %d points, must be at least %d", what, n, minRows)
	}
	if err := square("the distances", n); err != nil {
		return nil, fmt.Errorf("icon: %s: %w", what, err)
	}
	D := mat.NewDense(n, n, nil)
	storeDistances(D, data)
	return D, nil
}
