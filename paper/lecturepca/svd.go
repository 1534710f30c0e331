package lecturepca

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// RotationStretch draws what a matrix does to the unit disc in three steps.
func (l *Lab) RotationStretch() *figure.Grid {
	M := mat.NewDense(2, 2, []float64{1, 1, 0, 1}) // a shear
	f, err := pca.FullSVD(M)
	lab.Check(err)
	// Signs are free: choose them so that both factors are rotations, without a reflection.
	if mat.Det(f.V) < 0 {
		for _, A := range []*mat.Dense{f.U, f.V} {
			A.Set(0, 1, -A.At(0, 1))
			A.Set(1, 1, -A.At(1, 1))
		}
	}
	var VT, SVT, USVT mat.Dense
	VT.CloneFrom(f.V.T())
	SVT.Mul(f.Sigma(), &VT)
	USVT.Mul(f.U, &SVT)
	whole := plot.ConstantTicks{{Value: -1, Label: "−1"}, {Value: 0, Label: "0"}, {Value: 1, Label: "1"}}
	panel := func(title string, A mat.Matrix) *figure.Figure {
		p := figure.New(title, "", "")
		var x, y []float64
		for i := range 101 {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / 100)
			x = append(x, A.At(0, 0)*cos+A.At(0, 1)*sin)
			y = append(y, A.At(1, 0)*cos+A.At(1, 1)*sin)
		}
		p.Use(figure.Gray).Lines("", x, y)
		p.Use(figure.Blue).Lines("image of e₁", []float64{0, A.At(0, 0)}, []float64{0, A.At(1, 0)})
		p.Use(figure.Vermilion).Lines("image of e₂", []float64{0, A.At(0, 1)}, []float64{0, A.At(1, 1)})
		p.Equal = true
		p.X.Tick.Marker, p.Y.Tick.Marker = whole, whole
		return p.Range(-1.75, 1.75, -1.75, 1.75)
	}
	I := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	g := figure.NewGrid("M = UΣVᵀ in three steps", 4, panel("the unit disk", I), panel("Vᵀ rotates", &VT), panel("Σ stretches", &SVT), panel("U rotates", &USVT)).Size(2.2, 2.4)
	rotations := math.Max(maxDiff(gram(f.U), I), maxDiff(gram(f.V), I))
	l.Row(record.Row{
		ID: "svd-three-steps", What: "a shear: Vᵀ and U preserve lengths, Σ scales the axes by σ_i, and the product UΣVᵀ is M",
		Published: slides.Quote("V^T rotates the disc and unit vectors. … Σ stretches scales axes by σi = Σi,i (singular values). … U performs another rotation.", "Can think of M as linear transformation broken down into three steps"),
		Measured:  record.Bool(rotations < 1e-14 && maxDiff(&USVT, M) < 1e-14, fmt.Sprintf("σ = %.4f and %.4f; det U = %.0f, det V = %.0f", f.S[0], f.S[1], mat.Det(f.U), mat.Det(f.V))),
		Rule:      record.Holds(), Data: record.Example("the matrix [1 1; 0 1]"), Figure: "svd-steps",
		Reason: "if the signs of one pair of singular vectors are flipped, both rotations become reflections",
	})
	l.Save("svd-steps", "The axes of the ellipse lie along the columns of U, and their half-lengths are the singular values.", g)
	return g
}

func gram(A *mat.Dense) *mat.Dense {
	var g mat.Dense
	g.Mul(A.T(), A)
	return &g
}

// A Form is one of the forms of the singular value decomposition.
type Form struct {
	Name   string
	Shapes string
	// Numbers is the number of elements of the form's matrices.
	Numbers int
	// Error is ‖M − UΣVᵀ‖_F as a fraction of ‖M‖_F.
	Error string
}

