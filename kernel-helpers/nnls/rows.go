package nnls

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
)

// Rows is one half of an iteration of an alternating method: it solves for U with W fixed. Each row of U is a separate
// problem:
//
//	minimize ½‖A − U W'‖_F²  over U >= 0      A n×d, U n×k, W d×k
//
// in its normal form, G = W'W (k×k) and C = A W (n×k). The methods start at U, which must be >= 0, and store their
// result in U. They do not check for NaN.
type Rows struct {
	G, C, U *mat.Dense
	// Data is A W (n×k); KKT is relative to it. Set it if C is A W minus the slope of a penalty, because this
	// difference may be nearly 0. nil means C.
	Data *mat.Dense
	// Dual is ADMM's dual variable Ū (n×k), kept between calls. At the solution it is −(U G − C): the
	// multipliers of U >= 0, with the opposite sign.
	Dual *mat.Dense
	// Rho is ADMM's ρ. 0: trace(G)/k.
	Rho float64
}

func (r *Rows) check(dual bool) (n, k int) {
	n, k = r.U.Dims()
	ms, names := []*mat.Dense{r.C}, []string{"C"}
	if r.Data != nil {
		ms, names = append(ms, r.Data), append(names, "Data")
	}
	if dual {
		ms, names = append(ms, r.Dual), append(names, "Dual")
	}
	for i, M := range ms {
		if a, b := M.Dims(); a != n || b != k {
			panic(fmt.Sprintf("nnls: Rows: %s is %d×%d, U is %d×%d", names[i], a, b, n, k))
		}
	}
	if a, b := r.G.Dims(); a != k || b != k {
		panic(fmt.Sprintf("nnls: Rows: G is %d×%d, U is %d×%d", a, b, n, k))
	}
	return n, k
}

// Gradient stores U G − C (n×k) in dst. At the solution these are the multipliers of U >= 0.
func (r *Rows) Gradient(dst *mat.Dense) {
	given.Args("nnls: Rows.Gradient", "dst", dst)
	n, k := r.check(false)
	if a, b := dst.Dims(); a != n || b != k {
		panic(fmt.Sprintf("nnls: Rows: dst is %d×%d, U is %d×%d", a, b, n, k))
	}
	gradient(context.Background(), r.G.RawMatrix(), r.C.RawMatrix(), r.U.RawMatrix(), dst.RawMatrix())
}

// KKT returns the residual that the package comment defines, with Data in its denominator.
func (r *Rows) KKT() float64 {
	n, k := r.check(false)
	Z := general(n, k)
	gradient(context.Background(), r.G.RawMatrix(), r.C.RawMatrix(), r.U.RawMatrix(), Z)
	data := r.Data
	if data == nil {
		data = r.C
	}
	return residual(r.G.RawMatrix(), data.RawMatrix(), r.U.RawMatrix(), Z)
}

// rowsOf returns the rows [from, to) of M.
func rowsOf(M blas64.General, from, to int) blas64.General {
	return blas64.General{Rows: to - from, Cols: M.Cols, Stride: M.Stride, Data: M.Data[from*M.Stride : (to-1)*M.Stride+M.Cols]}
}

func square(x float64) float64 { return x * x }

// ratio returns √(a/b) for a, b >= 0. It returns 0 if a is 0, and 1 if only b is 0 (a dual variable that vanished), so
// that residuals are finite.
func ratio(a, b float64) float64 {
	switch {
	case a == 0:
		return 0
	case b == 0:
		return 1
	}
	return math.Sqrt(a) / math.Sqrt(b) // a/b may overflow
}
