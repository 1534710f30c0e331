package pca

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// PrincipalAngles returns the min(p, q) principal angles in degrees, ascending, between the spans of the
// columns of A (d×p) and B (d×q). The columns must be independent but need not be orthonormal. Small angles
// are computed from their sines (A. Björck and G. Golub 1973), so equal spans give about 1e-14 degrees, not
// 1e-6.
func PrincipalAngles(A, B mat.Matrix) []float64 {
	d, p := mustDims("PrincipalAngles", "A", A)
	e, q := mustDims("PrincipalAngles", "B", B)
	if d != e || p == 0 || q == 0 || p > d || q > d {
		panic(fmt.Sprintf("pca: PrincipalAngles: A is %d×%d, B %d×%d", d, p, e, q))
	}
	if p < q {
		A, B, q = B, A, p
	}
	QA, QB := orth("A", A), orth("B", B)
	// cos: singular values of QAᵀQB; sin: those of QB − QA(QAᵀQB).
	var M, R mat.Dense
	M.Mul(QA.T(), QB) // p×q
	R.Mul(QA, &M)
	R.Sub(QB, &R) // d×q
	cos, sin := values(&M), values(&R)
	out := make([]float64, q)
	for i := range out {
		// The largest cosine belongs to the smallest sine.
		c, s := math.Min(1, cos[i]), math.Min(1, sin[q-1-i])
		if c > math.Sqrt2/2 {
			out[i] = math.Asin(s)
		} else {
			out[i] = math.Acos(c)
		}
		out[i] *= 180 / math.Pi
	}
	return out
}

// LargestAngle returns the largest of the PrincipalAngles of A and B, in degrees. It is 0, up to rounding, if the
// larger span contains the smaller.
func LargestAngle(A, B mat.Matrix) float64 {
	a := PrincipalAngles(A, B)
	return a[len(a)-1]
}

func values(M *mat.Dense) []float64 {
	var svd mat.SVD
	if !svd.Factorize(M, mat.SVDNone) {
		panic("pca: PrincipalAngles: no singular values")
	}
	return svd.Values(nil)
}

// orth returns an orthonormal basis (d×k) of the span of A's columns. It panics if the columns are dependent or not
// finite. The message calls A by the given name.
func orth(name string, A mat.Matrix) *mat.Dense {
	if err := finite.Check("X", finite.AsDense(A)); err != nil {
		panic(fmt.Sprintf("pca: PrincipalAngles: in %s %v", name, err))
	}
	var svd mat.SVD
	if !svd.Factorize(A, mat.SVDThin) {
		panic("pca: PrincipalAngles: no singular vectors of " + name)
	}
	s := svd.Values(nil)
	if !(s[len(s)-1] > 1e-13*s[0]) {
		panic(fmt.Sprintf("pca: PrincipalAngles: the columns of %s are dependent", name))
	}
	var u mat.Dense
	svd.UTo(&u)
	return &u
}
