package klcoding

import (
	"errors"
	"fmt"
	"math"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/ui/progress"
)

// A Loss is a loss D_L(x||f(z)) together with the transfer function f that matches it, so that the gradient has the
// form B'(f(Bw) − x), equation (18) of the paper.
type Loss int

const (
	// Squared is the loss ½‖x − Bw‖² with f(z) = z.
	Squared Loss = iota
	// Softmax is the loss KL(x||f(Bw)) with f(z) = e^z/Σe^z, equation (23). Each column of
	// X is a distribution: non-negative, with sum 1.
	Softmax
)

// String returns the name of the loss.
func (l Loss) String() string {
	switch l {
	case Squared:
		return "squared"
	case Softmax:
		return "softmax"
	}
	return fmt.Sprintf("Loss(%d)", int(l))
}

// A Method is a minimization algorithm. The minimum is unique, so all methods find the same point.
type Method int

const (
	// Newton solves the D-dimensional dual for the squared loss and takes damped
	// Newton steps in log w for softmax; see the package comment.
	Newton Method = iota
	// EGD is the paper's exponentiated gradient descent, (5) and (6).
	EGD
	// NewtonCG is Newton for softmax with conjugate gradients in place of the
	// Hessian, many signals at a time; see lane.go.
	NewtonCG
)

// String returns the name of the method.
func (m Method) String() string {
	switch m {
	case Newton:
		return "Newton"
	case EGD:
		return "EGD"
	case NewtonCG:
		return "NewtonCG"
	}
	return fmt.Sprintf("Method(%d)", int(m))
}

// Options specify the problem that a Coder solves, and the solver. Lambda and one of P
// and PVec must be given; in every other field zero means the default.
type Options struct {
	// Lambda is λ > 0 of (2).
	Lambda float64
	// P is the prior weight p > 0 of (4), the same for all columns of B.
	P float64
	// PVec holds p (n), one positive number for each column of B. If it is given, P must be 0.
	PVec []float64
	// Doubled codes on [−B B] and returns the signed w = w⁺ − w⁻.
	Doubled bool
	// Loss is the pair of loss and transfer function; 0 means Squared.
	Loss Loss
	// Offset is the constant b (D) in f(b + Bw), for Softmax only: for instance the logarithms of base rates. nil means
	// 0, as in the paper.
	Offset []float64
	// Method is the solver; 0: Newton.
	Method Method
	// Typical is a reconstruction (D) that resembles the signals' reconstructions, for instance the mean of the
	// signals. NewtonCG derives its preconditioner from Typical; the results do not depend on Typical. nil means f(Bp).
	Typical []float64
	// Tolerance ends a run as soon as the largest element of the gradient (6) is at most Tolerance·(λ + ‖x‖₂ + max p).
	// This sum assumes that the columns of B have norms near 1. (If the columns and λ are multiplied by c, and p is
	// divided by c, the codes are divided by c and the gradient is multiplied by c, but the sum is not.) 0 means 1e-9.
	// Negative: run to the limit of floating point, where a run ends with status NoProgress.
	Tolerance float64
	// MaxIterations is the maximum number of steps for one signal. 0 means 200 for Newton, 100,000 for EGD.
	MaxIterations int
	// Single makes NewtonCG compute its products in float32, in half the time. A Tolerance below about 1e-6
	// is then out of reach. The codes are accurate enough for learning.
	Single bool
	// Alpha is the step length α with which EGD begins each signal. 0 means 1/(1 + λ).
	Alpha float64
	// Near is a coder for nearly the same basis, for instance the basis from a few gradient steps ago. For the Squared
	// loss, a coder computes the eigenvectors of B diag(p) B' to code large batches of signals. With Near it uses
	// Near's eigenvectors, which saves time. Codes meet the same Tolerance but differ in their last bits. nil means the
	// coder computes its own. Near is ignored if its signals have a different length.
	Near *Coder
	// Workers is the number of goroutines that share the signals. 0 means runtime.GOMAXPROCS(0). Results do not depend
	// on it.
	Workers int
	// Recorder receives the number of finished signals after each signal. May be nil.
	Recorder progress.Recorder
}

// ErrNotConverged is ended.ErrNotConverged: the error of Code wraps it if signals missed the tolerance. The
// result is still returned.
var ErrNotConverged = ended.ErrNotConverged

// complete checks the options for a basis of n columns and fills in defaults.
func (o Options) complete(n int) (Options, error) {
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
	if !positive(o.Lambda) {
		return o, fmt.Errorf("klcoding: Lambda is %v, must be positive and finite", o.Lambda)
	}
	switch {
	case o.PVec == nil:
		if !positive(o.P) {
			return o, fmt.Errorf("klcoding: P is %v, must be positive and finite", o.P)
		}
		o.PVec = make([]float64, n)
		for j := range o.PVec {
			o.PVec[j] = o.P
		}
	case o.P != 0:
		return o, errors.New("klcoding: both P and PVec are given")
	case len(o.PVec) != n:
		panic(fmt.Sprintf("klcoding: PVec has %d elements, B has %d columns", len(o.PVec), n))
	default:
		for j, p := range o.PVec {
			if !positive(p) {
				return o, fmt.Errorf("klcoding: PVec[%d] is %v, must be positive and finite", j, p)
			}
		}
		o.PVec = append([]float64(nil), o.PVec...)
	}
	if o.Loss != Squared && o.Loss != Softmax {
		return o, fmt.Errorf("klcoding: unknown loss %v", o.Loss)
	}
	if o.Method != Newton && o.Method != EGD && o.Method != NewtonCG {
		return o, fmt.Errorf("klcoding: unknown method %v", o.Method)
	}
	if o.Loss != Softmax && (o.Method == NewtonCG || o.Offset != nil || o.Typical != nil) {
		return o, errors.New("klcoding: NewtonCG, Offset and Typical are for Softmax only")
	}
	if o.Single && o.Method != NewtonCG {
		return o, errors.New("klcoding: Single is for NewtonCG only")
	}
	if math.IsNaN(o.Tolerance) || math.IsInf(o.Tolerance, 1) {
		return o, fmt.Errorf("klcoding: Tolerance is %v, must be finite", o.Tolerance)
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-9
	}
	if o.MaxIterations < 0 {
		return o, fmt.Errorf("klcoding: MaxIterations is %d, must not be negative", o.MaxIterations)
	}
	if o.Workers < 0 {
		return o, fmt.Errorf("klcoding: Workers is %d, must not be negative", o.Workers)
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 200
		if o.Method == EGD {
			o.MaxIterations = 100_000
		}
	}
	if o.Alpha == 0 {
		o.Alpha = 1 / (1 + o.Lambda)
	}
	if !positive(o.Alpha) {
		return o, fmt.Errorf("klcoding: Alpha is %v, must be positive and finite", o.Alpha)
	}
	return o, nil
}

// words checks and copies Offset and Typical, which must have d elements unless they are nil.
func (o *Options) words(d int) error {
	for _, v := range []struct {
		name string
		at   *[]float64
	}{{"Offset", &o.Offset}, {"Typical", &o.Typical}} {
		x := *v.at
		if x == nil {
			continue
		}
		if len(x) != d {
			panic(fmt.Sprintf("klcoding: %s has %d elements, B has %d rows", v.name, len(x), d))
		}
		for i, u := range x {
			if math.IsNaN(u) || math.IsInf(u, 0) || v.name == "Typical" && u < 0 {
				return fmt.Errorf("klcoding: %s[%d] is %v", v.name, i, u)
			}
		}
		*v.at = append([]float64(nil), x...)
	}
	return nil
}
