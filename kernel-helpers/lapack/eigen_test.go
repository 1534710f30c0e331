package lapack

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// TestEigenSym checks Dsyev against the definition, and the values against gonum's. The other triangle holds NaN.
func TestEigenSym(t *testing.T) {
	mine, ref := implementation{}, gonum.Implementation{}
	rnd := rand.New(rand.NewPCG(12, 13))
	for _, n := range []int{1, 5, smallEigenSym, smallEigenSym + 1, 100, 128, 190} {
		for _, kind := range []string{"random", "diagonal", "zero", "one", "low rank", "huge", "tiny"} {
			S := mat.NewSymDense(n, nil)
			for i := range n {
				for j := range i + 1 {
					switch {
					case kind == "random", kind == "diagonal" && i == j:
						S.SetSym(i, j, rnd.NormFloat64())
					case kind == "one":
						S.SetSym(i, j, 1)
					case kind == "low rank":
						S.SetSym(i, j, float64((i%3)*(j%3)))
					case kind == "huge":
						S.SetSym(i, j, 1e300*rnd.NormFloat64())
					case kind == "tiny":
						S.SetSym(i, j, 1e-300*rnd.NormFloat64())
					}
				}
			}
			if kind == "tiny" && n <= smallEigenSym {
				continue // gonum's Dsterf panics
			}
			big := math.Max(1e-300, math.Max(mat.Max(S), -mat.Min(S)))
			for _, uplo := range []blas.Uplo{blas.Upper, blas.Lower} {
				a, lda := padded(rnd, n, n)
				for i := range a {
					a[i] = math.NaN()
				}
				triangle(n, a, lda, uplo, S.At)
				b := slices.Clone(a)
				values, want, work := make([]float64, n), make([]float64, n), make([]float64, 40*n)
				if !mine.Dsyev(lapack.EVCompute, uplo, n, a, lda, values, work, len(work)) ||
					!ref.Dsyev(lapack.EVCompute, uplo, n, b, lda, want, work, len(work)) {
					t.Fatalf("%s %d: does not converge", kind, n)
				}
				gaps(t, "Dsyev", n, n, a, lda)
				tol := 1e-14 * float64(n) * big
				for i := range n {
					if !(math.Abs(values[i]-want[i]) <= tol*10) {
						t.Errorf("%s %d: value %d is %g, want %g", kind, n, i, values[i], want[i])
					}
				}
				V := dense(n, n, a, lda)
				orthonormal(t, kind, V.T(), 1e-14*float64(n))
				var x, y mat.Dense
				x.Mul(S, V)
				y.Mul(V, mat.NewDiagDense(n, values))
				if d := distance(&x, &y); !(d <= 10*tol) {
					t.Errorf("%s %d: SV − VΛ is %g", kind, n, d/big)
				}
			}
		}
	}
}

