package classify

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/ui/progress"
)

// An RBFSVM is an SVM with the kernel k(x, z) = exp(−γ‖x − z‖²).
type RBFSVM struct {
	SVM
	Gamma float64
	// Centre is the old name of Center.
	//
	// Deprecated: use Center.
	Centre []float64
}

// String returns a one-line summary.
func (m *RBFSVM) String() string {
	return fmt.Sprintf("%v, gamma %.4g", &m.SVM, m.Gamma)
}

// RBFSVMOptions configures FitRBFSVM. The zero value is usable.
type RBFSVMOptions struct {
	C float64 // weight of the loss. 0 means 1
	// Gamma is γ. 0 means 1/(d v), where v is the variance of all elements of X (scikit-learn's "scale").
	Gamma   float64
	Classes int // K. 0 means one more than the largest label
	// ClassWeights (K) and SampleWeights (n) set the weights of the points: s_i is the weight of the point's class
	// times its sample weight. nil means 1. Points of weight 0 are ignored.
	ClassWeights, SampleWeights []float64
	// Training ends when the KKT conditions are violated by at most Tolerance. 0 means 1e-3. The duality gap
	// is then at most Tolerance C Σ s_i, which is a large part of the objective if C is large and the classes
	// are separable.
	Tolerance float64
	// If Gap is not 0, the duality gap must also be at most Gap times the objective. Gaps below about 1e-6 of the
	// objective cannot be reached; Status is then NoProgress.
	Gap float64
	// MaxIterations is the largest number of steps for each machine. 0 means 10 million.
	MaxIterations int
	// CacheBytes is the memory for kernel rows, shared by all machines that train at the
	// same time. 0 means 400 MB.
	CacheBytes int
	// Recorder receives an event for each finished machine. It may be nil.
	Recorder progress.Recorder
}

// FitRBFSVM does what FitSVM does, with the kernel RBF.
func FitRBFSVM(ctx context.Context, X mat.Matrix, y []int, opt *RBFSVMOptions) (*RBFSVM, error) {
	var o RBFSVMOptions
	if opt != nil {
		o = *opt
	}
	m, err := fitSVM(ctx, "FitRBFSVM", X, y, SVMOptions{
		Kernel: RBF{o.Gamma}, C: o.C, Classes: o.Classes, ClassWeights: o.ClassWeights, SampleWeights: o.SampleWeights,
		Tolerance: o.Tolerance, Gap: o.Gap, MaxIterations: o.MaxIterations, CacheBytes: o.CacheBytes, Recorder: o.Recorder,
	})
	if m == nil {
		return nil, err
	}
	return &RBFSVM{SVM: *m, Gamma: m.Kernel.(RBF).Gamma, Centre: m.Center}, err
}
