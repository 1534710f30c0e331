package nmf

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/ui/progress"
)

// A Method is an algorithm of Fit.
type Method int

const (
	// CoordinateDescent minimizes over one element at a time, first of U and then of W (HALS). It supports only the
	// Frobenius loss.
	CoordinateDescent Method = iota
	// ADMM solves each half-step by the alternating direction method of multipliers (AO-ADMM). It supports only the
	// Frobenius loss.
	ADMM
	// Multiplicative performs the updates of Lee and Seung, and for β-divergences the updates of Févotte and
	// Idier. It supports any loss.
	Multiplicative
)

// String returns the name of the method.
func (m Method) String() string {
	return name("Method", int(m), "CoordinateDescent", "ADMM", "Multiplicative")
}

// A Loss is the function that Fit minimizes.
type Loss int

const (
	// Frobenius is ½‖A − UW'‖_F².
	Frobenius Loss = iota
	// KL is Σ A log(A/UW') − A + UW', the generalized Kullback-Leibler divergence.
	KL
	// ItakuraSaito is Σ A/UW' − log(A/UW') − 1, for power spectra. It does not change if A and UW' are scaled
	// by the same number. No element of A may be 0.
	ItakuraSaito
	// BetaDivergence is Σ (A^β + (β−1)(UW')^β − β A (UW')^(β−1))/(β(β−1)), where β is Options.Beta. Its limits are
	// ItakuraSaito for β = 0 and KL for β = 1. For β = 2 it is Frobenius. If β <= 0, no element of A may be 0.
	BetaDivergence
)

// String returns the name of the loss.
func (l Loss) String() string {
	return name("Loss", int(l), "Frobenius", "KL", "ItakuraSaito", "BetaDivergence")
}

// An Init specifies the start of a fit.
type Init int

const (
	// Auto is Given if Options has U and W, otherwise NNDSVDa if k <= min(n, d), otherwise Random.
	Auto Init = iota
	// Random draws every element as √(m/k)·|N(0, 1)|, where m is the mean of A.
	Random
	// NNDSVD takes the positive or the negative part of each pair of singular vectors, whichever is larger. Its factors
	// have zeros, which Multiplicative keeps.
	NNDSVD
	// NNDSVDa is NNDSVD with the mean of A instead of zeros.
	NNDSVDa
	// Given starts at Options.U and Options.W.
	Given
)

// String returns the name of the start.
func (i Init) String() string {
	return name("Init", int(i), "Auto", "Random", "NNDSVD", "NNDSVDa", "Given")
}

// Options are the options of Fit. Components, or U and W, must be given; in all other fields, 0 means the default.
type Options struct {
	// Components is k. 0 means the number of columns of U and W.
	Components int
	Method     Method
	Loss       Loss
	// Beta is the β of the loss BetaDivergence; other losses do not use it. 0 means Itakura-Saito.
	Beta float64
	Init Init
	// U (n×k) and W (d×k) are the starting factors for Given. They are not modified.
	U, W mat.Matrix
	// Seed determines all random numbers: those of Random, of the algorithm for singular vectors, of Shuffle and of the
	// order of batches.
	Seed uint64

	// PenaltyU and PenaltyW are added to the loss: the objective is
	//
	//	loss + Σ (L1 u + L2/2 u²) + Σ (L1 w + L2/2 w²)
	//
	// where the sums (not means) are over the elements u of U and w of W. CoordinateDescent and Multiplicative support
	// penalties; ADMM does not. The zero value means no penalty.
	PenaltyU, PenaltyW Penalty

	// Batch is the number of rows of a mini-batch. An iteration goes through all batches in random order; each batch
	// updates its rows of U, and then W. If A has many rows, fewer iterations are needed. For the Frobenius loss, Batch
	// requires CoordinateDescent, without Single. For other losses, each batch takes 16dk bytes in addition to A, and
	// the objective may rise. 0 means one step for all rows.
	Batch int
	// MaxIterations is the maximum number of iterations, each a step for U and a step for W. With Batch, an iteration
	// performs both steps for each batch. 0 means 1000, and up to 30000 if A is small: as many as take 10¹¹ operations.
	// With columns of very different scales, thousands are needed.
	MaxIterations int
	// Tolerance ends the fit when an iteration changes the objective by at most Tolerance times the objective, or by at
	// most Tolerance² times ½‖A‖² (for other losses, times D_1; see Step.Explained). The second rule is needed if UW'
	// can equal A, because the objective then falls to 0, but its relative change does not. With ADMM, Step.Primal and
	// Step.Dual must also be at most InnerTolerance. 0 means 1e-5. If Tolerance
	// is negative, the change does not end the fit; if neither KKT nor Target is set, Fit then performs all
	// MaxIterations.
	Tolerance float64
	// KKT ends the fit when Step.KKT is at most this number. 0 means that the residual does not end the fit.
	KKT float64
	// Target ends the fit when the objective, with its penalties, is at most this number. 0 means no target.
	Target float64

	// Inner is the number of sweeps (or updates, or ADMM iterations) in a half-step. 0 means 10 for ADMM. For the other
	// methods, 0 means the number that costs about half as much as the preceding product with A, but at least 1 and at
	// most 10 (N. Gillis and F. Glineur, Accelerated multiplicative updates and hierarchical ALS, Neural Computation
	// 24, 2012). For losses other than Frobenius, a half-step is one update; but with Batch, there are Inner updates of
	// U (0 means 3).
	Inner int
	// InnerTolerance ends ADMM's half-step for rows whose primal and dual residuals are at most this number. 0 means
	// 0.01.
	InnerTolerance float64
	// Rho is ADMM's ρ. 0 means trace(W'W)/k for U and trace(U'U)/k for W.
	Rho float64
	// Shuffle makes CoordinateDescent take the columns in a new random order in every iteration.
	Shuffle bool
	// KeepDense keeps a dense A dense even if less than a tenth of its elements are nonzero.
	KeepDense bool
	// Single computes the products with a dense A in float32. The objective is then accurate to about 1e-7
	// ‖A‖², and the KKT residual to 1e-6 at best: enough for pictures of the parts, not for derivatives. The
	// scale of A does not matter, but elements below 1e-38 of the largest become 0. Single applies only to
	// the Frobenius loss of a dense A.
	Single bool

	// Recorder, if not nil, receives an event after each iteration.
	Recorder progress.Recorder
}