// TestEigen checks left and right eigenvectors against the definition, and the values against gonum's.
func TestEigen(t *testing.T) {
	mine, ref := implementation{}, gonum.Implementation{}
	rnd := rand.New(rand.NewPCG(14, 15))
	for _, n := range []int{1, 30, 76, 77, 130, 210} {
		for _, kind := range []string{"random", "symmetric", "rotation", "triangular", "Jordan", "isolated", "zero", "badly scaled", "sparse"} {
			a, lda := padded(rnd, n, n)
			for i := range n {
				for j := range n {
					x := &a[i*lda+j]
					switch kind {
					case "symmetric":
						if j < i {
							*x = a[j*lda+i]
						}
					case "rotation": // eigenvalues ±i
						*x = 0
						if j == (i+1)%n {
							*x = 1
						}
					case "triangular":
						if j < i {
							*x = 0
						}
					case "Jordan": // the vectors of T grow until gonum has to scale them
						*x = 0
						if j == i || j == i+1 {
							*x = 1
						}
					case "isolated": // balancing finds the first and last eigenvalues
						if j < i && (j < 5 || i >= n-7) {
							*x = 0
						}
					case "zero":
						*x = 0
					case "badly scaled":
						*x *= math.Pow(10, float64((i-j)%7))
					case "sparse":
						if rnd.IntN(n) > 2 {
							*x = 0
						}
					}
				}
			}
			A := mat.NewCDense(n, n, nil)
			for i := range n {
				for j := range n {
					A.Set(i, j, complex(a[i*lda+j], 0))
				}
			}
			norm := mat.Norm(dense(n, n, a, lda), 2) + 1e-300
			work := make([]float64, 200*n+5000)
			wantR, wantI := make([]float64, n), make([]float64, n)
			if ref.Dgeev('N', 'N', n, slices.Clone(a), lda, wantR, wantI, nil, 1, nil, 1, work, len(work)) != 0 {
				t.Fatal("gonum does not converge")
			}
			for _, jobs := range []string{"NN", "VN", "NV", "VV"} {
				what := fmt.Sprintf("%s %d %s", kind, n, jobs)
				wr, wi := make([]float64, n), make([]float64, n)
				vl, ldvl := padded(rnd, n, n)
				vr, ldvr := padded(rnd, n, n)
				if mine.Dgeev(lapack.LeftEVJob(jobs[0]), lapack.RightEVJob(jobs[1]), n, slices.Clone(a), lda, wr, wi, vl, ldvl, vr, ldvr, work, len(work)) != 0 {
					t.Fatalf("%s: does not converge", what)
				}
				// Rounding moves defective eigenvalues by a root of the error, so compare eigenvalues only where none
				// are defective.
				if kind == "random" || kind == "symmetric" || kind == "isolated" {
					for i := range n {
						nearest := math.Inf(1)
						for j := range n {
							nearest = min(nearest, math.Hypot(wr[i]-wantR[j], wi[i]-wantI[j]))
						}
						if nearest > 1e-10*norm {
							t.Errorf("%s: value %d is %g%+gi, which gonum does not find", what, i, wr[i], wi[i])
						}
					}
				}
				var sum, trace float64
				for i := range n {
					sum += wr[i]
					trace += a[i*(lda+1)]
				}
				if !(math.Abs(sum-trace) <= 1e-13*float64(n)*norm) {
					t.Errorf("%s: the values add to %g, want %g", what, sum, trace)
				}
				if jobs[0] == 'V' {
					gaps(t, what, n, n, vl, ldvl)
					eigenvectors(t, what+" left", A, norm, wr, wi, vl, ldvl, true)
				}
				if jobs[1] == 'V' {
					gaps(t, what, n, n, vr, ldvr)
					eigenvectors(t, what+" right", A, norm, wr, wi, vr, ldvr, false)
				}
			}
		}
	}
}

// eigenvectors checks Av = λv, or vᴴA = λvᴴ, ‖v‖ = 1, and that the largest element of v is real.
func eigenvectors(t *testing.T, what string, A *mat.CDense, norm float64, wr, wi, v []float64, ldv int, left bool) {
	t.Helper()
	n := len(wr)
	for j := range n {
		if wi[j] < 0 {
			continue
		}
		x, lambda := make([]complex128, n), complex(wr[j], wi[j])
		ss, largest, largestReal := 0.0, 0.0, 0.0
		for i := range n {
			x[i] = complex(v[i*ldv+j], 0)
			if wi[j] > 0 {
				x[i] += complex(0, v[i*ldv+j+1])
			}
			ss += real(x[i] * cmplx.Conj(x[i]))
			largest = max(largest, cmplx.Abs(x[i]))
			if imag(x[i]) == 0 {
				largestReal = max(largestReal, math.Abs(real(x[i])))
			}
		}
		if !(math.Abs(ss-1) <= 1e-13) || largestReal < largest*(1-1e-12) {
			t.Fatalf("%s: vector %d has the norm %g, the largest element %g and the largest real element %g", what, j, ss, largest, largestReal)
		}
		if left {
			lambda = cmplx.Conj(lambda)
		}
		worst := 0.0
		for i := range n {
			s := -lambda * x[i]
			for k := range n {
				if left {
					s += A.At(k, i) * x[k]
				} else {
					s += A.At(i, k) * x[k]
				}
			}
			worst = max(worst, cmplx.Abs(s))
		}
		if !(worst <= 1e-14*float64(n)*norm) {
			t.Fatalf("%s: vector %d leaves %g of the norm %g", what, j, worst, norm)
		}
	}
}
