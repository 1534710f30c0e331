package pca

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/ui/progress"
)

// A Method is an algorithm for the principal axes. The exact methods find the same axes, and differ in cost. ByRandom
// and ByBlocks are approximate.
type Method int

const (
	// Auto chooses BySVD if n or d is at most 64, otherwise ByCovariance if d <= n and ByDual if n < d. It
	// chooses ByRandom if the smaller of n and d is above 6000 and fewer than a tenth of the axes are wanted.
	// For a *csr.Matrix, 64 takes the place of 6000.
	Auto Method = iota
	// ByCovariance takes the eigenvectors of X̄ᵀX̄ (d×d): O(nd²) to form it, O(d³)
	// at most for the axes.
	ByCovariance
	// ByDual takes the eigenvectors of X̄X̄ᵀ (n×n), for n << d: O(dn²).
	ByDual
	// BySVD takes the right singular vectors of X̄.
	BySVD
	// ByRandom is the randomized method of Halko, Martinsson and Tropp (2011). It is approximate and takes
	// O(ndk) for each pass over the data. For a *csr.Matrix it takes O(k) per nonzero, and X̄ is never
	// formed; all other methods make a dense copy.
	ByRandom
	// ByBlocks is the Method of a model from Incremental.
	ByBlocks
)

func (m Method) String() string {
	names := []string{"auto", "covariance", "dual", "SVD", "randomized", "incremental"}
	if m < 0 || int(m) >= len(names) {
		return fmt.Sprintf("Method(%d)", int(m))
	}
	return names[m]
}

// Options are the options of Fit. The zero value and nil mean all axes and the method Auto.
type Options struct {
	// Components is k, the number of axes. 0 means as many as Share needs if Share is set, and otherwise all, which is
	// min(n, d).
	Components int
	// Share asks for the fewest axes that together have at least this share of the variance, above 0 and at most 1 (see
	// Model.Choose). Components must then be 0. The fit computes all axes and drops the rest, so Method cannot be
	// ByRandom, which computes only some. 0 means no share.
	Share float64
	// Method is the algorithm; the zero value is Auto.
	Method Method
	// NoCenter skips centering: the mean is taken to be 0. The first axis then mostly points at the mean. The
	// option exists to show this.
	NoCenter bool
	// NoCentre is NoCenter under its old name.
	//
	// Deprecated: use NoCenter.
	NoCentre bool
	// Oversample is the number of directions beyond k that ByRandom uses. 0 means 10.
	Oversample int
	// Passes is the number of power iterations of ByRandom; each takes two products with
	// the data. 0 means 7 if fewer than a tenth of the axes are
	// wanted and 4 otherwise, as in scikit-learn; negative means none.
	Passes int
	// Seed determines the random start of ByRandom, and of the iteration inside ByCovariance and ByDual. The
	// results of ByCovariance and ByDual depend on Seed only through rounding.
	Seed uint64
	// Recorder receives the progress of a fit. May be nil.
	Recorder progress.Recorder
}

// A Model holds k principal axes of n points in d dimensions.
type Model struct {
	// Mean is x̄ (d); zeros with Options.NoCenter.
	Mean []float64
	// Components is Q_k (d×k): its columns are the principal axes, orthonormal,
	// by descending variance. The loading of largest absolute value in each
	// column is positive; if several are within 1e-9 of each other, the first
	// decides.
	Components *mat.Dense
	// Eigenvalues are the k largest eigenvalues of X̄ᵀX̄, without a division by n: λ_1 >= λ_2 >= ..
	Eigenvalues []float64
	// Singular holds the singular values of X̄, s_i = √λ_i.
	Singular []float64
	// Total is the sum of all d eigenvalues, ‖X̄‖_F², for any k.
	Total float64
	// N is the number of points; D is their dimension.
	N, D int
	// Method is the method that was used.
	Method Method
	// Approximate is true for ByRandom and ByBlocks, which do not bound the residual. Otherwise each axis is
	// an eigenvector up to rounding.
	Approximate bool
	// Residual is the largest ‖Cv − λv‖/λ_1 over the k axes, with C the decomposed matrix. If the solver for
	// all axes was used, it is the largest over 32 evenly spaced axes. 0 if not computed (BySVD, ByRandom,
	// ByBlocks).
	Residual float64
	// Rounds is the number of rounds of the eigensolver (ByCovariance, ByDual) or of passes (ByRandom).
	Rounds int
}