// Forms decomposes a 60×24 matrix of rank 16 into each of the lecture's four
// forms.
func (l *Lab) Forms() []Form {
	rng := rand.New(rand.NewPCG(l.Seed, 0x54d))
	draw := func(r, c int) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
		return m
	}
	var M mat.Dense
	M.Mul(draw(60, 16), draw(16, 24))
	full, err := pca.FullSVD(&M)
	lab.Check(err)
	thin, err := pca.ThinSVD(&M)
	lab.Check(err)
	compact, err := pca.CompactSVD(&M, 0)
	lab.Check(err)
	cut, err := pca.TruncatedSVD(&M, 8)
	lab.Check(err)
	var out []Form
	size := mat.Norm(&M, 2)
	off := map[string]float64{}
	for _, c := range []struct {
		name string
		f    *pca.Factors
	}{{"full", full}, {"thin", thin}, {"compact", compact}, {"truncated", cut}} {
		var d mat.Dense
		d.Sub(&M, c.f.Matrix())
		e := mat.Norm(&d, 2) / size
		off[c.name] = e
		n := len(c.f.U.RawMatrix().Data) + len(c.f.V.RawMatrix().Data) + len(c.f.S)
		out = append(out, Form{c.name, c.f.String(), n, fmt.Sprintf("%.2g", e)})
	}
	data := record.Generated("a 60 × 24 matrix of rank 16")
	heading := "Practicalities: Reduced SVDs"
	l.Row(record.Row{
		ID: "svd-reduced-exact", What: "full, thin and compact SVD reproduce the matrix: relative error of each",
		Published: slides.Quote("don't need the entire SVD, and can make do with \"trimmed down\" versions", heading),
		Measured:  record.Bool(math.Max(off["full"], math.Max(off["thin"], off["compact"])) < 1e-13, fmt.Sprintf("%.1g, %.1g, %.1g", off["full"], off["thin"], off["compact"])),
		Rule:      record.Holds(), Data: data,
	})
	l.Row(record.Row{
		ID: "svd-rank", What: "rank: number of nonzero singular values",
		Published: slides.Quote("r = rank(M) ≤ min(m, n)", "Can be applied to any matrix M"), Measured: record.Bool(full.Rank(0) == 16, fmt.Sprintf("%d of 24", full.Rank(0))),
		Rule: record.Holds(), Data: data,
	})
	l.signs(&M, full, data)
	return out
}

// signs examines which parts of an SVD are unique.
func (l *Lab) signs(M *mat.Dense, f *pca.Factors, data record.Data) {
	// Flip a column of V and its column of U: the result is still an SVD.
	turned := *f
	turned.U, turned.V = mat.DenseCopyOf(f.U), mat.DenseCopyOf(f.V)
	for _, A := range []*mat.Dense{turned.U, turned.V} {
		r, _ := A.Dims()
		for i := range r {
			A.Set(i, 2, -A.At(i, 2))
		}
	}
	var other mat.SVD
	if !other.Factorize(M.T(), mat.SVDThin) { // another way: from the transpose
		panic("lecturepca: the SVD failed")
	}
	s := other.Values(nil)
	apart := 0.0
	for i := range f.S {
		apart = math.Max(apart, math.Abs(s[i]-f.S[i])/f.S[0])
	}
	l.Row(record.Row{
		ID: "svd-unique", What: "singular values are the same for M and Mᵀ; the sign of a column of V may be flipped together with that of the same column of U",
		Published: slides.Quote("Σ is unique (if in descending order), but V and U are generally not: e.g. sign flips.", "Has time complexity O(m²n + mn²)."),
		Measured:  record.Bool(apart < 1e-13 && maxDiff(turned.Matrix(), M) < 1e-11, fmt.Sprintf("Σ of M and of Mᵀ differ by %.1g of σ₁; UΣVᵀ after a flip differs from M by %.1g", apart, maxDiff(turned.Matrix(), M))),
		Rule:      record.Holds(), Data: data,
	})
	S := mat.NewSymDense(24, nil)
	S.SymOuterK(1, M.T())
	e, err := pca.Eigen(S, 0)
	lab.Check(err)
	l.eigenUnique()
	sf, err := pca.FullSVD(S)
	lab.Check(err)
	apart = 0
	for i, v := range e.Values {
		apart = math.Max(apart, math.Abs(v-sf.S[i])/e.Values[0])
	}
	angle := pca.LargestAngle(e.Vectors.Slice(0, 24, 0, 16), sf.V.Slice(0, 24, 0, 16))
	l.Row(record.Row{
		ID: "svd-symmetric", What: "the SVD of a symmetric positive semidefinite matrix is its spectral decomposition",
		Published: slides.Quote("If M is square+symmetric, yields the spectral decomposition.", "Has time complexity O(m²n + mn²)."),
		Measured:  record.Bool(apart < 1e-13 && angle < 1e-6, fmt.Sprintf("singular values and eigenvalues differ by %.1g of the first, the subspaces of the first 16 vectors by %.1g degrees", apart, angle)),
		Rule:      record.Holds(), Data: data, Reason: "for a negative eigenvalue, the singular value is its absolute value",
	})
}

