package lecturesparse

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/recovery"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// spikesAndWaves returns a dictionary of 2d atoms in d dimensions, with coherence 1/√d. Its columns are the d unit
// vectors and the d columns of a Hadamard matrix, scaled to length 1. d must be a power of two.
func spikesAndWaves(d int) *mat.Dense {
	B := mat.NewDense(d, 2*d, nil)
	for i := range d {
		B.Set(i, i, 1)
		for j := range d {
			sign := 1.0
			for b := i & j; b != 0; b &= b - 1 {
				sign = -sign
			}
			B.Set(i, d+j, sign/math.Sqrt(float64(d)))
		}
	}
	return B
}

// isFound reports whether the distance of w from want is at most a hundredth of the length of want.
func isFound(w, want mat.Vector) bool {
	var e mat.VecDense
	e.SubVec(w, want)
	return mat.Norm(&e, 2) <= 0.01*mat.Norm(want, 2)
}

// pursue reports, for each column w of W, whether w is found again from Bw, as the v with the smallest ‖v‖₁ for which
// Bv = Bw. It follows the path of the lasso down to a λ so small that its shrinkage is far below the tolerance of
// isFound.
func (l *Lab) pursue(B *mat.Dense, W *mat.Dense) []bool {
	coder, err := sparseapprox.NewCoder(B, &sparseapprox.Options{Lambda: 1})
	lab.Check(err)
	var X mat.Dense
	X.Mul(B, W)
	_, n := W.Dims()
	out := make([]bool, n)
	for j := range n {
		l.Heed()
		path, err := coder.Path(mat.Col(nil, j, &X), 1e-5*mat.Norm(X.ColView(j), 2))
		lab.Check(err)
		_, last := path.W.Dims()
		out[j] = isFound(path.W.ColView(last-1), W.ColView(j))
	}
	return out
}

// Coherence counts how often orthogonal matching pursuit and min ‖w‖₁ find sparse vectors. The numbers of nonzeros
// range from 1 to far above the bound up to which the coherence of the atoms guarantees success.
func (l *Lab) Coherence() *figure.Figure {
	d, draws := l.Pick(16, 64, 64), l.Pick(40, 200, 1000)
	B := spikesAndWaves(d)
	mu := recovery.Coherence(B)
	sure := recovery.Guaranteed(mu)
	most := d/2 + 1
	rng := rand.New(rand.NewPCG(l.Seed, 2))
	var ks, greedy, convex []float64
	failures := 0
	for k := 1; k <= most; k += max(1, k/8) {
		W := mat.NewDense(2*d, draws, nil)
		for j := range draws {
			w := sparseVector(rng, 2*d, k)
			W.SetCol(j, w.RawVector().Data)
		}
		var X mat.Dense
		X.Mul(B, W)
		omp, err := sparseapprox.Solve(l.Context(), B, &X, &sparseapprox.Options{Prior: sparseapprox.L0, Nonzeros: k})
		lab.Check(err)
		g, c := 0, 0
		for j, ok := range l.pursue(B, W) {
			if ok {
				c++
			}
			if isFound(omp.W.ColView(j), W.ColView(j)) {
				g++
			}
		}
		if k <= sure {
			failures += 2*draws - g - c
		}
		ks, greedy, convex = append(ks, float64(k)), append(greedy, float64(g)/float64(draws)), append(convex, float64(c)/float64(draws))
	}
	data := record.Generated(fmt.Sprintf("spikes and waves: %d atoms in %d dimensions, μ = %.3f, %d draws for each k", 2*d, d, mu, draws))
	l.Row(record.Row{
		ID: "coherence-bound", What: fmt.Sprintf("failures of orthogonal matching pursuit and of min ‖w‖₁ with up to %d nonzeros", sure),
		Published: tropp.Quote(greedBound, "corollary 3.6"),
		Measured:  record.Number(float64(failures), ""), Rule: record.AtMost(0), Data: data, Figure: "coherence",
	})
	last := 0.0 // the largest k at which both still find nine of ten
	for i, k := range ks {
		if greedy[i] >= 0.9 && convex[i] >= 0.9 {
			last = k
		}
	}
	l.Row(record.Row{
		ID: "coherence-pessimism", What: "largest tested number of nonzeros at which orthogonal matching pursuit and min ‖w‖₁ each find at least 90 % of random vectors, divided by the guaranteed number",
		Measured: record.Number(last/float64(sure), ""), Rule: record.AtLeast(2), Data: data, Figure: "coherence", Repeat: 1,
	})
	f := figure.New("How often is the truth found?", "nonzeros k", "share of vectors found").
		Marked("min ‖w‖₁", ks, convex).Marked("matching pursuit", ks, greedy).
		Use(figure.Black).VLine("coherence bound", float64(sure)).Range(0, float64(most), 0, 1.05)
	l.Save("coherence", fmt.Sprintf("Up to the vertical line, both methods are proved to find every vector. In this experiment they find nearly all vectors well beyond it. Data: %v.", data), f)
	l.Rounded("coherence")
	return f
}
