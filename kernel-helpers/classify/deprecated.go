package classify

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// TrainMaxent does what FitMaxent does.
//
// Deprecated: use FitMaxent.
func TrainMaxent(ctx context.Context, X mat.Matrix, y []int, opt *MaxentOptions) (*Maxent, error) {
	return FitMaxent(ctx, X, y, opt)
}

// TrainNetwork does what FitNetwork does.
//
// Deprecated: use FitNetwork.
func TrainNetwork(ctx context.Context, X mat.Matrix, y []int, opt *NetworkOptions) (*Network, error) {
	return FitNetwork(ctx, X, y, opt)
}

// TrainLinearSVM does what FitLinearSVM does.
//
// Deprecated: use FitLinearSVM.
func TrainLinearSVM(ctx context.Context, X mat.Matrix, y []int, opt *LinearSVMOptions) (*LinearSVM, error) {
	return FitLinearSVM(ctx, X, y, opt)
}

// TrainRBFSVM does what FitRBFSVM does.
//
// Deprecated: use FitRBFSVM.
func TrainRBFSVM(ctx context.Context, X mat.Matrix, y []int, opt *RBFSVMOptions) (*RBFSVM, error) {
	return FitRBFSVM(ctx, X, y, opt)
}

// TrainMDA does what FitMDA does, without a context.
//
// Deprecated: use FitMDA.
func TrainMDA(X mat.Matrix, y []int, opt *MDAOptions) (*MDA, error) {
	return FitMDA(context.Background(), X, y, opt)
}

// Project does what Transform does.
//
// Deprecated: use Transform.
func (m *MDA) Project(X mat.Matrix) *mat.Dense { return m.Transform(X) }

// Standardise does what Standardize does.
//
// Deprecated: use Standardize.
func Standardise(X mat.Matrix) (*Scaler, error) { return Standardize(X) }

// Apply does what Transform does.
//
// Deprecated: use Transform.
func (s *Scaler) Apply(X mat.Matrix) *mat.Dense { return s.Transform(X) }