// Identities checks the lecture's statements about the SVD of the centered data, on faces.
func (l *Lab) Identities() *figure.Figure {
	s := l.generatedSet()
	X := lab.First(lab.Shrink(s.X, Side, Side, 2), l.Pick(200, 1000, 1000)) // 16 × 16
	n, d := X.Dims()
	data := record.Generated(fmt.Sprintf("%d faces averaged to 16 × 16", n))
	C := subtractMean(X)
	f, err := pca.ThinSVD(C)
	lab.Check(err)
	m := fit(l.Context(), X, &pca.Options{Method: pca.ByCovariance})
	heading := "For PCA we want projections onto top k PCs."
	// λ = s², and the vectors.
	off := 0.0
	for i := range m.K() {
		off = math.Max(off, math.Abs(m.Eigenvalues[i]-f.S[i]*f.S[i])/m.Eigenvalues[0])
	}
	const k = 20
	angle := 0.0
	for i := range k {
		angle = math.Max(angle, pca.LargestAngle(m.Components.Slice(0, d, i, i+1), f.V.Slice(0, d, i, i+1)))
	}
	l.Row(record.Row{
		ID: "svd-eigenvalues", What: "eigenvalues of X̄ᵀX̄ are the squared singular values of X̄: largest difference as a fraction of λ₁",
		Published: slides.Quote("Eigenvalues are the same, given by λi = Σi,i²", "Columns in U are the eigenvectors of MMᵀ"),
		Measured:  record.Bool(off < 1e-13, fmt.Sprintf("%.1g", off)), Rule: record.Holds(), Data: data,
	})
	l.Row(record.Row{
		ID: "svd-right-vectors", What: "the first 20 eigenvectors of X̄ᵀX̄ are right singular vectors of X̄: largest angle in degrees",
		Published: slides.Quote("Columns in V are the eigenvectors of MᵀM, called the right singular vectors of M", "Columns in U are the eigenvectors of MMᵀ"),
		Measured:  record.Bool(angle < 1e-7, fmt.Sprintf("%.1g", angle)), Rule: record.Holds(), Data: data,
	})
	// X̄X̄ᵀ u = λ u.
	var XTU, XXTU mat.Dense
	U := f.U.Slice(0, n, 0, k)
	XTU.Mul(C.T(), U)
	XXTU.Mul(C, &XTU)
	left := 0.0
	for j := range k {
		for i := range n {
			left = math.Max(left, math.Abs(XXTU.At(i, j)-m.Eigenvalues[j]*U.At(i, j))/m.Eigenvalues[0])
		}
	}
	l.Row(record.Row{
		ID: "svd-left-vectors", What: "the first 20 left singular vectors of X̄ are eigenvectors of X̄X̄ᵀ with the same eigenvalues",
		Published: slides.Quote("thus Mvi is an eigenvector for MMᵀ with eigenvalue λi!", "Columns in U are the eigenvectors of MMᵀ"),
		Measured:  record.Bool(left < 1e-13, fmt.Sprintf("largest element of the residual: %.1g of λ₁", left)), Rule: record.Holds(), Data: data,
	})
	var US mat.Dense
	US.Mul(f.U, f.Sigma())
	scores := maxDiff(m.Scores(X).Slice(0, n, 0, k), US.Slice(0, n, 0, k)) / f.S[0]
	l.Row(record.Row{
		ID: "scores-us", What: "scores need no projection: X̄V equals UΣ on the first 20 axes",
		Published: slides.Quote("X_k = XV_{:,1:k} = U_{:,1:k}Σ_{1:k,1:k} ∈ ℝ^{n×k} (\"scores\" in PCA basis)", heading),
		Measured:  record.Bool(scores < 1e-12, fmt.Sprintf("differ by %.1g of σ₁", scores)), Rule: record.Holds(), Data: data,
	})
	sum, tr := 0.0, mat.Trace(gram(C))
	for _, v := range f.S {
		sum += v * v
	}
	fro := mat.Norm(C, 2)
	norm := math.Max(math.Abs(fro*fro-tr), math.Abs(tr-sum)) / tr
	l.Row(record.Row{
		ID: "frobenius", What: "‖X̄‖_F² as the sum of squares, as tr X̄ᵀX̄ and as Σ s_i²: largest relative difference",
		Published: slides.Quote("‖X‖_F = √Σ X_ij² = √tr(XᵀX) = √Σ s_i²", "Final, dimensionality-reduced data"),
		Measured:  record.Bool(norm < 1e-12, fmt.Sprintf("%.1g", norm)), Rule: record.Holds(), Data: data,
	})
	// Plot the singular values computed in two ways. The covariance loses the small ones.
	return l.blind()
}

