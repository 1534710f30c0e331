package pca

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/symeig"
	"overcomplete/ui/progress"
)

// Eigenpairs holds eigenvalues with their eigenvectors, C v_i = λ_i v_i.
type Eigenpairs struct {
	Values  []float64  // k, descending
	Vectors *mat.Dense // d×k, orthonormal columns with the signs of Model.Components
}

// Eigen returns the k largest eigenvalues of a symmetric matrix C (d×d) with their eigenvectors. k = 0 means all, which
// gives the spectral decomposition C = QDQᵀ. Eigen returns an error if k is not between 0 and d, if C is nil, empty or
// not finite, or if eigenvalues overflow.
func Eigen(C mat.Symmetric, k int) (*Eigenpairs, error) {
	if err := symeig.Check(C); err != nil {
		return nil, fmt.Errorf("pca: Eigen: %w", err)
	}
	d := C.SymmetricDim()
	if err := checkRange("k", k, 0, d); err != nil {
		return nil, fmt.Errorf("pca: Eigen: %w", err)
	}
	if k == 0 {
		k = d
	}
	values, Q, err := symeig.Decompose(C, k)
	if err != nil {
		return nil, fmt.Errorf("pca: Eigen: %w", err)
	}
	return &Eigenpairs{values, Q}, nil
}

// Eigenvalues returns all eigenvalues of a symmetric matrix in descending order.
func Eigenvalues(C mat.Symmetric) ([]float64, error) {
	if err := symeig.Check(C); err != nil {
		return nil, fmt.Errorf("pca: Eigenvalues: %w", err)
	}
	v, err := symeig.Values(C)
	if err != nil {
		return nil, fmt.Errorf("pca: Eigenvalues: %w", err)
	}
	return v, nil
}

// Scatter returns X̄ᵀX̄ (d×d) for the rows of X (n×d). The lecture calls it the
// covariance matrix, although there is no division by n.
func Scatter(X mat.Matrix) (*mat.SymDense, error) {
	n, d, err := dims("X", X)
	if err != nil {
		return nil, fmt.Errorf("pca: Scatter: %w", err)
	}
	if n == 0 || d == 0 {
		return nil, fmt.Errorf("pca: Scatter: X is empty (%d×%d)", n, d)
	}
	if err := cmp.Or(finite.Room("X", X), square("X̄ᵀX̄", d, n)); err != nil {
		return nil, fmt.Errorf("pca: Scatter: %w", err)
	}
	data := finite.AsDense(X)
	mean, _, err := moments(context.Background(), data, false)
	if err != nil {
		return nil, fmt.Errorf("pca: Scatter: %w", err)
	}
	return scatter(context.Background(), data, mean)
}

// square returns an error if an m×m symmetric matrix, with the workspace for its decomposition, would take too much
// memory. The error calls the matrix by the given name. m and other are the two dimensions of the data X. If m is not
// the larger of the two, the matrix is no larger than X, and square returns nil.
func square(name string, m, other int) error {
	if m <= other {
		return nil
	}
	return ram.Check(fmt.Sprintf("%s with %d rows, and its decomposition,", name, m), 24*float64(m)*float64(m))
}

// scatter returns X̄ᵀX̄, or the error of ctx if ctx is done. It centers a block of rows at a time, in a buffer that
// fits the cache, so that X̄ as a whole is never stored.
func scatter(ctx context.Context, X *mat.Dense, mean []float64) (*mat.SymDense, error) {
	const block = 512
	n, d := X.Dims()
	C := mat.NewSymDense(d, nil)
	buf := blas64.General{Rows: block, Cols: d, Stride: d, Data: make([]float64, min(n, block)*d)}
	for from := 0; from < n; from += block {
		m := min(block, n-from)
		inRanges(m, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				out := buf.Data[i*d : (i+1)*d]
				for j, x := range X.RawRowView(from + i) {
					out[j] = x - mean[j]
				}
			}
		})
		buf.Rows = m
		err := parallel.Await(ctx, float64(m)*float64(d)*float64(d), func() {
			blas64.Syrk(blas.Trans, 1, buf, 1, C.RawSymmetric())
		})
		if err != nil {
			return nil, err
		}
	}
	return C, nil
}

