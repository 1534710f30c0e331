package lapack

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// lapackOf makes gonum's matrices use p, until done is called.
func lapackOf(p lapack.Float64) (done func()) {
	lapack64.Use(p)
	return func() { lapack64.Use(gonum.Implementation{}) }
}

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

// distance returns the largest |a − b|, or NaN if there is one.
func distance(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	worst := 0.0
	for _, x := range d.RawMatrix().Data {
		if math.IsNaN(x) {
			return x
		}
		worst = max(worst, math.Abs(x))
	}
	return worst
}

var shapes = [][2]int{{1, 1}, {5, 9}, {13, 13}, {14, 40}, {33, 32}, {64, 64}, {70, 65}, {100, 30}, {31, 97}, {130, 131}, {300, 45}, {45, 300}}

// TestQR compares Dgeqrf, Dorgqr, Dormqr and their LQ counterparts with gonum's: the signs of R are those of
// LAPACK, so R and Q are unique.
func TestQR(t *testing.T) {
	mine, ref := implementation{}, gonum.Implementation{}
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
			if d := distance(dense(m, n, a, lda), dense(m, n, b, lda)); !(d <= 1e-12*float64(m+n)) {
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
					if d := distance(dense(cm, cn, c, ldc), dense(cm, cn, d, ldc)); !(d <= 1e-12*float64(m+n)) {
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
					if d := distance(dense(qm, qn, q, ldq), dense(qm, qn, p, ldq)); !(d <= 1e-12*float64(m+n)) {
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

var orders = []int{1, 8, 24, 25, 33, 64, 100, 131, 257}

// TestCholesky compares Dpotrf, Dpotri and Dtrtri with gonum's, for matrices with NaN in the other triangle.
func TestCholesky(t *testing.T) {
	mine, ref := implementation{}, gonum.Implementation{}
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, n := range orders {
		for _, uplo := range []blas.Uplo{blas.Upper, blas.Lower} {
			var s mat.SymDense
			s.SymOuterK(1, normal(rnd, n, n+5))
			a, lda := padded(rnd, n, n)
			triangle(n, a, lda, uplo, func(i, j int) float64 { return s.At(i, j) })
			b := append([]float64(nil), a...)
			same := func(what string, tolerance float64) {
				t.Helper()
				scale := 0.0
				triangle(n, b, lda, uplo, func(i, j int) float64 { scale = max(scale, math.Abs(b[i*lda+j])); return b[i*lda+j] })
				for i, x := range a {
					if y := b[i]; math.Abs(x-y) > tolerance*scale || math.IsNaN(x) != math.IsNaN(y) {
						t.Fatalf("%s %c %d: element %d,%d is %g, want %g", what, uplo, n, i/lda, i%lda, x, y)
					}
				}
			}
			if !mine.Dpotrf(uplo, n, a, lda) || !ref.Dpotrf(uplo, n, b, lda) {
				t.Fatalf("%d: not positive definite", n)
			}
			same("Dpotrf", 1e-13*float64(n))
			factor := append([]float64(nil), b...)
			copy(a, b)
			if !mine.Dpotri(uplo, n, a, lda) || !ref.Dpotri(uplo, n, b, lda) {
				t.Fatalf("%d: singular", n)
			}
			same("Dpotri", 1e-9)
			for _, diag := range []blas.Diag{blas.NonUnit, blas.Unit} {
				copy(a, factor)
				triangle(n, a, lda, uplo, func(i, j int) float64 {
					if i == j {
						return a[i*lda+j]
					}
					return a[i*lda+j] / float64(n)
				})
				copy(b, a)
				if !mine.Dtrtri(uplo, diag, n, a, lda) || !ref.Dtrtri(uplo, diag, n, b, lda) {
					t.Fatalf("%d: singular", n)
				}
				same("Dtrtri", 1e-13)
			}
			// A matrix that is not positive definite, or has a NaN, is refused; a zero on the diagonal too.
			for _, bad := range []float64{-1, 0, math.NaN()} {
				triangle(n, a, lda, uplo, func(i, j int) float64 { return s.At(i, j) })
				a[(n-1)*(lda+1)] = bad
				if mine.Dpotrf(uplo, n, a, lda) {
					t.Errorf("%d: %g on the diagonal is accepted", n, bad)
				}
			}
			triangle(n, a, lda, uplo, func(i, j int) float64 { return 0.1 })
			a[n/2*(lda+1)] = 0
			if mine.Dtrtri(uplo, blas.NonUnit, n, a, lda) || mine.Dpotri(uplo, n, a, lda) {
				t.Errorf("%d: a triangle with a zero on the diagonal is inverted", n)
			}
		}
	}
}

// triangle sets the elements of one triangle.
func triangle(n int, a []float64, lda int, uplo blas.Uplo, f func(i, j int) float64) {
	for i := range n {
		for j := range n {
			if i == j || (j > i) == (uplo == blas.Upper) {
				a[i*lda+j] = f(i, j)
			}
		}
	}
}

// TestLU compares Dgetrf and Dgetri with gonum's; the pivots are the same.
func TestLU(t *testing.T) {
	mine, ref := implementation{}, gonum.Implementation{}
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, s := range append(shapes, [2]int{257, 257}, [2]int{25, 25}) {
		for _, kind := range []string{"random", "integers", "singular", "NaN"} {
			m, n := s[0], s[1]
			k := min(m, n)
			a, lda := padded(rnd, m, n)
			switch kind {
			case "integers": // with equal candidates for a pivot
				for i := range m {
					for j := range n {
						a[i*lda+j] = float64(rnd.IntN(3) - 1)
					}
				}
				for i := range k {
					a[i*(lda+1)] += 0.5
				}
			case "singular":
				for i := range m {
					a[i*lda+k/2] = 0
				}
			case "NaN":
				a[m/2*lda+n/2] = math.NaN()
			}
			b := append([]float64(nil), a...)
			p, q := make([]int, k), make([]int, k)
			okA, okB := mine.Dgetrf(m, n, a, lda, p), ref.Dgetrf(m, n, b, lda, q)
			if kind == "NaN" {
				continue // the decomposition must only end
			}
			gaps(t, "LU", m, n, a, lda)
			if okA != okB {
				t.Fatalf("%s %d×%d: %v, want %v", kind, m, n, okA, okB)
			}
			if kind == "random" {
				for i := range p {
					if p[i] != q[i] {
						t.Fatalf("%d×%d: pivot %d is %d, want %d", m, n, i, p[i], q[i])
					}
				}
			}
			// PLU = A, |L| <= 1
			L, U := mat.NewDense(m, k, nil), mat.NewDense(k, n, nil)
			for i := range m {
				for j := range n {
					x := a[i*lda+j]
					if i <= j {
						U.Set(i, j, x)
					} else {
						L.Set(i, j, x)
						if math.Abs(x) > 1 {
							t.Fatalf("%s %d×%d: L has a %g", kind, m, n, x)
						}
					}
				}
				if i < k {
					L.Set(i, i, 1)
				}
			}
			var x, want mat.Dense
			x.Mul(L, U)
			for i := k - 1; i >= 0; i-- {
				r, s := x.RawRowView(i), x.RawRowView(p[i])
				if i != p[i] {
					for j := range r {
						r[j], s[j] = s[j], r[j]
					}
				}
			}
			L.Zero()
			U.Zero()
			for i := range m {
				for j := range n {
					if i <= j {
						U.Set(i, j, b[i*lda+j])
					} else {
						L.Set(i, j, b[i*lda+j])
					}
				}
				if i < k {
					L.Set(i, i, 1)
				}
			}
			want.Mul(L, U)
			for i := k - 1; i >= 0; i-- {
				r, s := want.RawRowView(i), want.RawRowView(q[i])
				if i != q[i] {
					for j := range r {
						r[j], s[j] = s[j], r[j]
					}
				}
			}
			if d := distance(&x, &want); !(d <= 1e-12*float64(k)) {
				t.Fatalf("%s %d×%d: PLU is wrong by %g", kind, m, n, d)
			}
			if m != n {
				continue
			}
			work := make([]float64, 64*n)
			A := x
			okA, okB = mine.Dgetri(n, a, lda, p, work, len(work)), ref.Dgetri(n, b, lda, q, work, len(work))
			if okA != okB {
				t.Fatalf("%s %d: inverse %v, want %v", kind, n, okA, okB)
			}
			if !okA {
				continue
			}
			inverse := dense(n, n, a, lda)
			var i mat.Dense
			i.Mul(inverse, &A)
			one := mat.NewDiagDense(n, nil)
			for j := range n {
				one.SetDiag(j, 1)
			}
			if d := distance(&i, one); !(d <= 1e-13*float64(n)*mat.Norm(inverse, 1)*mat.Norm(&A, 1)) {
				t.Fatalf("%s %d: A⁻¹A is wrong by %g", kind, n, d)
			}
		}
	}
}

// TestCondition compares the estimates of condition numbers with gonum's, which run the same algorithm, also
// for singular matrices, matrices with NaN and matrices whose inverse overflows.
func TestCondition(t *testing.T) {
	mine, ref := implementation{}, gonum.Implementation{}
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, n := range orders {
		for _, kind := range []string{"random", "singular", "overflow", "NaN"} {
			a, lda := padded(rnd, n, n)
			switch kind {
			case "singular":
				a[n/2*(lda+1)] = 0
			case "overflow":
				a[n/2*(lda+1)] = 1e-300
			case "NaN":
				a[n/2*(lda+1)] = math.NaN()
			}
			work, iwork := make([]float64, 4*n), make([]int, n)
			same := func(what string, got, want float64) {
				t.Helper()
				if math.Abs(got-want) > 1e-8*want || math.IsNaN(got) != math.IsNaN(want) {
					t.Errorf("%s %s %d: %g, want %g", kind, what, n, got, want)
				}
			}
			for _, uplo := range []blas.Uplo{blas.Upper, blas.Lower} {
				// gonum may divide 0 by 0 for the Cholesky factor with a zero.
				if kind == "random" || kind == "overflow" {
					same("Dpocon", mine.Dpocon(uplo, n, a, lda, 3, work, iwork), ref.Dpocon(uplo, n, a, lda, 3, work, iwork))
				}
				for _, norm := range []lapack.MatrixNorm{lapack.MaxColumnSum, lapack.MaxRowSum} {
					for _, diag := range []blas.Diag{blas.NonUnit, blas.Unit} {
						same("Dtrcon", mine.Dtrcon(norm, uplo, diag, n, a, lda, work, iwork), ref.Dtrcon(norm, uplo, diag, n, a, lda, work, iwork))
					}
					same("Dgecon", mine.Dgecon(norm, n, a, lda, 2, work, iwork), ref.Dgecon(norm, n, a, lda, 2, work, iwork))
				}
			}
		}
	}
}
