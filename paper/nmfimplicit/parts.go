package nmfimplicit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/mnist"
	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gallery"
	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// hoyer returns Hoyer's sparseness of the absolute values, averaged over the columns of M. It is 0 for a column of
// equal numbers and 1 for a column with only one nonzero.
func hoyer(M mat.Matrix) float64 {
	r, c := M.Dims()
	mean := 0.0
	for j := range c {
		l1, l2 := 0.0, 0.0
		for i := range r {
			v := math.Abs(M.At(i, j))
			l1 += v
			l2 += v * v
		}
		root := math.Sqrt(float64(r))
		mean += (root - l1/math.Sqrt(l2)) / (root - 1) / float64(c)
	}
	return mean
}

// zeros returns the share of elements that are 0.
func zeros(M *mat.Dense) float64 {
	n := 0
	for _, v := range M.RawMatrix().Data {
		if v == 0 {
			n++
		}
	}
	return float64(n) / float64(len(M.RawMatrix().Data))
}

// Sparseness shows the parts of faces next to principal axes, and measures how sparse both are.
func (l *Lab) Sparseness() *figure.Grid {
	s, r := l.set(), l.Parts()
	_, k := r.W.Dims()
	m := must.Get(pca.Fit(l.Context(), s.X, &pca.Options{Components: k, NoCenter: true}))
	U, W := r.Normalized()
	// The product of two matrices of full column rank k has rank k.
	rank := min(must.Get(pca.ThinSVD(U)).Rank(1e-9), must.Get(pca.ThinSVD(W)).Rank(1e-9))
	l.Row(record.Row{
		ID: "low-rank-sparse", What: fmt.Sprintf("faces with %d components: the product has this rank, and both factors are sparser (Hoyer) than the axes and scores of PCA", k),
		Published: post.Quote("We often decompose high-dimensional profiles into low-rank, sparse matrices using factorization algorithms.", motivation),
		Measured: record.Bool(rank == k && hoyer(W) > hoyer(m.Components) && hoyer(U) > hoyer(m.Scores(s.X)),
			fmt.Sprintf("rank %d; W %.2f against %.2f, U %.2f against %.2f; %.0f %% of W is exactly 0", rank, hoyer(W), hoyer(m.Components), hoyer(U), hoyer(m.Scores(s.X)), 100*zeros(W))),
		Rule: record.Holds(), Data: s.Data, Figure: "parts",
	})
	// NMF often gives sparse factors, but does not guarantee them: data far from the boundary of the orthant have
	// dense factors.
	rng := l.stream(1)
	n := l.Pick(40, 120, 120)
	dense := product(mat.NewDense(n, 1, ones(n)), mat.NewDense(30, 1, ones(30)))
	dense.Apply(func(_, _ int, v float64) float64 { return v + 0.1*rng.Float64() }, dense)
	d := fit(l.Context(), dense, &nmf.Options{Components: 2, MaxIterations: 2000, Tolerance: 1e-12})
	l.Row(record.Row{
		ID: "sparse-not-always", What: "matrix of numbers between 1 and 1.1, 2 components: share of zeros in W",
		Measured: record.Number(zeros(d.W), ""), Rule: record.AtMost(0.1), Data: record.Generated(fmt.Sprintf("a %d × 30 matrix", n)),
		Reason: "the columns of W must surround the data; zeros occur only where data lie near the boundary of the orthant",
	})
	shown := min(16, k)
	g := figure.NewGrid("What a face is made of", 2,
		gallery.Figure(asPictures(W).Slice(0, shown, 0, Side*Side), Side, Side, &gallery.Options{Title: "NMF: columns of W", Columns: 4, Grays: gallery.Range, Lo: 0, Hi: 1}),
		gallery.Signed("PCA: axes", m.Images().Slice(0, shown, 0, Side*Side), Side, Side, 4)).Size(3, 3.2)
	l.Save("parts", fmt.Sprintf("The %d of %d components with the largest contributions, in decreasing order. Left: black is 0, and white is the maximum of each part. Right: gray is 0, and black and white are the two signs. Data: %v.", shown, k, s.Data), g)
	return g
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// asPictures returns the columns of W as rows, each divided by its largest element.
func asPictures(W *mat.Dense) *mat.Dense {
	d, k := W.Dims()
	out := mat.NewDense(k, d, nil)
	for t := range k {
		m := mat.Max(W.ColView(t))
		for j := range d {
			if m > 0 {
				out.Set(t, j, W.At(j, t)/m)
			}
		}
	}
	return out
}

// digits returns pictures of digits, one in each row, and their labels: X and x for training, Y and y for testing. At
// full size they are MNIST digits if MNIST can be loaded. Otherwise they are generated.
func (l *Lab) digits(train, test int) (X, Y *mat.Dense, x, y []int, data record.Data) {
	if l.Size == record.Full {
		if d, err := mnist.Load(); err == nil {
			pick := make([]int, test) // spread over the test set, because its first half is easier
			for i := range pick {
				pick[i] = i * d.Test.Len() / test
				y = append(y, d.Test.Labels[pick[i]])
			}
			return d.Train.First(train), d.Test.Rows(pick), d.Train.Labels[:train], y, record.Real(fmt.Sprintf("%d and %d digits of MNIST", train, test))
		}
	}
	s := must.Get(synth.Digits(l.Context(), synth.DigitsOptions{N: train + test, Noise: 0.1, Seed: l.Seed}))
	s.Images.Apply(func(_, _ int, v float64) float64 { return math.Max(0, v) }, s.Images)
	_, d := s.Images.Dims()
	return mat.DenseCopyOf(s.Images.Slice(0, train, 0, d)), mat.DenseCopyOf(s.Images.Slice(train, train+test, 0, d)),
		s.Labels[:train], s.Labels[train:], record.Generated(fmt.Sprintf("%d and %d digits of 28 × 28 with noise", train, test))
}

// neighbours returns the share of rows of Y whose nearest row of X has the same label.
func neighbours(X, Y *mat.Dense, x, y []int) float64 {
	n, _ := X.Dims()
	m, _ := Y.Dims()
	var P mat.Dense
	P.Mul(Y, X.T())
	norm := make([]float64, n)
	for i := range n {
		norm[i] = mat.Dot(X.RowView(i), X.RowView(i))
	}
	right := 0
	for i := range m {
		best, at := math.Inf(1), 0
		for j := range n {
			if d := norm[j] - 2*P.At(i, j); d < best {
				best, at = d, j
			}
		}
		if x[at] == y[i] {
			right++
		}
	}
	return float64(right) / float64(m)
}

// LowDimensional represents each digit by k coefficients, and uses nearest-neighbor classification and
// reconstruction to measure how much the coefficients preserve. It compares NMF with PCA.
func (l *Lab) LowDimensional() *figure.Grid {
	train, test := l.Pick(200, 600, 5000), l.Pick(100, 300, 2000)
	X, Y, x, y, data := l.digits(train, test)
	pixels := neighbours(X, Y, x, y)
	var ks, accN, accP, expN, expP []float64
	bound := true
	worst := 1.0
	_, d := X.Dims()
	last := 0.0
	list := []int{2, 5, 10, 20, 40}
	svd := must.Get(pca.Fit(l.Context(), X, &pca.Options{Components: list[len(list)-1], NoCenter: true}))
	centred := must.Get(pca.Fit(l.Context(), X, &pca.Options{Components: list[len(list)-1]}))
	for _, k := range list {
		r := fit(l.Context(), X, &nmf.Options{Components: k, MaxIterations: l.Pick(100, 80, 200)})
		r.U, r.W = r.Normalized() // so that coefficients of all parts have equal weight
		v := must.Get(r.Transform(l.Context(), Y))
		acc := neighbours(r.U, v, x, y)
		a, b := centred.Scores(X).Slice(0, train, 0, k), centred.Scores(Y).Slice(0, test, 0, k)
		ks = append(ks, float64(k))
		accN = append(accN, 100*acc)
		accP = append(accP, 100*neighbours(mat.DenseCopyOf(a), mat.DenseCopyOf(b), x, y))
		expN, expP = append(expN, 100*r.Explained), append(expP, 100*svd.Explained(k))
		bound = bound && r.Explained <= svd.Explained(k)+1e-9
		worst = math.Min(worst, r.Explained/svd.Explained(k))
		last = acc
	}
	l.Row(record.Row{
		ID: "low-dimensional", What: fmt.Sprintf("nearest-neighbor accuracy with 40 NMF coefficients, as a fraction of that with %d pixels", d),
		Published: post.Quote("These algorithms are closely related to dimensionality reduction—the factors they produce naturally encode low-dimensional representations.", motivation),
		Measured:  record.Number(last/pixels, ""), Rule: record.AtLeast(0.8), Data: data, Figure: "low-dimensional", Repeat: 0.01,
		Reason: fmt.Sprintf("accuracy %.1f %% with pixels, %.1f %% with NMF coefficients", 100*pixels, 100*last),
	})
	l.Row(record.Row{
		ID: "below-svd", What: "NMF never explains more than the singular value decomposition of the same rank",
		Measured: record.Bool(bound, fmt.Sprintf("%.1f %% against %.1f %% with 40 components; smallest ratio %.3f", expN[len(expN)-1], expP[len(expP)-1], worst)),
		Rule:     record.Holds(), Data: data, Figure: "low-dimensional",
	})
	order := lab.Order{Names: []string{"PCA", "NMF"}, Unit: "%", Data: data}
	for i, k := range list {
		order.Values, order.Places = append(order.Values, []float64{accP[i], accN[i]}), append(order.Places, fmt.Sprintf("nearest neighbor with %d coefficients", k))
	}
	acc := figure.New("Nearest neighbor", "coefficients", "% correct").Marked("NMF", ks, accN).Marked("PCA", ks, accP)
	acc.Use(figure.Black).HLine("all pixels", 100*pixels)
	exp := figure.New("Explained", "coefficients", "% of ‖A‖²").Marked("NMF", ks, expN).Marked("PCA", ks, expP)
	g := figure.NewGrid("Digits in few coefficients", 2, acc, exp).Size(3.4, 2.8)
	l.Save("low-dimensional", fmt.Sprintf("Nearest neighbor: PCA of centered data. Explained: PCA of uncentered data, where it is the best approximation of its rank. Data: %v.%s", data, order.Note()), g)
	return g
}

// Encoding tests whether the map from a face to its coefficients is linear.
func (l *Lab) Encoding() *figure.Grid {
	e := l.encode()
	e.sums()
	l.encodingRows(e)
	l.reconstructionRow(e)
	e.segment()
	l.piecewiseRow(e)
	return l.encodingFigure(e)
}

// An encoding holds code, a function that turns faces into their coefficients for the parts W, and what Encoding
// measures about this function.
type encoding struct {
	code func(X mat.Matrix) *mat.Dense
	A, W *mat.Dense // faces and parts
	U    *mat.Dense // code(A)
	data record.Data

	pairs *mat.Dense // sums of the codes of two faces: rows 0 and 1 of U, rows 2 and 3, ...
	off   []float64  // relative distances between the code of the sum of two faces and the row of pairs for these faces, sorted
	scale float64    // relative distance of code(3A)/3 from U

	// The path from one face to another, in equal steps.
	ts   []float64
	path *mat.Dense
}

func (l *Lab) encode() *encoding {
	s, r := l.set(), l.Parts()
	_, W := r.Normalized()
	e := &encoding{A: lab.First(s.X, l.Pick(40, 100, 100)), W: W, data: s.Data}
	e.code = func(X mat.Matrix) *mat.Dense { return coefficients(l.Context(), X, W, nnls.BlockPivoting) }
	e.U = e.code(e.A)
	return e
}

// median returns the median of the relative distances in off.
func (e *encoding) median() float64 { return e.off[len(e.off)/2] }

// sums is a test of whether the code is additive: for pairs of faces, it compares the code of the sum with the sum of
// the two codes, and stores the relative distances in e.off. It also compares the code of three times a face with three
// times the code of the face, and stores the relative distance in e.scale.
func (e *encoding) sums() {
	A, U := e.A, e.U
	n, k := U.Dims()
	sum, want := mat.NewDense(n/2, Side*Side, nil), mat.NewDense(n/2, k, nil)
	for i := range n / 2 {
		for j := range Side * Side {
			sum.Set(i, j, A.At(2*i, j)+A.At(2*i+1, j))
		}
		for t := range k {
			want.Set(i, t, U.At(2*i, t)+U.At(2*i+1, t))
		}
	}
	got := e.code(sum)
	for i := range n / 2 {
		e.off = append(e.off, relativeDistance(got.Slice(i, i+1, 0, k), want.Slice(i, i+1, 0, k)))
	}
	slices.Sort(e.off)
	var three mat.Dense
	three.Scale(3, A)
	U3 := e.code(&three)
	U3.Scale(1.0/3, U3)
	e.pairs, e.scale = want, relativeDistance(U3, U)
}

func (l *Lab) encodingRows(e *encoding) {
	median, scale := e.median(), e.scale
	l.Row(record.Row{
		ID: "encoding-linear", What: fmt.Sprintf("difference between the coefficients of a sum of two faces and the sum of their coefficients: median relative difference over %d pairs", len(e.off)),
		Measured: record.Number(100*median, "%"), Rule: record.AtLeast(1), Data: e.data, Figure: "encoding", Repeat: 0.5,
		Reason: "the post's \"learns latent factors as linear combinations of high-dimensional features\" is true, but of every vector, if the columns of W are meant. The encoding u(a) = argmin over u ≥ 0 of ‖a − Wu‖, a nonnegative least squares problem, is not linear. It is linear only among data with the same support S, where it is (W_S'W_S)⁻¹W_S'a. Overall it is continuous, piecewise linear and positively homogeneous",
	})
	l.Row(record.Row{
		ID: "encoding-homogeneous", What: "three times a face has three times the coefficients: relative difference",
		Measured: record.Bool(scale < 1e-9, fmt.Sprintf("%.1g", scale)), Rule: record.Holds(), Data: e.data,
	})
}

func (l *Lab) reconstructionRow(e *encoding) {
	back := product(e.U, e.W)
	again := product(e.code(back), e.W)
	// Decoding is linear: the reconstruction of a sum of coefficients is the sum of the reconstructions.
	linear := relativeDistance(product(e.pairs, e.W), pairSums(back))
	l.Row(record.Row{
		ID: "reconstruction-linear", What: "the reconstruction u ↦ Wu is linear, and reconstructing a reconstruction changes nothing",
		Published: post.Quote("… reconstructs the original features via linear projection.", motivation),
		Measured:  record.Bool(linear < 1e-12 && relativeDistance(again, back) < 1e-7, fmt.Sprintf("relative differences %.1g and %.1g", linear, relativeDistance(again, back))),
		Rule:      record.Holds(), Data: e.data,
		Reason: "linear in the coefficients. The map from a face to its reconstruction is the projection onto the cone spanned by the columns of W, which is not linear",
	})
}

// segment computes the codes of points on the line from face 0 to face 1, and stores them in path. Along the line the
// code is piecewise linear, with kinks where a coefficient becomes zero or stops being zero.
func (e *encoding) segment() {
	A := e.A
	const steps = 400
	line := mat.NewDense(steps+1, Side*Side, nil)
	ts := make([]float64, steps+1)
	for q := range steps + 1 {
		ts[q] = float64(q) / steps
		for j := range Side * Side {
			line.Set(q, j, (1-ts[q])*A.At(0, j)+ts[q]*A.At(1, j))
		}
	}
	e.ts, e.path = ts, e.code(line)
}

func (l *Lab) piecewiseRow(e *encoding) {
	path := e.path
	points, k := path.Dims()
	steps := points - 1
	bend := 0.0
	size := mat.Max(path)
	for q := 1; q < steps; q++ {
		same := true
		for t := range k {
			same = same && (path.At(q-1, t) > 0) == (path.At(q, t) > 0) && (path.At(q+1, t) > 0) == (path.At(q, t) > 0)
		}
		for t := range k {
			if !same {
				break
			}
			bend = math.Max(bend, math.Abs(path.At(q-1, t)-2*path.At(q, t)+path.At(q+1, t))/size)
		}
	}
	changes := supportChanges(path)
	l.Row(record.Row{
		ID: "encoding-piecewise", What: "segment from one face to another in 400 steps: the coefficients are linear between changes of the support",
		Measured: record.Bool(bend < 1e-9 && changes > 0, fmt.Sprintf("second differences up to %.1g; the support changes %d times", bend, changes)),
		Rule:     record.Holds(), Data: e.data, Figure: "encoding",
	})
}

func (l *Lab) encodingFigure(e *encoding) *figure.Grid {
	path := e.path
	_, k := path.Dims()
	// Kinks are easy to see in coefficients that are zero on a large part of the segment and large on the rest.
	type candidate struct {
		t    int
		size float64
	}
	var list []candidate
	for t := range k {
		col := mat.Col(nil, t, path)
		zero := 0.0
		for _, v := range col {
			if v == 0 {
				zero += 1 / float64(len(col))
			}
		}
		if zero > 0 && zero < 1 {
			list = append(list, candidate{t, slices.Max(col) * math.Min(zero, 1-zero)})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(b.size, a.size) })
	list = list[:min(5, len(list))]
	f := figure.New("From one face to another", "position on the segment", "coefficient")
	for _, c := range list {
		f.Lines("", e.ts, mat.Col(nil, c.t, path))
	}
	h := figure.Histogram("u(a + b) against u(a) + u(b)", percent(e.off), 0)
	h.X.Label.Text, h.Y.Label.Text = "relative difference, %", "density of pairs"
	g := figure.NewGrid("The code is not linear", 2, f, h).Size(3.4, 2.8)
	l.Save("encoding", fmt.Sprintf("Left: %d coefficients that are 0 on part of the segment. Right: ‖u(a + b) − u(a) − u(b)‖/‖u(a) + u(b)‖ for %d pairs, median %.0f %%. Data: %v.", len(list), len(e.off), 100*e.median(), e.data), g)
	return g
}

func percent(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = 100 * x
	}
	return out
}

// pairSums returns the sums of rows 0 and 1, 2 and 3, ...
func pairSums(A *mat.Dense) *mat.Dense {
	n, d := A.Dims()
	out := mat.NewDense(n/2, d, nil)
	for i := range n / 2 {
		for j := range d {
			out.Set(i, j, A.At(2*i, j)+A.At(2*i+1, j))
		}
	}
	return out
}

// supportChanges counts how often a coefficient becomes zero or stops being zero from one row of path to the next. Two
// coefficients that change in the same step count twice.
func supportChanges(path *mat.Dense) int {
	n, k := path.Dims()
	changes := 0
	for q := 1; q < n; q++ {
		for t := range k {
			if (path.At(q-1, t) > 0) != (path.At(q, t) > 0) {
				changes++
			}
		}
	}
	return changes
}
