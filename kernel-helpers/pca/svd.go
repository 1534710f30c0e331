package pca

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/symeig"
)

// Factors is a singular value decomposition M = U Σ Vᵀ of M (m×n), full or one
// of its trimmed forms:
//
//	          U     Σ     V     exact?
//	full      m×m   m×n   n×n   yes
//	thin      m×p   p×p   n×p   yes, p = min(m, n)
//	compact   m×r   r×r   n×r   yes, r = rank(M)
//	truncated m×t   t×t   n×t   no: the best approximation of rank t
//
// (The columns of V are the right singular vectors; Vᵀ has them as rows.) The singular values are unique; the vectors
// are not. A column of V and its column of U may both change sign; here the columns of V have the signs of
// Model.Components. Columns for equal singular values may be rotated. So may the columns of the full form that have no
// singular value.
type Factors struct {
	U *mat.Dense
	S []float64 // singular values, descending
	V *mat.Dense
	// Rows and Cols are the dimensions of M.
	Rows, Cols int
}

// FullSVD returns U (m×m), Σ (m×n) and V (n×n).
func FullSVD(M mat.Matrix) (*Factors, error) { return factorize("FullSVD", M, mat.SVDFull) }

// ThinSVD returns U (m×p), Σ (p×p) and V (n×p) with p = min(m, n).
func ThinSVD(M mat.Matrix) (*Factors, error) { return factorize("ThinSVD", M, mat.SVDThin) }

// CompactSVD returns U (m×r), Σ (r×r) and V (n×r). r is the numerical rank, the number of singular values above
// tolerance·σ_1. tolerance = 0 means max(m, n)·2⁻⁵². It returns an error if tolerance is negative or at least 1, or if
// M is zero, because then r = 0.
func CompactSVD(M mat.Matrix, tolerance float64) (*Factors, error) {
	if !(tolerance >= 0 && tolerance < 1) {
		return nil, fmt.Errorf("pca: CompactSVD: tolerance is %v, must be at least 0 and below 1", tolerance)
	}
	f, err := factorize("CompactSVD", M, mat.SVDThin)
	if err != nil {
		return nil, err
	}
	r := f.Rank(tolerance)
	if r == 0 {
		return nil, fmt.Errorf("pca: CompactSVD: the matrix is zero")
	}
	return f.cut(r), nil
}

// TruncatedSVD returns U (m×t), Σ (t×t) and V (n×t) for the t largest singular values. It returns
// an error if t is not between 1 and min(m, n).
func TruncatedSVD(M mat.Matrix, t int) (*Factors, error) {
	f, err := factorize("TruncatedSVD", M, mat.SVDThin)
	if err != nil {
		return nil, err
	}
	if err := checkRange("t", t, 1, len(f.S)); err != nil {
		return nil, fmt.Errorf("pca: TruncatedSVD: %w", err)
	}
	return f.cut(t), nil
}

func factorize(what string, M mat.Matrix, kind mat.SVDKind) (*Factors, error) {
	m, n, err := dims("the matrix", M)
	if err != nil {
		return nil, fmt.Errorf("pca: %s: %w", what, err)
	}
	if m == 0 || n == 0 {
		return nil, fmt.Errorf("pca: %s: the matrix is empty (%d×%d)", what, m, n)
	}
	if err := finite.Check("X", finite.AsDense(M)); err != nil {
		return nil, fmt.Errorf("pca: %s: %w", what, err)
	}
	if kind == mat.SVDFull {
		if err := ram.Check(fmt.Sprintf("U and V for a %d×%d matrix", m, n), 16*(float64(m)*float64(m)+float64(n)*float64(n))); err != nil {
			return nil, fmt.Errorf("pca: %s: %w", what, err)
		}
	}
	var svd mat.SVD
	if !svd.Factorize(M, kind) {
		return nil, fmt.Errorf("pca: %s: QR iteration on a %d×%d matrix did not converge", what, m, n)
	}
	var U, V mat.Dense
	svd.UTo(&U)
	svd.VTo(&V)
	if s := svd.Values(nil); math.IsInf(s[0], 0) || math.IsNaN(s[0]) {
		return nil, fmt.Errorf("pca: %s: the singular values overflow: scale the matrix", what)
	}
	f := &Factors{U: &U, V: &V, S: svd.Values(nil), Rows: m, Cols: n}
	// A column of V and its column of U change sign together.
	before := mat.DenseCopyOf(&V)
	symeig.Signs(&V)
	for j := range f.S {
		for i := range n {
			if a := before.At(i, j); a != 0 {
				if (a < 0) != (V.At(i, j) < 0) {
					for r := range m {
						U.Set(r, j, -U.At(r, j))
					}
				}
				break
			}
		}
	}
	return f, nil
}

