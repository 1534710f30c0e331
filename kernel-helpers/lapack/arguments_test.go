package lapack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
)

// TestArguments checks that bad arguments panic with gonum's message, that arguments that gonum accepts are
// accepted, and that a query for workspace has gonum's answer. The arguments are random, and most are nearly
// correct.
func TestArguments(t *testing.T) {
	rnd := rand.New(rand.NewPCG(20, 21))
	messages := map[any]int{}
	for range 700 {
		size := func() int { return []int{-1, 0, 1, 3, 30, 30, 40, 50, 80}[rnd.IntN(9)] }
		off := func(n int) int { // returns n, or occasionally another length
			if rnd.IntN(12) == 0 {
				return n + rnd.IntN(3) - 1
			}
			return n
		}
		flag := func(good ...byte) byte {
			if rnd.IntN(25) == 0 {
				return 'x'
			}
			return good[rnd.IntN(len(good))]
		}
		array := func(rows, cols int) (int, []float64) {
			ld := off(max(1, cols))
			a := make([]float64, max(0, off(max(0, (rows-1)*ld+cols))))
			for i := range a {
				a[i] = rnd.NormFloat64()
				if ld > 0 && i%(ld+1) == 0 {
					a[i] += 100 // positive definite
				}
			}
			return ld, a
		}
		m, n, k := size(), size(), size()
		mn := max(0, min(m, n))
		lda, a := array(m, n)
		lds, s := array(n, n)
		ldc, c := array(m, k)
		ldu, u := array(m, max(m, 0))
		ldv, v := array(n, max(n, 0))
		vector := func(n int) []float64 { return make([]float64, max(0, off(n))) }
		tau, w, wi, big := vector(mn), vector(n), vector(n), vector(5000)
		lwork := len(big)
		switch rnd.IntN(6) {
		case 0:
			lwork = -1
		case 1:
			lwork = off(max(m, n, 1))
		}
		piv, iwork := make([]int, max(0, off(mn))), make([]int, max(0, off(n)))
		pivots := make([]int, max(0, off(n)))
		for i := range pivots {
			pivots[i] = i
		}
		side, trans := blas.Side(flag('L', 'R')), blas.Transpose(flag('N', 'T'))
		uplo, diag := blas.Uplo(flag('U', 'L')), blas.Diag(flag('N', 'U'))
		jobU, jobVT := lapack.SVDJob(flag('A', 'S', 'N')), lapack.SVDJob(flag('A', 'S', 'N'))
		job := lapack.EVJob(flag('V', 'N'))
		norm := lapack.MatrixNorm(flag('O', 'I'))
		anorm := []float64{1, 0, -1, math.NaN(), math.Inf(1)}[rnd.IntN(5)]
		for name, f := range map[string]func(p lapack.Float64, a, s, c, work []float64) any{
			"Dgeqrf": func(p lapack.Float64, a, s, c, work []float64) any {
				p.Dgeqrf(m, n, a, lda, tau, work, lwork)
				return nil
			},
			"Dgelqf": func(p lapack.Float64, a, s, c, work []float64) any {
				p.Dgelqf(m, n, a, lda, tau, work, lwork)
				return nil
			},
			"Dorgqr": func(p lapack.Float64, a, s, c, work []float64) any {
				p.Dorgqr(m, n, len(tau), a, lda, tau, work, lwork)
				return nil
			},
			"Dorglq": func(p lapack.Float64, a, s, c, work []float64) any {
				p.Dorglq(m, n, len(tau), a, lda, tau, work, lwork)
				return nil
			},
			"Dormqr": func(p lapack.Float64, a, s, c, work []float64) any {
				p.Dormqr(side, trans, m, k, len(tau), a, lda, tau, c, ldc, work, lwork)
				return nil
			},
			"Dormlq": func(p lapack.Float64, a, s, c, work []float64) any {
				p.Dormlq(side, trans, m, k, len(tau), a, lda, tau, c, ldc, work, lwork)
				return nil
			},
			"Dgetrf": func(p lapack.Float64, a, s, c, work []float64) any { return p.Dgetrf(m, n, a, lda, piv) },
			"Dgetri": func(p lapack.Float64, a, s, c, work []float64) any { return p.Dgetri(n, s, lds, pivots, work, lwork) },
			"Dpotrf": func(p lapack.Float64, a, s, c, work []float64) any { return p.Dpotrf(uplo, n, s, lds) },
			"Dpotri": func(p lapack.Float64, a, s, c, work []float64) any { return p.Dpotri(uplo, n, s, lds) },
			"Dtrtri": func(p lapack.Float64, a, s, c, work []float64) any { return p.Dtrtri(uplo, diag, n, s, lds) },
			"Dsyev": func(p lapack.Float64, a, s, c, work []float64) any {
				return p.Dsyev(job, uplo, n, s, lds, w, work, lwork)
			},
			"Dgesvd": func(p lapack.Float64, a, s, c, work []float64) any {
				return p.Dgesvd(jobU, jobVT, m, n, a, lda, tau, u, ldu, v, ldv, work, lwork)
			},
			"Dgeev": func(p lapack.Float64, a, s, c, work []float64) any {
				return p.Dgeev(lapack.LeftEVNone, lapack.RightEVJob(trans), n, s, lds, w, wi, nil, 1, v, ldv, work, lwork)
			},
			"Dpocon": func(p lapack.Float64, a, s, c, work []float64) any {
				p.Dpocon(uplo, n, s, lds, anorm, work, iwork)
				return nil
			},
			"Dgecon": func(p lapack.Float64, a, s, c, work []float64) any {
				p.Dgecon(norm, n, s, lds, anorm, work, iwork)
				return nil
			},
			"Dtrcon": func(p lapack.Float64, a, s, c, work []float64) any {
				p.Dtrcon(norm, uplo, diag, n, s, lds, work, iwork)
				return nil
			},
		} {
			run := func(p lapack.Float64) string {
				work := slices.Clone(big)
				r := message(func() any { return f(p, slices.Clone(a), slices.Clone(s), slices.Clone(c), work) })
				if lwork == -1 && len(work) > 0 && !strings.HasSuffix(name, "con") {
					r += fmt.Sprint(" ", work[0])
				}
				return r
			}
			got, want := run(implementation{}), run(gonum.Implementation{})
			if strings.Contains(want, "runtime error") && !strings.Contains(got, "panic") {
				continue // gonum's Dormqr fails with some lengths of work between the least and the best
			}
			if got != want {
				t.Fatalf("%s: %s, gonum %s; m %d n %d k %d lda %d/%d lds %d/%d ldc %d/%d ldu %d/%d ldv %d/%d tau %d w %d work %d/%d flags %c %c %c %c %c %c %c",
					name, got, want, m, n, k, lda, len(a), lds, len(s), ldc, len(c), ldu, len(u), ldv, len(v), len(tau), len(w), lwork, len(big),
					side, trans, uplo, diag, jobU, jobVT, norm)
			}
			messages[want]++
		}
	}
	if len(messages) < 20 {
		t.Errorf("only %d different messages tried: %v", len(messages), messages)
	}
}

