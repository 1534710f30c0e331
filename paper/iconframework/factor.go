package iconframework

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gallery"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/paper/record"
)

// Factorisations writes the digits as U W' with ten columns in three ways.
func (l *Lab) Factorisations() *figure.Figure {
	s := l.Digits()
	const k = 10
	svd := must(pca.TruncatedSVD(s.X, k))
	parts := must(nmf.Fit(background, s.X, &nmf.Options{Components: k, Seed: l.Seed, MaxIter: l.Pick(100, 300, 500)}))
	lloyd := must(kmeans.Fit(background, s.X, kmeans.Options{K: k, Seed: l.Seed}))
	n, d := s.X.Dims()
	U := mat.NewDense(n, k, nil) // a 1 for the cluster
	for i, c := range lloyd.Labels {
		U.Set(i, c, 1)
	}
	W := mat.DenseCopyOf(lloyd.Centres.T())
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
		ID: "factor-three", What: fmt.Sprintf("digits as U W' with %d columns: what is left of ‖X‖ by the principal axes (not centred), NMF, K-means, in this order", k),
		Published: quote("Now let’s circle back to factorization algorithms. These include PCA, K-Means clustering, and NMF"),
		Measured:  record.Bool(ePCA < eNMF && eNMF < eK, fmt.Sprintf("%.3f, %.3f, %.3f", ePCA, eNMF, eK)), Rule: record.Holds(), Data: s.data(), Figure: "factors",
		Reason: "one problem, min ‖X − U W'‖, under three constraints: none; nothing negative; one 1 in each row of U. Each is tighter than the one before. PCA also takes the mean away first",
	})
	l.Row(record.Row{
		ID: "factor-k-means", What: "with U the memberships and W the centres ‖X − U W'‖² is the inertia: relative difference",
		Measured: record.Number(off(eK*eK*size*size, J), ""), Rule: record.AtMost(1e-10), Data: s.data(), Repeat: 1e-10,
	})
	rows := mat.NewDense(3*k, d, nil)
	labels := make([]string, 3*k)
	for c := range k {
		for r, M := range []*mat.Dense{svd.V, parts.W, W} {
			rows.SetRow(r*k+c, mat.Col(nil, c, M))
		}
	}
	labels[0], labels[k], labels[2*k] = "axes", "NMF", "centres"
	f := gallery.Draw(rows, Side, Side, gallery.Options{Title: "Columns of W: principal axes, NMF, K-means", Columns: k, Greys: gallery.PerTileSigned, Labels: labels})
	l.Save("factors", fmt.Sprintf("Middle grey is 0. Axes have both signs, parts and centres are not negative; a digit is a sum of parts, or one centre. Left over of ‖X‖: %.2f, %.2f, %.2f. Data: %v.", ePCA, eNMF, eK, s.data()), f.By("paper/iconframework, Lab.Factorisations in factor.go"))
	return f
}