func name(kind string, i int, names ...string) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("%s(%d)", kind, i)
	}
	return names[i]
}

// complete checks the options for an n×d matrix, and returns them with the defaults filled in.
func (o Options) complete(n, d int) (Options, error) {
	switch {
	case o.Method < CoordinateDescent || o.Method > Multiplicative:
		return o, fmt.Errorf("nmf: unknown method %v", o.Method)
	case o.Loss < Frobenius || o.Loss > BetaDivergence:
		return o, fmt.Errorf("nmf: unknown loss %v", o.Loss)
	case o.Init < Auto || o.Init > Given:
		return o, fmt.Errorf("nmf: unknown init %v", o.Init)
	case o.Loss != Frobenius && o.Method != Multiplicative:
		return o, fmt.Errorf("nmf: %v minimizes the Frobenius loss only; for %v use Multiplicative", o.Method, o.Loss)
	case o.Beta-o.Beta != 0:
		return o, fmt.Errorf("nmf: Beta is %v, must be a number", o.Beta)
	case o.Beta != 0 && o.Loss != BetaDivergence:
		return o, fmt.Errorf("nmf: Beta is %v, but the loss is %v, not BetaDivergence", o.Beta, o.Loss)
	case o.Method == ADMM && o.PenaltyU != Penalty{}:
		return o, fmt.Errorf("nmf: ADMM does not take PenaltyU; use CoordinateDescent or Multiplicative")
	case o.Method == ADMM && o.PenaltyW != Penalty{}:
		return o, fmt.Errorf("nmf: ADMM does not take PenaltyW; use CoordinateDescent or Multiplicative")
	case o.Batch < 0:
		return o, fmt.Errorf("nmf: Batch is %d, must not be negative", o.Batch)
	case o.Batch > 0 && o.Loss == Frobenius && o.Method != CoordinateDescent:
		return o, fmt.Errorf("nmf: %v does not take Batch for the Frobenius loss; use CoordinateDescent", o.Method)
	case o.Batch > 0 && o.Single:
		return o, fmt.Errorf("nmf: Batch is for float64: leave out Single")
	case o.MaxIterations < 0 || o.Inner < 0:
		return o, fmt.Errorf("nmf: MaxIterations %d and Inner %d must not be negative", o.MaxIterations, o.Inner)
	case (o.U == nil) != (o.W == nil):
		return o, fmt.Errorf("nmf: both U and W must be given, or neither")
	case o.Init == Given && o.U == nil:
		return o, fmt.Errorf("nmf: Init is Given, but U and W are not")
	case o.Init != Given && o.Init != Auto && o.U != nil:
		return o, fmt.Errorf("nmf: U and W are given, but Init is %v", o.Init)
	}
	for _, f := range []struct {
		name string
		v    float64
	}{{"KKT", o.KKT}, {"Target", o.Target}, {"InnerTolerance", o.InnerTolerance}, {"Rho", o.Rho},
		{"PenaltyU.L1", o.PenaltyU.L1}, {"PenaltyU.L2", o.PenaltyU.L2}, {"PenaltyW.L1", o.PenaltyW.L1}, {"PenaltyW.L2", o.PenaltyW.L2}} {
		if !(f.v >= 0) || math.IsInf(f.v, 0) {
			return o, fmt.Errorf("nmf: %s is %v, must be 0 or positive and finite", f.name, f.v)
		}
	}
	if o.Tolerance-o.Tolerance != 0 {
		return o, fmt.Errorf("nmf: Tolerance is %v, must be a number", o.Tolerance)
	}
	if o.U != nil {
		o.Init = Given
		nu, k := o.U.Dims()
		dw, kw := o.W.Dims()
		if nu != n || dw != d || k != kw {
			panic(fmt.Sprintf("nmf: U is %d×%d and W is %d×%d for a %d×%d matrix", nu, k, dw, kw, n, d))
		}
		if o.Components != 0 && o.Components != k {
			return o, fmt.Errorf("nmf: Components is %d, U and W have %d columns", o.Components, k)
		}
		o.Components = k
	}
	if o.Components < 1 {
		return o, fmt.Errorf("nmf: Components is %d, must be at least 1", o.Components)
	}
	if o.Init == Auto {
		o.Init = NNDSVDa
		if o.Components > min(n, d) {
			o.Init = Random
		}
	}
	if (o.Init == NNDSVD || o.Init == NNDSVDa) && o.Components > min(n, d) {
		return o, fmt.Errorf("nmf: %v has at most %d components for a %d×%d matrix, not %d; use Random", o.Init, min(n, d), n, d, o.Components)
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-5
	}
	if o.InnerTolerance == 0 {
		o.InnerTolerance = 0.01
	}
	return o, nil
}