// message returns the result of f, or the value of its panic.
func message(f func() any) (r string) {
	if p := panics.Value(func() { r = fmt.Sprint(f()) }); p != nil {
		r = fmt.Sprint("panic: ", p)
	}
	return r
}

// TestNotFinite checks that NaN and Inf end as with gonum: with the same result, or the same panic.
func TestNotFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		for name, f := range map[string]func(a *mat.Dense, s *mat.SymDense) any{
			"EigenSym": func(_ *mat.Dense, s *mat.SymDense) any { return new(mat.EigenSym).Factorize(s, true) },
			"SVD":      func(a *mat.Dense, _ *mat.SymDense) any { return new(mat.SVD).Factorize(a, mat.SVDThin) },
			"Cholesky": func(_ *mat.Dense, s *mat.SymDense) any { return new(mat.Cholesky).Factorize(s) },
			"QR": func(a *mat.Dense, _ *mat.SymDense) any {
				var f mat.QR
				f.Factorize(a)
				return math.IsNaN(f.Cond())
			},
			"Inverse": func(a *mat.Dense, _ *mat.SymDense) any { return new(mat.Dense).Inverse(a) != nil },
		} {
			rnd := rand.New(rand.NewPCG(22, 23))
			a := normal(rnd, 50, 50)
			a.Set(20, 30, bad)
			var s mat.SymDense
			s.SymOuterK(1, normal(rnd, 50, 60))
			s.SetSym(20, 30, bad)
			run := func(p lapack.Float64) string {
				defer lapackOf(p)()
				return message(func() any { return f(a, &s) })
			}
			if got, want := run(implementation{}), run(gonum.Implementation{}); got != want {
				t.Errorf("%s with %g: %s, gonum %s", name, bad, got, want)
			}
		}
	}
}
