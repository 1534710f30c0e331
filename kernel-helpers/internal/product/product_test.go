package product

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/gemm"
)

func normal(r, c int) blas64.General {
	rng := rand.New(rand.NewPCG(uint64(r), uint64(c)))
	M := blas64.General{Rows: r, Cols: c, Stride: c + 3, Data: make([]float64, r*(c+3))}
	for i := range M.Data {
		M.Data[i] = rng.NormFloat64()
	}
	return M
}

func single(M blas64.General) blas32.General {
	S := blas32.General{Rows: M.Rows, Cols: M.Cols, Stride: M.Stride, Data: make([]float32, len(M.Data))}
	for i, v := range M.Data {
		S.Data[i] = float32(v)
	}
	return S
}

// A divided product has the bits of a single call, with gonum's BLAS and with package gemm.
func TestBits(t *testing.T) {
	usual := long
	defer func() {
		long = usual
		blas64.Use(gonum.Implementation{})
		blas32.Use(gonum.Implementation{})
	}()
	for name, use := range map[string]func(){"gonum": func() {}, "gemm": gemm.Use} {
		use()
		long = 2e5
		if name == "gemm" {
			long /= faster
		}
		for _, s := range [][3]int{{150, 270, 90}, {30, 300, 400}, {400, 10, 500}, {10, 400, 500}, {70, 70, 700}, {1, 900, 500}, {900, 1, 500}, {270, 257, 40}} {
			m, n, k := s[0], s[1], s[2]
			for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
				for _, tB := range []blas.Transpose{blas.NoTrans, blas.Trans} {
					A, B := normal(m, k), normal(k, n)
					if tA == blas.Trans {
						A = normal(k, m)
					}
					if tB == blas.Trans {
						B = normal(n, k)
					}
					C, want := normal(m, n), normal(m, n)
					blas64.Gemm(tA, tB, 2, A, B, 0.5, want)
					parts := 0
					divide(t.Context(), m, n, k, name == "gonum", func(_, _, _ span) { parts++ })
					if err := Gemm(t.Context(), tA, tB, 2, A, B, 0.5, C); err != nil {
						t.Fatal(err)
					}
					if parts < 2 && m > 256 && n > 256 {
						t.Errorf("%s, %v: not divided", name, s)
					}
					for i, v := range C.Data {
						if v != want.Data[i] {
							t.Errorf("%s, %v, %c %c, in %d parts: element %d is %v, in one call %v", name, s, tA, tB, parts, i, v, want.Data[i])
							break
						}
					}
					A32, B32, C32, want32 := single(A), single(B), single(normal(m, n)), single(normal(m, n))
					blas32.Gemm(tA, tB, 2, A32, B32, 0.5, want32)
					if err := Gemm32(t.Context(), tA, tB, 2, A32, B32, 0.5, C32); err != nil {
						t.Fatal(err)
					}
					for i, v := range C32.Data {
						if v != want32.Data[i] {
							t.Errorf("%s, float32, %v, %c %c: element %d is %v, in one call %v", name, s, tA, tB, i, v, want32.Data[i])
							break
						}
					}
				}
			}
		}
	}
}

// The parts of a product cover each element once, with its terms in order.
func TestDivide(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	defer func(usual float64) { long = usual }(long)
	long = 1e6
	for range 100 {
		m, n, k := 1+rng.IntN(400), 1+rng.IntN(400), 1+rng.IntN(3000)
		done := make([][]int, m)
		for i := range done {
			done[i] = make([]int, n)
		}
		inOrder := rng.IntN(2) == 0
		err := divide(t.Context(), m, n, k, inOrder, func(r, c, s span) {
			for i := r.from; i < r.to; i++ {
				for j := c.from; j < c.to; j++ {
					if done[i][j] != s.from {
						t.Fatalf("%d×%d, %d terms: element (%d, %d) has %d terms before %v", m, n, k, i, j, done[i][j], s)
					}
					done[i][j] = s.to
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range done {
			for j, to := range done[i] {
				if to != k {
					t.Fatalf("%d×%d, %d terms: element (%d, %d) has %d", m, n, k, i, j, to)
				}
			}
		}
	}
}

func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	parts := 0
	err := divide(ctx, 1000, 1000, 100000, true, func(_, _, _ span) {
		if parts++; parts == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || parts != 3 {
		t.Errorf("%v after %d parts", err, parts)
	}
	A := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	if err := Mul(ctx, new(mat.Dense), A, A.T()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var C mat.Dense
	if err := Mul(t.Context(), &C, A, A.T()); err != nil || !mat.Equal(&C, mat.NewDense(2, 2, []float64{14, 32, 32, 77})) {
		t.Error(C, err)
	}
}