// byCovariance stores in m the k leading eigenvalues and eigenvectors (columns of Q) of X̄ᵀX̄ = QDQᵀ.
func (m *Model) byCovariance(ctx context.Context, X *mat.Dense, k int, o *Options) error {
	if err := square("X̄ᵀX̄", m.D, m.N); err != nil {
		return err
	}
	C, err := scatter(ctx, X, m.Mean)
	if err != nil {
		return err
	}
	values, V, st, err := symeig.Top(ctx, C, k, o.Seed, report(o, k))
	if err != nil {
		return err
	}
	m.Rounds, m.Residual = st.Rounds, st.Residual
	m.set(values, symeig.Columns(V))
	return nil
}

// byDual stores in m the k leading axes, computed from X̄X̄ᵀ = UDUᵀ (n×n). X̄X̄ᵀ has the same nonzero eigenvalues s_i²
// as X̄ᵀX̄, and the axes are v_i = X̄ᵀu_i/s_i.
func (m *Model) byDual(ctx context.Context, X *mat.Dense, k int, o *Options) error {
	Xc, err := center(ctx, X, m.Mean)
	if err != nil {
		return err
	}
	n, d := Xc.Dims()
	if err := square("X̄X̄ᵀ", n, m.D); err != nil {
		return err
	}
	G := mat.NewSymDense(n, nil)
	err = parallel.Await(ctx, float64(d)*float64(n)*float64(n), func() {
		blas64.Syrk(blas.NoTrans, 1, Xc.RawMatrix(), 0, G.RawSymmetric())
	})
	if err != nil {
		return err
	}
	values, U, st, err := symeig.Top(ctx, G, k, o.Seed, report(o, k))
	if err != nil {
		return err
	}
	m.Rounds, m.Residual = st.Rounds, st.Residual
	var V mat.Dense // k×d: row i is s_i v_i
	err = parallel.Await(ctx, float64(k)*float64(n+k)*float64(d), func() {
		V.Mul(U, Xc)
		orthonormalize(&V, values, n, o.Seed)
	})
	if err != nil {
		return err
	}
	m.set(values, symeig.Columns(&V))
	return nil
}

// orthonormalize replaces the rows of V (k×d), which are s_i v_i for axes v_i, by orthonormal axes. values holds the
// s_i², the largest eigenvalues of a dual matrix such as X̄X̄ᵀ (n×n).
//
// If s_i is small, v_i has lost digits. If s_i = 0 up to rounding (centering removes one dimension), v_i is only
// noise, and is replaced by a random direction. Gram-Schmidt makes each row orthogonal to the rows with larger s_i, so
// such a direction is one in which the data do not vary.
func orthonormalize(V *mat.Dense, values []float64, n int, seed uint64) {
	v := V.RawMatrix()
	_, d := V.Dims()
	for i := range values {
		r := v.Data[i*v.Stride : i*v.Stride+d]
		s := math.Sqrt(math.Max(0, values[i]))
		if values[i] <= float64(max(n, d))*0x1p-52*values[0] {
			clear(r)
			continue
		}
		for j := range r {
			r[j] /= s
		}
	}
	symeig.Orthonormalise(v, blas64.General{Cols: d, Stride: d}, rand.New(rand.NewPCG(seed, 0xd0a1)))
}

func report(o *Options, k int) func(round, locked int) {
	if o.Recorder == nil {
		return nil
	}
	return func(round, locked int) {
		o.Recorder.Record(progress.Event{What: "principal axes", Step: locked, Total: k, Objective: math.NaN()})
	}
}

// set stores the eigenvalues, their square roots and the axes Q (d×k) in m. Eigenvalues that rounding has made
// negative become 0. set also chooses the signs of the columns of Q.
func (m *Model) set(values []float64, Q *mat.Dense) {
	m.Eigenvalues = make([]float64, len(values))
	m.Singular = make([]float64, len(values))
	for i, l := range values {
		l = math.Max(0, l)
		m.Eigenvalues[i], m.Singular[i] = l, math.Sqrt(l)
	}
	symeig.Signs(Q)
	m.Components = Q
}
