package iconframework

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gallery"
	"overcomplete/kernel-helpers/icon"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/record"
)

// Factorisations factorizes the digits as U W' with ten columns, by truncated SVD, NMF and K-means, and draws the
// columns of W.
func (l *Lab) Factorisations() *figure.Figure {
	s := l.digitSet()
	const k = 10
	svd := must.Get(pca.TruncatedSVD(s.X, k))
	parts := must.Accept(nmf.Fit(l.Context(), s.X, &nmf.Options{Components: k, Seed: l.Seed, MaxIterations: l.Pick(100, 300, 500)}))
	lloyd := must.Get(kmeans.Fit(l.Context(), s.X, &kmeans.Options{K: k, Seed: l.Seed}))
	n, d := s.X.Dims()
	U := mat.NewDense(n, k, nil) // 1 for the cluster
	for i, c := range lloyd.Labels {
		U.Set(i, c, 1)
	}
	W := mat.DenseCopyOf(lloyd.Centers.T())
	size := mat.Norm(s.X, 2)
	left := func(UW mat.Matrix) float64 {
		var R mat.Dense
		R.Sub(s.X, UW)
		return mat.Norm(&R, 2) / size
	}
	var UW mat.Dense
	UW.Mul(U, W.T())
	ePCA, eNMF, eK := left(svd.Matrix()), left(parts.Reconstruct()), left(&UW)
	J := inertia(s.X, lloyd.Labels, k)
	l.Row(record.Row{
		ID: "factor-three", What: fmt.Sprintf("digits as U W' with %d columns: residual norm as a fraction of ‖X‖, increasing from uncentered PCA to NMF to K-means", k),
		Published: post.Quote("Now let’s circle back to factorization algorithms. These include PCA, K-Means clustering, and NMF, …", motivation),
		Measured:  record.Bool(ePCA < eNMF && eNMF < eK, fmt.Sprintf("%.3f, %.3f, %.3f", ePCA, eNMF, eK)), Rule: record.Holds(), Data: s.data(), Figure: "factors",
		Reason: "one problem, min ‖X − U W'‖, under three constraints: none; no negative entries; a single 1 in each row of U. Each is tighter than the one before, so the least error can only grow. But Lloyd's algorithm and NMF find local minima, so the order is observed here, not guaranteed. Ordinary PCA also subtracts the mean first",
	})
	l.Row(record.Row{
		ID: "factor-k-means", What: "K-means as U W', U the memberships and W the centers: ‖X − U W'‖² versus the inertia, relative error",
		Measured: record.Number(relativeError(eK*eK*size*size, J), ""), Rule: record.AtMost(1e-10), Data: s.data(), Repeat: 1e-10,
	})
	l.factorsOfKL()
	rows := mat.NewDense(3*k, d, nil)
	labels := make([]string, 3*k)
	for c := range k {
		for r, M := range []*mat.Dense{svd.V, parts.W, W} {
			rows.SetRow(r*k+c, mat.Col(nil, c, M))
		}
	}
	labels[0], labels[k], labels[2*k] = "axes", "NMF", "centers"
	f := gallery.Figure(rows, Side, Side, &gallery.Options{Title: "Columns of W: principal axes, NMF, K-means", Columns: k, Grays: gallery.PerTileSigned, Labels: labels})
	l.Save("factors", fmt.Sprintf("Medium gray is 0. Axes have both signs; NMF parts and centers are nonnegative. NMF represents a digit by a sum of parts, K-means by one center. Residual norm as a fraction of ‖X‖: %.2f, %.2f, %.2f. Data: %v.", ePCA, eNMF, eK, s.data()), f)
	return f
}

// factors is the relation q(j|i) = (U W')_ij between things i (rows of U, n×k) and features j (rows
// of W, d×k). Its log-affinities are log (U W')_ij.
type factors struct{ U, W *tape.Param }

