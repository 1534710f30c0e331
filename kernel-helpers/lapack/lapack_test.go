package lapack

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// padded returns an m×n matrix of Gaussian numbers with gaps between its rows, which hold fill.
func padded(rnd *rand.Rand, m, n int) (a []float64, lda int) {
	lda = max(1, n+rnd.IntN(3))
	a = make([]float64, max(0, (m-1)*lda+n))
	for i := range a {
		a[i] = math.NaN()
	}
	for i := range m {
		for j := range n {
			a[i*lda+j] = rnd.NormFloat64()
		}
	}
	return a, lda
}

// dense returns a copy of the m×n matrix in a.
func dense(m, n int, a []float64, lda int) *mat.Dense {
	d := mat.NewDense(m, n, nil)
	for i := range m {
		d.SetRow(i, a[i*lda:i*lda+n])
	}
	return d
}

// gaps fails unless the gaps between the rows still hold NaN.
func gaps(t *testing.T, what string, m, n int, a []float64, lda int) {
	t.Helper()
	for i := range m - 1 {
		for _, x := range a[i*lda+n : (i+1)*lda] {
			if !math.IsNaN(x) {
				t.Fatalf("%s: has written between the rows", what)
			}
		}
	}
}

// distance returns the largest |a − b|.
func distance(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return mat.Norm(&d, math.Inf(1))
}

var shapes = [][2]int{{1, 1}, {5, 9}, {13, 13}, {14, 40}, {33, 32}, {64, 64}, {70, 65}, {100, 30}, {31, 97}, {130, 131}, {300, 45}, {45, 300}}

// TestQR compares Dgeqrf, Dorgqr, Dormqr and their LQ counterparts with gonum's: the signs of R are those of
// LAPACK, so R and Q are unique.
func TestQR(t *testing.T) {
	mine, ref := LAPACK{}, gonum.Implementation{}
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, s := range shapes {
		m, n := s[0], s[1]
		k := min(m, n)
		work := make([]float64, 64*(m+n)+4000)
		for _, byRows := range []bool{false, true} {
			factor, refFactor, org, refOrg := mine.Dgeqrf, ref.Dgeqrf, mine.Dorgqr, ref.Dorgqr
			mul, refMul := mine.Dormqr, ref.Dormqr
			if byRows {
				factor, refFactor, org, refOrg = mine.Dgelqf, ref.Dgelqf, mine.Dorglq, ref.Dorglq
				mul, refMul = mine.Dormlq, ref.Dormlq
			}
			a, lda := padded(rnd, m, n)
			b := append([]float64(nil), a...)
			tau, refTau := make([]float64, k), make([]float64, k)
			factor(m, n, a, lda, tau, work, len(work))
			refFactor(m, n, b, lda, refTau, work, len(work))
			gaps(t, "factor", m, n, a, lda)
			if d := distance(dense(m, n, a, lda), dense(m, n, b, lda)); d > 1e-12*float64(m+n) {
				t.Fatalf("%d×%d, rows %v: factors differ by %g", m, n, byRows, d)
			}
			for i := range tau {
				if math.Abs(tau[i]-refTau[i]) > 1e-12*float64(m+n) {
					t.Fatalf("%d×%d, rows %v: tau differs", m, n, byRows)
				}
			}
			// op(Q) C and C op(Q)
			nq := m
			if byRows {
				nq = n
			}
			for _, side := range sides {
				for _, trans := range transposes {
					cm, cn := nq, 1+rnd.IntN(60)
					if side == 'R' {
						cm, cn = cn, cm
					}
					c, ldc := padded(rnd, cm, cn)
					d := append([]float64(nil), c...)
					mul(side, trans, cm, cn, k, a, lda, tau, c, ldc, work, len(work))
					refMul(side, trans, cm, cn, k, a, lda, tau, d, ldc, work, len(work))
					gaps(t, "multiply", cm, cn, c, ldc)
					if d := distance(dense(cm, cn, c, ldc), dense(cm, cn, d, ldc)); d > 1e-12*float64(m+n) {
						t.Fatalf("%d×%d, rows %v, side %c, trans %c: products differ by %g", m, n, byRows, side, trans, d)
					}
				}
			}
			// Q: square, and thin
			for _, cols := range []int{k, nq} {
				for _, kk := range []int{k, (k + 1) / 2} {
					qm, qn := nq, cols
					if byRows {
						qm, qn = qn, qm
					}
					q, ldq := padded(rnd, qm, qn)
					for i := range min(m, qm) {
						copy(q[i*ldq:i*ldq+min(n, qn)], a[i*lda:i*lda+n])
					}
					p := append([]float64(nil), q...)
					org(qm, qn, kk, q, ldq, tau[:kk], work, len(work))
					refOrg(qm, qn, kk, p, ldq, tau[:kk], work, len(work))
					gaps(t, "Q", qm, qn, q, ldq)
					if d := distance(dense(qm, qn, q, ldq), dense(qm, qn, p, ldq)); d > 1e-12*float64(m+n) {
						t.Fatalf("%d×%d, rows %v, %d reflectors: Q differs by %g", m, n, byRows, kk, d)
					}
				}
			}
		}
	}
}

var (
	sides      = []blas.Side{'L', 'R'}
	transposes = []blas.Transpose{'N', 'T'}
)

// TestReflectorExtremes compares reflectors of very large, very small and zero vectors with gonum's.
func TestReflectorExtremes(t *testing.T) {
	for _, scale := range []float64{0, 1e-310, 1e-200, 1e-130, 1, 1e140, 1e300} {
		for _, alpha := range []float64{0, 1, -1e-320, 1e200} {
			x := []float64{3 * scale, -4 * scale, scale}
			y := append([]float64(nil), x...)
			b, tau := reflector(alpha, x)
			wantB, wantTau := gonum.Implementation{}.Dlarfg(4, alpha, y, 1)
			if math.Abs(b-wantB) > 1e-14*math.Abs(wantB) || math.Abs(tau-wantTau) > 1e-14 {
				t.Errorf("α %g, x %g: β %g τ %g, want %g %g", alpha, scale, b, tau, wantB, wantTau)
			}
			for i := range x {
				if math.Abs(x[i]-y[i]) > 1e-14*math.Abs(y[i]) {
					t.Errorf("α %g, x %g: v %v, want %v", alpha, scale, x, y)
				}
			}
		}
	}
}

var _ = blas64.General{}
