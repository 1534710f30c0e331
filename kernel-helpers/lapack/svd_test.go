package lapack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// bidiagonals returns the diagonals of bidiagonal matrices that are difficult for divide and conquer.
func bidiagonals(n int) map[string][2][]float64 {
	rnd := rand.New(rand.NewPCG(9, uint64(n)))
	m := map[string][2][]float64{}
	add := func(name string, d, e func(i int) float64) {
		x, y := make([]float64, n), make([]float64, n)
		for i := range n {
			x[i], y[i] = d(i), e(i)
		}
		m[name] = [2][]float64{x, y}
	}
	one := func(int) float64 { return 1 }
	zero := func(int) float64 { return 0 }
	random := func(int) float64 { return rnd.NormFloat64() }
	add("random", random, random)
	add("ones", one, one)
	add("identity", one, zero)
	add("zero", zero, zero)
	add("nilpotent", zero, one)
	add("graded up", func(i int) float64 { return math.Pow(2, float64(i)) }, func(i int) float64 { return math.Pow(2, float64(i)) })
	add("graded down", func(i int) float64 { return math.Pow(2, -float64(i)) }, func(i int) float64 { return math.Pow(2, -float64(i)) })
	add("clusters", func(i int) float64 { return 1 + 1e-15*float64(i%5) }, func(i int) float64 { return 1e-12 * rnd.NormFloat64() })
	add("zeros within", func(i int) float64 { return float64(i % 3) }, func(i int) float64 { return float64((i + 1) % 4) })
	add("large", func(i int) float64 { return 1e99 * rnd.Float64() }, func(i int) float64 { return -1e99 * rnd.Float64() })
	add("ranges", func(i int) float64 { return math.Pow(10, -200*rnd.Float64()) }, func(i int) float64 { return -math.Pow(10, -200*rnd.Float64()) })
	return m
}

// TestBidiagonal checks the results of divide and conquer against the definition, and the values against gonum's QR
// iteration.
func TestBidiagonal(t *testing.T) {
	for _, n := range []int{1, 7, 25, 26, 52, 53, 110, 250} {
		for name, de := range bidiagonals(n) {
			for _, columns := range []int{n, n + 1} {
				what := fmt.Sprintf("%s %d×%d", name, n, columns)
				d, e := de[0], de[1][:columns-1]
				B := mat.NewDense(n, columns, nil)
				for i := range n {
					B.Set(i, i, d[i])
					if i+1 < columns {
						B.Set(i, i+1, e[i])
					}
				}
				triplets, null, ok := new(bidiagonal).divide(slices.Clone(d), slices.Clone(e))
				if !ok || len(triplets) != n || (null != nil) != (columns > n) {
					t.Fatalf("%s: %v, %d triplets", what, ok, len(triplets))
				}
				big := max(mat.Max(B), -mat.Min(B), 1e-285)
				U, V, S := mat.NewDense(n, n, nil), mat.NewDense(n, columns, nil), mat.NewDiagDense(n, nil)
				values := make([]float64, n)
				for i, p := range triplets {
					U.SetRow(i, p.u)
					V.SetRow(i, p.v)
					S.SetDiag(i, p.s)
					values[i] = p.s
				}
				if !slices.IsSorted(values) || values[0] < 0 {
					t.Fatalf("%s: values are not ascending", what)
				}
				tol := 2e-15 * float64(n+10)
				var x mat.Dense
				x.Product(U.T(), S, V)
				if d := distance(&x, B); !(d <= tol*big) {
					t.Errorf("%s: USVᵀ differs by %g", what, d/big)
				}
				if null != nil {
					V = grown(V, null)
					x.Reset()
					x.Mul(B, mat.NewVecDense(columns, null))
					if d := mat.Norm(&x, 2); !(d <= tol*big) {
						t.Errorf("%s: the null vector leaves %g", what, d)
					}
				}
				orthonormal(t, what+" U", U, tol)
				orthonormal(t, what+" V", V, tol)
				if columns == n {
					impl := gonum.Implementation{}
					d2, e2 := slices.Clone(d), slices.Clone(e)
					if !impl.Dbdsqr('U', n, 0, 0, 0, d2, e2, nil, 1, nil, 1, nil, 1, make([]float64, 4*n)) {
						t.Fatal("gonum does not converge")
					}
					for i, s := range values {
						if d := math.Abs(s - d2[n-1-i]); !(d <= tol*big) {
							t.Errorf("%s: value %d is %g, want %g", what, i, s, d2[n-1-i])
						}
					}
				}
			}
		}
	}
}