// Fit finds the principal axes of the rows of X (n×d). opt may be nil. It returns an error if X is nil or empty or has
// NaN or infinite elements, if an option is invalid, if squares of X overflow or underflow (numbers near 1e±154), if
// ctx is done, or if a solver fails.
func Fit(ctx context.Context, X mat.Matrix, opt *Options) (*Model, error) {
	var o Options
	if opt != nil {
		o = *opt
	}
	o.NoCenter = o.NoCenter || o.NoCentre
	if ctx == nil {
		ctx = context.Background()
	}
	n, d, err := dims("X", X)
	if err != nil {
		return nil, fmt.Errorf("pca: Fit: %w", err)
	}
	if n == 0 || d == 0 {
		return nil, fmt.Errorf("pca: Fit: X is empty (%d×%d)", n, d)
	}
	r := min(n, d)
	if err := checkRange("Components", o.Components, 0, r); err != nil {
		return nil, fmt.Errorf("pca: Fit: X is %d×%d: %w", n, d, err)
	}
	k := o.Components
	if k == 0 {
		k = r
	}
	if o.Share != 0 {
		switch {
		case !(o.Share > 0 && o.Share <= 1):
			err = fmt.Errorf("option Share is %v, must be above 0 and at most 1", o.Share)
		case o.Components != 0:
			err = fmt.Errorf("option Share is %v and Components is %d: set one of them", o.Share, o.Components)
		case o.Method == ByRandom:
			err = fmt.Errorf("option Share is %v: the method %v finds only some axes", o.Share, o.Method)
		}
		if err != nil {
			return nil, fmt.Errorf("pca: Fit: %w", err)
		}
	}
	how := o.Method
	if how == Auto {
		how = choose(n, d, k)
		if _, ok := X.(*csr.Matrix); ok && r > 64 && 10*k < r {
			how = ByRandom
		}
	}
	S, sparse := X.(*csr.Matrix)
	sparse = sparse && how == ByRandom
	var data *mat.Dense
	var mean []float64
	var total float64
	if sparse {
		mean, total, err = sparseMoments(S, o.NoCenter)
	} else {
		if err := finite.Room("X", X); err != nil {
			return nil, fmt.Errorf("pca: Fit: %w", err)
		}
		data = finite.AsDense(X)
		mean, total, err = moments(ctx, data, o.NoCenter)
	}
	if err != nil {
		return nil, fmt.Errorf("pca: Fit: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("pca: Fit: %w", err)
	}
	m := &Model{Mean: mean, N: n, D: d, Total: total, Method: how}
	switch how {
	case ByCovariance:
		err = m.byCovariance(ctx, data, k, &o)
	case ByDual:
		err = m.byDual(ctx, data, k, &o)
	case BySVD:
		err = m.bySVD(ctx, data, k)
	case ByRandom:
		if sparse {
			err = m.byRandom(ctx, newSparseOperator(S, mean, scaleOf(total, n, d)), k, &o)
			break
		}
		var Xc *mat.Dense
		if Xc, err = center(ctx, data, mean); err == nil {
			Xc.Scale(1/scaleOf(total, n, d), Xc)
			err = m.byRandom(ctx, denseOperator{Xc.RawMatrix()}, k, &o)
		}
	default:
		return nil, fmt.Errorf("pca: Fit: unknown method %v", o.Method)
	}
	if err != nil {
		return nil, fmt.Errorf("pca: Fit: %w", err)
	}
	if math.IsInf(m.Eigenvalues[0], 0) {
		return nil, fmt.Errorf("pca: Fit: the squares of X overflow: scale X")
	}
	if o.Share != 0 {
		if k, err = m.Choose(o.Share); err != nil {
			return nil, err
		}
		m.keep(k)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("pca: Fit: %w", err)
	}
	return m, nil
}

// keep drops all axes after the first k.
func (m *Model) keep(k int) {
	m.Components = mat.DenseCopyOf(m.Components.Slice(0, m.D, 0, k))
	m.Eigenvalues, m.Singular = slices.Clone(m.Eigenvalues[:k]), slices.Clone(m.Singular[:k])
}

// choose returns the method that Auto stands for, for a dense n×d matrix and k axes.
func choose(n, d, k int) Method {
	switch r := min(n, d); {
	case r <= 64:
		return BySVD
	case r > 6000 && 10*k < r:
		return ByRandom
	case n < d:
		return ByDual
	}
	return ByCovariance
}

// K returns the number of axes.
func (m *Model) K() int { return len(m.Eigenvalues) }

// Transform returns the scores of the rows of X (n×d), their coordinates on the axes: X̄_k = (X − x̄) Q_k (n×k).
func (m *Model) Transform(X mat.Matrix) *mat.Dense { return m.transform("Transform", X) }

// Scores does what Transform does; the name is the lecture's.
func (m *Model) Scores(X mat.Matrix) *mat.Dense { return m.transform("Scores", X) }

func (m *Model) transform(what string, X mat.Matrix) *mat.Dense {
	if S, ok := m.sparse(what, X); ok {
		Z := S.Mul(m.Components)
		var off mat.VecDense // Qᵀx̄
		off.MulVec(m.Components.T(), mat.NewVecDense(m.D, m.Mean))
		n, _ := S.Dims()
		for i := range n {
			floats.Sub(Z.RawRowView(i), off.RawVector().Data)
		}
		return Z
	}
	C := m.centered(what, X)
	var z mat.Dense
	z.Mul(C, m.Components)
	return &z
}

// Inverse returns the points whose scores are the rows of Z: Z Q_kᵀ + x̄ (n×d) for Z (n×k). If Z has fewer columns than
// the model has axes, the columns of Z belong to the first k axes.
func (m *Model) Inverse(Z mat.Matrix) *mat.Dense { return m.inverse("Inverse", Z) }

// Reconstruct does what Inverse does; the name is the lecture's.
func (m *Model) Reconstruct(Z mat.Matrix) *mat.Dense { return m.inverse("Reconstruct", Z) }

func (m *Model) inverse(what string, Z mat.Matrix) *mat.Dense {
	n, k := mustDims(what, "Z", Z)
	if k > m.K() {
		panic(fmt.Sprintf("pca: %s: scores on %d axes, the model has %d axes", what, k, m.K()))
	}
	if n == 0 {
		panic(fmt.Sprintf("pca: %s: no scores", what))
	}
	out := mat.NewDense(n, m.D, nil)
	if k > 0 {
		out.Mul(Z, m.Components.Slice(0, m.D, 0, k).T())
	}
	for i := range n {
		row := out.RawRowView(i)
		for j, x := range m.Mean {
			row[j] += x
		}
	}
	return out
}

// Project returns the points nearest to the rows of X (n×d) in the plane of the
// first k axes through the mean: X̄Q_kQ_kᵀ + x̄ (n×d).
func (m *Model) Project(X mat.Matrix, k int) *mat.Dense {
	m.checkAxes("Project", k)
	n, _ := mustDims("Project", "X", X)
	Z := m.Transform(X)
	return m.Inverse(Z.Slice(0, n, 0, k))
}

// Loss returns the reconstruction loss ‖X̄Q_kQ_kᵀ − X̄‖_F of the rows of X (n×d) with the first k axes, by computing
// the reconstruction. X need not be the data of the fit.
func (m *Model) Loss(X mat.Matrix, k int) float64 {
	m.checkAxes("Loss", k)
	if S, ok := m.sparse("Loss", X); ok {
		n, _ := S.Dims()
		loss := 0.0
		for from := 0; from < n; from += lossRows {
			rows := make([]int, min(lossRows, n-from))
			for r := range rows {
				rows[r] = from + r
			}
			loss = math.Hypot(loss, m.Loss(S.Rows(rows).Dense(), k))
		}
		return loss
	}
	C := m.centered("Loss", X)
	if k > 0 {
		var z, back mat.Dense
		Q := m.Components.Slice(0, m.D, 0, k)
		z.Mul(C, Q)
		back.Mul(&z, Q.T())
		C.Sub(C, &back)
	}
	return mat.Norm(C, 2) // gonum's 2 is the Frobenius norm
}

// DiscardedLoss returns the reconstruction loss with the first k axes on the data that the model was fitted to. It
// does not need these data, because of the identity
//
//	‖X̄Q_kQ_kᵀ − X̄‖_F² = λ_{k+1} + .. + λ_d = ‖X̄‖_F² − λ_1 − .. − λ_k.
func (m *Model) DiscardedLoss(k int) float64 {
	m.checkAxes("DiscardedLoss", k)
	if m.K() == min(m.N, m.D) { // all are known: no cancellation
		s := 0.0
		for i := m.K() - 1; i >= k; i-- {
			s += m.Eigenvalues[i]
		}
		return math.Sqrt(s)
	}
	s := m.Total
	for _, l := range m.Eigenvalues[:k] {
		s -= l
	}
	return math.Sqrt(math.Max(0, s))
}

// Variances returns the sample variances along the axes, λ_i/(n−1). For n = 1 they
// are zero.
func (m *Model) Variances() []float64 {
	v := make([]float64, m.K())
	for i, l := range m.Eigenvalues {
		v[i] = l / float64(max(1, m.N-1))
	}
	return v
}

// ExplainedRatio returns, for each axis of the model, its share of the variance, λ_i / Σ_j λ_j, where the sum is over
// all d axes. If the model has all axes, the shares sum to 1. For data without variance they are 0.
func (m *Model) ExplainedRatio() []float64 {
	v := make([]float64, m.K())
	if m.Total > 0 {
		for i, l := range m.Eigenvalues {
			v[i] = l / m.Total
		}
	}
	return v
}

// Explained returns the share of the variance that the first k axes have together.
func (m *Model) Explained(k int) float64 {
	m.checkAxes("Explained", k)
	s := 0.0
	for _, r := range m.ExplainedRatio()[:k] {
		s += r
	}
	return s
}

// Choose returns the smallest k for which the first k axes have at least the given share of the variance. It returns
// an error if all axes of the model together have less, if share is not in the interval (0, 1], or if the data have no
// variance. A sum of shares that is up to 1e-12 below the given share also counts, because rounding may leave the sum
// over all d axes slightly below 1.
func (m *Model) Choose(share float64) (int, error) {
	if !(share > 0 && share <= 1) {
		return 0, fmt.Errorf("pca: Choose: share is %v, must be above 0 and at most 1", share)
	}
	if m.Total == 0 {
		return 0, fmt.Errorf("pca: Choose: the data have no variance")
	}
	s := 0.0
	for i, r := range m.ExplainedRatio() {
		if s += r; s >= share-1e-12 {
			return i + 1, nil
		}
	}
	return 0, fmt.Errorf("pca: Choose: the %d axes hold %.6g of the variance, less than %v", m.K(), s, share)
}

// Axis returns a copy of axis i (d numbers); the first axis is number 0.
func (m *Model) Axis(i int) []float64 {
	if i < 0 || i >= m.K() {
		panic(fmt.Sprintf("pca: Axis: there is no axis %d, the model has %d", i, m.K()))
	}
	return mat.Col(nil, i, m.Components)
}

// Images returns a copy of the axes as the rows of a k×d matrix, the layout of a data matrix X with one picture per
// row. For pictures of faces these are the eigenfaces.
func (m *Model) Images() *mat.Dense { return mat.DenseCopyOf(m.Components.T()) }

// String returns a one-line summary of the model.
func (m *Model) String() string {
	how := "exact"
	if m.Approximate {
		how = "approximate"
	}
	return fmt.Sprintf("PCA of %d points in %d dimensions: %d axes, %.4g %% of the variance (%v, %v)",
		m.N, m.D, m.K(), 100*m.Explained(m.K()), m.Method, how)
}

func (m *Model) checkAxes(what string, k int) {
	if k < 0 || k > m.K() {
		panic(fmt.Sprintf("pca: %s: %d axes, the model has %d axes", what, k, m.K()))
	}
}

// lossRows is the number of rows of a sparse matrix that Loss converts to dense at a time.
const lossRows = 256

// sparse returns X and true if X is a sparse matrix with the model's dimension. It panics if X has NaN or Inf; the
// message contains the given method name.
func (m *Model) sparse(method string, X mat.Matrix) (*csr.Matrix, bool) {
	S, ok := X.(*csr.Matrix)
	if !ok || isNil(X) {
		return nil, false
	}
	if n, d := S.Dims(); n == 0 || d != m.D {
		return nil, false // centered reports the error
	}
	if i, j := S.Find(); i >= 0 {
		panic(fmt.Sprintf("pca: %s: X(%d, %d) is %v", method, i, j, S.At(i, j)))
	}
	return S, true
}

// centered returns X minus the model's mean. It panics if X is not n×d or not finite; the message contains the given
// method name.
func (m *Model) centered(method string, X mat.Matrix) *mat.Dense {
	n, d := mustDims(method, "X", X)
	if d != m.D || n == 0 {
		panic(fmt.Sprintf("pca: %s: X is %d×%d, the model has dimension %d", method, n, d, m.D))
	}
	C, err := center(context.Background(), finite.AsDense(X), m.Mean)
	if err != nil {
		panic(fmt.Sprintf("pca: %s: %v", method, err))
	}
	return C
}
