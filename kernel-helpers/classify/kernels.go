package classify

import (
	"encoding/gob"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/vmath"
)

// A Kernel is a symmetric function of two points. FitSVM and FitSVR compute the kernels of this package with matrix
// products. For any other kernel, they call Value for each pair of points, from several goroutines at the same time. A
// kernel that is not positive semidefinite is allowed, but then the objective has no unique minimum, and the duality
// gap is not a bound.
type Kernel interface {
	Value(x, z []float64) float64
}

// RBF is the kernel exp(−γ‖x − z‖²). In options, a Gamma of 0 means 1/(d v), where v is the variance of all
// elements of X (scikit-learn's "scale").
type RBF struct{ Gamma float64 }

// Linear is the kernel x'z.
type Linear struct{}

// Polynomial is the kernel (γ x'z + Offset)^Degree. In options, a Degree of 0 means 3, and Gamma is as in RBF.
type Polynomial struct {
	Degree int
	Gamma  float64
	Offset float64 // scikit-learn's coef0
}

// Sigmoid is the kernel tanh(γ x'z + Offset), which is not positive semidefinite. In options, Gamma is as in RBF.
type Sigmoid struct {
	Gamma  float64
	Offset float64 // scikit-learn's coef0
}

// KernelFunc is a function used as a Kernel.
type KernelFunc func(x, z []float64) float64

// Package encoding/gob needs to know which kernels the field Kernel of an SVM may hold.
func init() {
	for _, k := range []Kernel{RBF{}, Linear{}, Polynomial{}, Sigmoid{}} {
		gob.Register(k)
	}
}

// Value returns exp(−γ‖x − z‖²).
func (k RBF) Value(x, z []float64) float64 {
	sameLength("RBF", x, z)
	d := floats.Distance(x, z, 2)
	return math.Exp(-k.Gamma * d * d)
}

// Value returns x'z.
func (Linear) Value(x, z []float64) float64 {
	sameLength("Linear", x, z)
	return floats.Dot(x, z)
}

// Value returns (γ x'z + Offset)^Degree.
func (k Polynomial) Value(x, z []float64) float64 {
	sameLength("Polynomial", x, z)
	return k.fromProduct(floats.Dot(x, z))
}

// fromProduct returns the kernel of points with inner product p.
func (k Polynomial) fromProduct(p float64) float64 {
	return math.Pow(k.Gamma*p+k.Offset, float64(k.Degree))
}

// Value returns tanh(γ x'z + Offset).
func (k Sigmoid) Value(x, z []float64) float64 {
	sameLength("Sigmoid", x, z)
	return k.fromProduct(floats.Dot(x, z))
}

// fromProduct returns the kernel of points with inner product p.
func (k Sigmoid) fromProduct(p float64) float64 { return math.Tanh(k.Gamma*p + k.Offset) }

// Value returns k(x, z).
func (k KernelFunc) Value(x, z []float64) float64 {
	given.Args("classify: KernelFunc.Value", "the function", k)
	return k(x, z)
}

func sameLength(kernel string, x, z []float64) {
	if len(x) != len(z) {
		panic(fmt.Sprintf("classify: %s.Value: points of %d and %d features", kernel, len(x), len(z)))
	}
}

// resolve returns the given kernel with its defaults filled in, or RBF if the given kernel is nil. The default of γ is
// gamma().
func resolve(fn string, kernel Kernel, gamma func() float64) (Kernel, error) {
	or := func(g float64) float64 {
		if g == 0 {
			return gamma()
		}
		return g
	}
	switch k := kernel.(type) {
	case nil:
		return RBF{gamma()}, nil
	case RBF:
		err := inRange(fn, number("Gamma", k.Gamma))
		return RBF{or(k.Gamma)}, err
	case Polynomial:
		err := inRange(fn, number("Gamma", k.Gamma), count("Degree", k.Degree), number("Offset", k.Offset))
		if k.Degree == 0 {
			k.Degree = 3
		}
		k.Gamma = or(k.Gamma)
		return k, err
	case Sigmoid:
		offset := option{"Offset", k.Offset, !math.IsNaN(k.Offset) && !math.IsInf(k.Offset, 0), "finite"}
		err := inRange(fn, number("Gamma", k.Gamma), offset)
		k.Gamma = or(k.Gamma)
		return k, err
	}
	if given.Nil(kernel) {
		return nil, fmt.Errorf("classify: %s: Kernel holds nil", fn)
	}
	return kernel, nil
}

// isShiftFree reports whether machines with this kernel stay the same if the same vector is subtracted from all
// points. If so, training subtracts a center (see place). With the linear kernel, such a shift changes K only by terms
// that cancel because Σβ = 0.
func isShiftFree(kernel Kernel) bool {
	switch kernel.(type) {
	case RBF, Linear:
		return true
	}
	return false
}

// ofProducts reports whether kernelValues needs the inner products of the points.
func ofProducts(kernel Kernel) bool {
	switch kernel.(type) {
	case RBF, Linear, Polynomial, Sigmoid:
		return true
	}
	return false
}

// kernelValues replaces the inner products x'x_j in v by the kernel of x and each row x_j of X. xx is ‖x‖², and
// norm holds all ‖x_j‖².
func kernelValues(kernel Kernel, v, x []float64, X *mat.Dense, xx float64, norm []float64) {
	switch k := kernel.(type) {
	case RBF:
		gaussianKernel(v, x, X, xx, norm, k.Gamma)
	case Linear:
	case Polynomial:
		for j, p := range v {
			v[j] = k.fromProduct(p)
		}
	case Sigmoid:
		for j, p := range v {
			v[j] = k.fromProduct(p)
		}
	default:
		for j := range v {
			v[j] = k.Value(x, X.RawRowView(j))
		}
	}
}

// gaussianKernel replaces the inner products x'x_j in v by exp(−γ‖x − x_j‖²), for the rows x_j of X. xx is ‖x‖²,
// and norm holds all ‖x_j‖².
func gaussianKernel(v, x []float64, X *mat.Dense, xx float64, norm []float64, gamma float64) {
	for j, p := range v {
		size := xx + norm[j]
		d := math.Max(0, size-2*p)
		// If rounding leaves too few digits here, and the kernel is not 0 anyway, compute it from differences, which
		// have enough digits.
		if far := gamma * size; far > manyDigits && gamma*d-1e-14*far < 800 {
			d = 0
			for k, b := range X.RawRowView(j) {
				d += (x[k] - b) * (x[k] - b)
			}
		}
		v[j] = -gamma * d
	}
	vmath.Exp(v, v)
}

// manyDigits is the value of γ(‖x‖² + ‖z‖²) above which rounding errors of ‖x‖² − 2x'z + ‖z‖² change the kernel by more
// than about 1e-8.
const manyDigits = 1e8
