package nmfgrad

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Gauge fixes the scales of the components. For every positive diagonal D, (UD, WD⁻¹) is as good a solution as (U,
// W), so dU and dW exist only after one of these solutions is chosen. The gauge names a quantity, and derivatives are
// taken such that this quantity does not change with A. For instance, if the columns of W have norm 2 at the point,
// the derivatives are those of the factorization in which the columns of W always have norm 2. See Normalize.
type Gauge int

const (
	// GaugeFree chooses no scales. VJP then accepts only functions that do not depend on D, such as functions
	// of UW'; JVP returns the changes of least norm, which are those of Balanced.
	GaugeFree Gauge = iota
	// UnitW keeps the Euclidean norm of each column of W.
	UnitW
	// UnitU keeps the Euclidean norm of each column of U.
	UnitU
	// SumW keeps the sum of each column of W: concepts as distributions over features.
	SumW
	// SumU keeps the sum of each column of U.
	SumU
	// Balanced keeps ‖u_j‖² − ‖w_j‖². Its tangent is orthogonal to the null directions, so least-norm solvers on the
	// support find this gauge.
	Balanced
)

var gaugeNames = [...]string{"none", "unit columns of W", "unit columns of U", "columns of W of sum 1", "columns of U of sum 1", "balanced"}

func (g Gauge) String() string {
	if g < 0 || int(g) >= len(gaugeNames) {
		return fmt.Sprintf("Gauge(%d)", int(g))
	}
	return gaugeNames[g]
}

// Normalize returns (UD, WD⁻¹) with columns of W (or U) of norm or sum 1, or with ‖u_j‖ = ‖w_j‖ for Balanced.
// Columns of zeros do not change, nor do the factors for GaugeFree.
func Normalize(U, W mat.Matrix, g Gauge) (*mat.Dense, *mat.Dense) {
	if isNil(U) || isNil(W) {
		panic("nmfgrad: Normalize: a matrix is nil")
	}
	if g < GaugeFree || g > Balanced {
		panic(fmt.Sprintf("nmfgrad: Normalize: unknown %v", g))
	}
	u, w := mat.DenseCopyOf(U), mat.DenseCopyOf(W)
	_, k := u.Dims()
	if _, wk := w.Dims(); wk != k {
		panic(fmt.Sprintf("nmfgrad: Normalize: U has %d columns, W has %d", k, wk))
	}
	for j := range k {
		uj, wj := mat.Col(nil, j, u), mat.Col(nil, j, w)
		d := 1.0
		switch g {
		case UnitW:
			d = floats.Norm(wj, 2)
		case UnitU:
			d = 1 / floats.Norm(uj, 2)
		case SumW:
			d = floats.Sum(wj)
		case SumU:
			d = 1 / floats.Sum(uj)
		case Balanced:
			d = math.Sqrt(floats.Norm(wj, 2) / floats.Norm(uj, 2))
		}
		if !(d > 0) || math.IsInf(d, 0) {
			continue
		}
		floats.Scale(d, uj)
		floats.Scale(1/d, wj)
		u.SetCol(j, uj)
		w.SetCol(j, wj)
	}
	return u, w
}

// A projector is Π = I − Σ_j z_j a_j'/(a_j'z_j). Here z_j = (u_j, −w_j) is a null direction, and a_j is the gradient
// of the quantity that the gauge fixes for component j. Π projects along the z_j onto the tangent of the gauge, the
// space of all (dU, dW) with a_j'(dU, dW) = 0 for each j. z_j and a_j are zero outside column j of both factors, so
// the terms of the sum do not interact.
type projector struct {
	z, a [][2][]float64 // for each j: column j of U's part and of W's part
	az   []float64
}

func newProjector(U, W *mat.Dense, g Gauge) *projector {
	_, k := U.Dims()
	p := &projector{make([][2][]float64, k), make([][2][]float64, k), make([]float64, k)}
	for j := range k {
		u, w := mat.Col(nil, j, U), mat.Col(nil, j, W)
		minus := mat.Col(nil, j, W)
		floats.Scale(-1, minus)
		p.z[j] = [2][]float64{u, minus}
		a := [2][]float64{make([]float64, len(u)), make([]float64, len(w))}
		switch g {
		case UnitW:
			a[1] = w
		case UnitU:
			a[0] = u
		case SumW:
			fill(a[1])
		case SumU:
			fill(a[0])
		default:
			a = p.z[j]
		}
		p.a[j] = a
		p.az[j] = floats.Dot(a[0], u) + floats.Dot(a[1], minus)
	}
	return p
}

func fill(x []float64) {
	for i := range x {
		x[i] = 1
	}
}

// largestCosine returns the largest of |cos(z_j, g_j)| over all j. Here z_j is the j-th vector of the projector, and
// g_j is column j of gu followed by column j of gw.
func (p *projector) largestCosine(gu, gw *mat.Dense) float64 {
	var most float64
	for j, z := range p.z {
		var sum, zz, gg float64
		for f, g := range []*mat.Dense{gu, gw} {
			for i, v := range z[f] {
				x := g.At(i, j)
				sum += v * x
				zz += v * v
				gg += x * x
			}
		}
		if gg > 0 {
			most = max(most, math.Abs(sum)/math.Sqrt(zz*gg))
		}
	}
	return most
}

// projectGradient replaces g = (gu, gw) by Π'g, which is orthogonal to every z_j.
func (p *projector) projectGradient(gu, gw *mat.Dense) { p.move(gu, gw, p.z, p.a) }

// projectTangent replaces (du, dw) by Π(du, dw).
func (p *projector) projectTangent(du, dw *mat.Dense) { p.move(du, dw, p.a, p.z) }

// move subtracts (left_j'x / a_j'z_j) along_j, for each j, from x = (xu, xw).
func (p *projector) move(xu, xw *mat.Dense, left, along [][2][]float64) {
	for j := range left {
		var c float64
		for f, x := range []*mat.Dense{xu, xw} {
			for i, v := range left[j][f] {
				c += v * x.At(i, j)
			}
		}
		c /= p.az[j]
		for f, x := range []*mat.Dense{xu, xw} {
			for i, v := range along[j][f] {
				x.Set(i, j, x.At(i, j)-c*v)
			}
		}
	}
}