func grown(V *mat.Dense, row []float64) *mat.Dense {
	m, n := V.Dims()
	W := mat.NewDense(m+1, n, nil)
	W.Copy(V)
	W.SetRow(m, row)
	return W
}

// orthonormal fails unless the rows of Q are orthonormal.
func orthonormal(t *testing.T, what string, Q mat.Matrix, tol float64) {
	t.Helper()
	m, _ := Q.Dims()
	one := mat.NewDiagDense(m, nil)
	for i := range m {
		one.SetDiag(i, 1)
	}
	var x mat.Dense
	x.Mul(Q, Q.T())
	if d := distance(&x, one); !(d <= tol*5) {
		t.Errorf("%s: rows are not orthonormal, by %g", what, d)
	}
}

// TestSVD checks every job that gonum has against the definition, and the values against gonum's.
func TestSVD(t *testing.T) {
	mine, ref := implementation{}, gonum.Implementation{}
	rnd := rand.New(rand.NewPCG(10, 11))
	for _, shape := range append(shapes, [2]int{26, 26}, [2]int{41, 26}, [2]int{60, 50}, [2]int{50, 60}, [2]int{150, 150}) {
		m, n := shape[0], shape[1]
		k := min(m, n)
		if k == 1 {
			continue // gonum's code, which needs more than the matrix when rows have gaps
		}
		for _, kind := range []string{"random", "low rank", "graded", "zero", "one", "huge", "tiny"} {
			a, lda := padded(rnd, m, n)
			for i := range m {
				for j := range n {
					x := &a[i*lda+j]
					switch kind {
					case "low rank":
						*x = float64((i+1)*(j+2)%7) - 2
					case "graded":
						*x *= math.Pow(10, -20*float64(j)/float64(n))
					case "zero":
						*x = 0
					case "one":
						*x = 1
					case "huge":
						*x *= 1e300
					case "tiny":
						*x *= 1e-300
					}
				}
			}
			A := dense(m, n, a, lda)
			big := max(mat.Max(A), -mat.Min(A), 1e-300)
			work := make([]float64, 100*(m+n))
			want := make([]float64, k)
			b := slices.Clone(a)
			if !ref.Dgesvd('N', 'N', m, n, b, lda, want, nil, 1, nil, 1, work, len(work)) {
				t.Fatal("gonum does not converge")
			}
			for _, jobU := range []lapack.SVDJob{lapack.SVDAll, lapack.SVDStore, lapack.SVDNone} {
				for _, jobVT := range []lapack.SVDJob{lapack.SVDAll, lapack.SVDStore, lapack.SVDNone} {
					if kind != "random" && jobU != jobVT && m*n > 2000 {
						continue
					}
					what := fmt.Sprintf("%s %d×%d, jobs %c %c", kind, m, n, jobU, jobVT)
					uc, vr := vectorsOf(jobU, m, k), vectorsOf(jobVT, n, k)
					u, ldu := padded(rnd, m, max(1, uc))
					vt, ldvt := padded(rnd, max(1, vr), n)
					s := make([]float64, k)
					c := slices.Clone(a)
					if !mine.Dgesvd(jobU, jobVT, m, n, c, lda, s, u, ldu, vt, ldvt, work, len(work)) {
						t.Fatalf("%s: does not converge", what)
					}
					tol := 1e-14 * float64(m+n)
					for i := range s {
						if math.Abs(s[i]-want[i]) > tol*big || i > 0 && s[i] > s[i-1] {
							t.Fatalf("%s: value %d is %g, want %g", what, i, s[i], want[i])
						}
					}
					var U, VT *mat.Dense
					if uc > 0 {
						gaps(t, what, m, uc, u, ldu)
						U = dense(m, uc, u, ldu)
						orthonormal(t, what+" U", U.T(), tol)
					}
					if vr > 0 {
						gaps(t, what, vr, n, vt, ldvt)
						VT = dense(vr, n, vt, ldvt)
						orthonormal(t, what+" V", VT, tol)
					}
					if uc > 0 && vr > 0 {
						var x mat.Dense
						x.Product(U.Slice(0, m, 0, k), mat.NewDiagDense(k, s), VT.Slice(0, k, 0, n))
						if d := distance(&x, A); !(d <= tol*big*5) {
							t.Errorf("%s: USVᵀ differs by %g", what, d)
						}
					}
				}
			}
		}
	}
}
