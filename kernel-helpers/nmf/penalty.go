package nmf

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// A Penalty holds the weights of the penalty of one factor,
//
//	Σ L1 u + L2/2 u²
//
// over all its elements u >= 0. The zero value means no penalty.
type Penalty struct{ L1, L2 float64 }

// value returns the penalty of U.
func (p Penalty) value(U blas64.General) (v float64) {
	if p == (Penalty{}) {
		return 0
	}
	for i := range U.Rows {
		for _, u := range U.Data[i*U.Stride:][:U.Cols] {
			v += p.L1*u + p.L2/2*u*u
		}
	}
	return v
}

// slope returns the derivative of the penalty at u.
func (p Penalty) slope(u float64) float64 {
	if p == (Penalty{}) {
		return 0 // even where u is infinite
	}
	return p.L1 + p.L2*u
}

// penalizedSystem returns G + L2 I (k×k) and C − L1 (n×k). With these, ½<U G, U> − <C, U> includes the penalty of U.
// Neither G nor C is modified.
func (p Penalty) penalizedSystem(G, C blas64.General) (blas64.General, blas64.General) {
	if p.L2 > 0 {
		G.Data = slices.Clone(G.Data)
		for t := range G.Rows {
			G.Data[t*G.Stride+t] += p.L2
		}
	}
	if p.L1 > 0 {
		C.Data = slices.Clone(C.Data)
		for i := range C.Rows {
			for t := range C.Cols {
				C.Data[i*C.Stride+t] -= p.L1
			}
		}
	}
	return G, C
}

// addSlope adds to each element of Z the penalty's slope at the same element of U.
func (p Penalty) addSlope(Z, U blas64.General) {
	for i := range U.Rows {
		for t, u := range U.Data[i*U.Stride:][:U.Cols] {
			Z.Data[i*Z.Stride+t] += p.slope(u)
		}
	}
}

// clear sets column t of U to 0 if there is an L1 penalty and column t of the other factor is 0 (G_tt = 0). The loss
// does not depend on such a column of U, and the penalty is smallest at 0. Coordinate descent cannot find this
// minimum, because G_tt, by which it divides, is 0.
func (p Penalty) clear(U, G blas64.General) {
	for t := range G.Rows {
		if p.L1 > 0 && G.Data[t*G.Stride+t] == 0 {
			for i := range U.Rows {
				U.Data[i*U.Stride+t] = 0
			}
		}
	}
}