// blind draws the singular values of a matrix X as two methods compute them: the SVD of X, and square roots of the
// eigenvalues of XᵀX. The true values fall by powers of ten, and the second method loses the small ones. blind also
// adds a row about the errors.
func (l *Lab) blind() *figure.Figure {
	rng := rand.New(rand.NewPCG(l.Seed, 0xb11d))
	const n, d = 60, 14
	orth := func(r int) *mat.Dense {
		m := mat.NewDense(r, d, nil)
		m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
		f, err := pca.ThinSVD(m)
		lab.Check(err)
		return f.U
	}
	U, V := orth(n), orth(d)
	US := mat.DenseCopyOf(U)
	var idx, truth []float64
	for j := range d {
		s := math.Pow(10, -float64(j))
		idx, truth = append(idx, float64(j+1)), append(truth, s)
		for i := range n {
			US.Set(i, j, s*U.At(i, j))
		}
	}
	var X mat.Dense
	X.Mul(US, V.T())
	svd := fit(l.Context(), &X, &pca.Options{Method: pca.BySVD, NoCenter: true}).Singular
	// pca.ByCovariance computes small values anew, so it cannot show this.
	XTX := mat.NewSymDense(d, nil)
	XTX.SymOuterK(1, X.T())
	eigen, err := pca.Eigen(XTX, 0)
	lab.Check(err)
	var cov []float64
	for _, v := range eigen.Values {
		cov = append(cov, math.Sqrt(math.Max(0, v)))
	}
	worst := func(s []float64) (e float64) {
		for j := range 12 {
			e = math.Max(e, math.Abs(s[j]-truth[j])/truth[j])
		}
		return e
	}
	data := record.Generated("a 60 × 14 matrix with singular values 1, 0.1, .., 1e-13")
	l.Row(record.Row{
		ID: "svd-more-stable", What: "singular values from 1 down to 1e-11: largest relative error by the SVD, and by square roots of eigenvalues of XᵀX",
		Published: slides.Quote("svd may be more stable", "Given n data points of dimension d"),
		Measured:  record.Bool(worst(svd) < 1e-3 && worst(cov) > 0.5, fmt.Sprintf("%.1g and %.1g", worst(svd), worst(cov))),
		Rule:      record.Holds(), Data: data, Figure: "svd-stable",
		Reason: "squaring loses half of the digits: singular values below 1e-8 of the largest are lost to rounding errors",
	})
	f := figure.New("Small singular values by two methods", "index", "singular value")
	clip := func(v []float64) []float64 {
		out := make([]float64, len(v))
		for i, x := range v {
			out[i] = math.Max(x, 1e-18)
		}
		return out
	}
	f.Marked("SVD of X", idx, clip(svd)).Marked("√ of eigenvalues of XᵀX", idx, clip(cov))
	f.Use(figure.Black).Dashed("true value", idx, truth).WholeX()
	decades(f)
	l.Save("svd-stable", "This illustrates the lecture's remark that svd may be more stable. Values of 0 are drawn at 1e-18.", f)
	l.Rounded("svd-stable")
	return f
}

// eigenUnique examines whether different eigenvalues make an eigendecomposition unique.
func (l *Lab) eigenUnique() {
	const d = 8
	C, err := pca.Scatter(gaussian(50, d, l.Seed))
	lab.Check(err)
	e, err := pca.Eigen(C, 0)
	lab.Check(err)
	gap := math.Inf(1) // between neighboring eigenvalues
	for i := range d - 1 {
		gap = math.Min(gap, e.Values[i]-e.Values[i+1])
	}
	Q := mat.DenseCopyOf(e.Vectors)
	for i := range d {
		Q.Set(i, 0, -Q.At(i, 0))
	}
	var QD, back mat.Dense // back is QDQ' with one eigenvector turned around
	QD.Mul(Q, mat.NewDiagDense(d, e.Values))
	back.Mul(&QD, Q.T())
	off := maxDiff(&back, C) / e.Values[0]
	l.Row(record.Row{
		ID: "eigen-unique", What: "all eigenvalues are distinct, and the decomposition QDQᵀ is unique",
		Published: slides.Quote("(Eigendecomposition is unique if all eigenvalues are unique)", "Has time complexity O(m²n + mn²)."),
		Measured:  record.Bool(off > 1e-12, fmt.Sprintf("eigenvalues at least %.2g apart; with the sign of the first eigenvector flipped, QDQᵀ is the same matrix up to %.0e of λ₁", gap, off)),
		Rule:      record.Holds(), Data: record.Generated(fmt.Sprintf("the scatter of 50 points in %d dimensions", d)),
		Reason: "if q is an eigenvector, so is −q. The eigenvalues and axes are unique, but the vectors only up to sign, as the line above on the slide says of the SVD",
	})
	// V with all its columns is d×d, and every element must be computed.
	const points, pixels = 50, 10_000
	l.Row(record.Row{
		ID: "svd-full-v", What: fmt.Sprintf("a V of d × d in O(dn²) operations, n = %d points, d = %d: number of its elements divided by dn²", points, pixels),
		Published: slides.Quote("V ∈ ℝ^{d×d}", "Recall this example with d ≫ n"),
		Measured:  record.Number(float64(pixels)/(points*points), "times"), Rule: record.AtMost(1), Data: record.Example("two numbers"),
		Reason: "d² elements cannot be written in dn² operations if d > n². In O(dn²) the dual gives the d×n V of the thin SVD; the other d − n columns are any orthonormal basis of the complement, and their singular values are 0",
	})
}