// cut returns a copy with only the first r singular values and their columns of U and V.
func (f *Factors) cut(r int) *Factors {
	return &Factors{
		U: mat.DenseCopyOf(f.U.Slice(0, f.Rows, 0, r)), S: append([]float64(nil), f.S[:r]...),
		V: mat.DenseCopyOf(f.V.Slice(0, f.Cols, 0, r)), Rows: f.Rows, Cols: f.Cols,
	}
}

// Sigma returns Σ as a matrix, in the shape that fits U and V.
func (f *Factors) Sigma() *mat.Dense {
	_, r := f.U.Dims()
	_, c := f.V.Dims()
	s := mat.NewDense(r, c, nil)
	for i, x := range f.S {
		s.Set(i, i, x)
	}
	return s
}

// Matrix returns U Σ Vᵀ (m×n).
func (f *Factors) Matrix() *mat.Dense {
	r := len(f.S)
	us := mat.DenseCopyOf(f.U.Slice(0, f.Rows, 0, r)) // m×r
	for i := range f.Rows {
		row := us.RawRowView(i)
		for j, s := range f.S {
			row[j] *= s
		}
	}
	var m mat.Dense
	m.Mul(us, f.V.Slice(0, f.Cols, 0, r).T())
	return &m
}

// Rank returns the numerical rank, the number of singular values above tolerance·σ_1. tolerance = 0 means max(m,
// n)·2⁻⁵².
func (f *Factors) Rank(tolerance float64) int {
	if tolerance < 0 || math.IsNaN(tolerance) {
		panic(fmt.Sprintf("pca: Rank: tolerance is %v, must be at least 0 and below 1", tolerance))
	}
	if tolerance == 0 {
		tolerance = float64(max(f.Rows, f.Cols)) * 0x1p-52
	}
	r := 0
	for r < len(f.S) && f.S[r] > 0 && f.S[r] > tolerance*f.S[0] {
		r++
	}
	return r
}

// String returns the shapes of the factors.
func (f *Factors) String() string {
	um, un := f.U.Dims()
	vm, vn := f.V.Dims()
	sm, sn := f.Sigma().Dims()
	return fmt.Sprintf("U %d×%d, Σ %d×%d, V %d×%d", um, un, sm, sn, vm, vn)
}

// bySVD stores in m the k leading axes, the first columns of V in X̄ = UΣVᵀ.
func (m *Model) bySVD(ctx context.Context, X *mat.Dense, k int) error {
	Xc, err := center(ctx, X, m.Mean)
	if err != nil {
		return err
	}
	var svd mat.SVD
	found := false
	n, d := Xc.Dims()
	err = parallel.Await(ctx, 20*float64(n)*float64(d)*float64(min(n, d)), func() {
		found = svd.Factorize(Xc, mat.SVDThin)
	})
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("QR iteration for the SVD of a %d×%d matrix did not converge", m.N, m.D)
	}
	var V mat.Dense
	svd.VTo(&V)
	s := svd.Values(nil)[:k]
	m.set(make([]float64, k), mat.DenseCopyOf(V.Slice(0, m.D, 0, k)))
	for i, x := range s {
		m.Singular[i], m.Eigenvalues[i] = x, x*x
	}
	return nil
}