func (factors) Name() string            { return "product of factors" }
func (r factors) Params() []*tape.Param { return []*tape.Param{r.U, r.W} }
func (r factors) Affinity(t *tape.Tape) *tape.Value {
	B := t.MatMul(t.Param(r.U), t.Transpose(t.Param(r.W))) // n×k · k×d
	n, d := B.Dims()
	log := t.Matrix(n, d)
	log.Apply(func(_, _ int, b float64) float64 { return math.Log(b) }, B.X)
	return t.Op(log, func(grad *mat.Dense) {
		if acc := B.Accumulate(); acc != nil {
			for i := range n {
				for j := range d {
					acc.Set(i, j, acc.At(i, j)+grad.At(i, j)/B.X.At(i, j))
				}
			}
		}
	}, B)
}

// factorsOfKL checks that NMF of a matrix A with the KL loss is an instance of the post's loss if each row of A sums
// to 1. In this instance p(j|i) = A_ij and q(j|i) = (U W')_ij, where i is a row of A and j is a column. This model is
// T. Hofmann's probabilistic latent semantic indexing, 1999 (E. Gaussier and C. Goutte, 2005).
func (l *Lab) factorsOfKL() {
	const k = 3
	A, _, _ := l.small()
	A = mat.DenseCopyOf(A)
	n, d := A.Dims()
	for i := range n {
		row := A.RawRowView(i)
		sum := 0.0
		for j := range row {
			row[j] = math.Abs(row[j])
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
	positive := func(r int, seed uint64) *tape.Param {
		M := icon.Normal(r, k, 1, seed)
		M.Apply(func(_, _ int, v float64) float64 { return 0.1 + math.Abs(v) }, M)
		return &tape.Param{Name: "factor", X: M, Grad: mat.NewDense(r, k, nil)}
	}
	U, W := positive(n, l.Seed+40), positive(d, l.Seed+41)
	o := &icon.Objective{P: must.Get(icon.NewGiven("A", A, false)), Q: factors{U, W}, Self: true}
	N := float64(n)
	loss, gradient, sums := 0.0, 0.0, 0.0
	first, last := 0.0, 0.0
	const steps = 200
	for s := range steps {
		updateKL(mat.DenseCopyOf(A.T()), W.X, U.X)
		updateKL(A, U.X, W.X)
		D, GU, GW := divergenceKL(A, U.X, W.X)
		L := o.Gradient()
		loss = math.Max(loss, math.Abs(N*L-D)/D)
		// Both gradients go to 0, so they are given relative to their initial size.
		if s == 0 {
			first = math.Max(largest(GU), largest(GW))
		}
		for _, g := range []struct{ engine, formula *mat.Dense }{{U.Grad, GU}, {W.Grad, GW}} {
			var diff mat.Dense
			diff.Scale(N, g.engine)
			diff.Sub(&diff, g.formula)
			gradient = math.Max(gradient, largest(&diff)/first)
		}
		var B mat.Dense
		B.Mul(U.X, W.X.T())
		for i := range n {
			sums = math.Max(sums, math.Abs(mat.Sum(B.RowView(i))-1))
		}
		last = D / N
	}
	l.Row(record.Row{
		ID: "nmf-kl-instance", What: fmt.Sprintf("NMF with the KL loss on rows of sum 1, %d multiplicative updates: n L and its gradient versus the loss of NMF and its gradient, and the row sums of U W' versus 1; largest relative error (of the gradient, relative to its initial size)", steps),
		Measured: record.Number(max(loss, gradient, sums), ""), Rule: record.AtMost(1e-9), Data: record.Generated(fmt.Sprintf("%d points in %d dimensions, made nonnegative with sum 1", n, d)), Repeat: 1e-9,
		Reason: fmt.Sprintf("p(j|i) = A_ij and q(j|i) = (U W')_ij, where j is a feature. After Lee and Seung's update of U, the rows of U W' have the same sums as those of A, so the NMF loss is n times the mean divergence of the rows. The row sums deviate from 1 by at most %.1g; the final L is %.4f nats. NMF with the Frobenius loss has no such row", sums, last),
	})
}
