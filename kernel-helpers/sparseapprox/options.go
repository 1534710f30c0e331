package sparseapprox

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/ui/progress"
)

// A Prior is a penalty P(w).
type Prior int

const (
	// L1 is the penalty Σ|w_j|.
	L1 Prior = iota
	// L1NonNegative is the penalty Σ w_j with w >= 0.
	L1NonNegative
	// L2 is the penalty Σ w_j².
	L2
	// None is no penalty: least squares, with the w of least norm if the solution is not unique. As in numpy's lstsq, a
	// singular value of B counts as 0 if it is at most max(D, n)·2⁻⁵² times the largest one, because rounding produces
	// such values if atoms are dependent. So an atom that is 1e16 times shorter than another is ignored.
	None
	// Lp is the penalty Σ|w_j|^p with 0 < p < 1. It is not convex; see the package comment.
	Lp
	// L0 allows Options.Nonzeros nonzeros, or as many as are needed for an error of at most Options.MaxError. It does
	// not use λ.
	L0
)

// String returns the name of the prior.
func (p Prior) String() string {
	return name("Prior", int(p), "L1", "L1NonNegative", "L2", "None", "Lp", "L0")
}

// A Method is an algorithm of Solve.
type Method int

const (
	// Auto means SoftThreshold for L1 if B is orthonormal, otherwise CoordinateDescent for L1, L1NonNegative and Lp,
	// ClosedForm for L2 and None, and OMP for L0.
	Auto Method = iota
	// CoordinateDescent works on a growing set of atoms and finishes with a linear solve. It is for L1,
	// L1NonNegative and Lp.
	CoordinateDescent
	// FeatureSign is the feature-sign search of Lee and others (2007). It is for L1 and L1NonNegative.
	FeatureSign
	// LARS follows the path of solutions from a large λ down to the requested λ. It is for L1 and
	// L1NonNegative.
	LARS
	// FISTA is the accelerated proximal gradient method. It is for L1 and L1NonNegative.
	FISTA
	// SoftThreshold is the closed form for orthonormal B; for any other B it is an error. It is for L1 and
	// L1NonNegative.
	SoftThreshold
	// ClosedForm is a linear map of x. It is for L2 and None.
	ClosedForm
	// OMP is orthogonal matching pursuit. It is for L0.
	OMP
)

// String returns the name of the method.
func (m Method) String() string {
	return name("Method", int(m), "Auto", "CoordinateDescent", "FeatureSign", "LARS", "FISTA", "SoftThreshold", "ClosedForm", "OMP")
}

func name(kind string, i int, names ...string) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("%s(%d)", kind, i)
	}
	return names[i]
}

// Options are the options of Solve and NewCoder. All priors except None and L0 need a Lambda. nil means the zero value,
// which is an error: its prior is L1, and it has no Lambda.
type Options struct {
	Prior Prior
	// Lambda is λ, the weight of the penalty: positive for L1, L1NonNegative, L2 and Lp, unused for None and
	// L0.
	Lambda float64
	// Ridge is μ, the weight of ½‖w‖², which is added to λP(w). With L1 and L1NonNegative this is the elastic net: its
	// minimum is unique and may use up to n atoms. 0 means the lasso. For all other priors, Ridge must be 0.
	Ridge float64
	// P is the exponent of Lp, 0 < P < 1. 0 means 0.5.
	P      float64
	Method Method
	// Tolerance is the largest accepted gap, relative to the objective (L1, L1NonNegative) or to ½‖x‖² (L2 and None,
	// where the gap is only rounding error). For Lp it is the largest accepted change to a coefficient in a sweep,
	// relative to the largest coefficient. 0 means 1e-6.
	Tolerance float64
	// MaxIterations bounds sweeps (CoordinateDescent), steps (FeatureSign,
	// FISTA) or knots (LARS) for one signal. 0 means 10000.
	MaxIterations int
	// Nonzeros is the maximum number of nonzeros for L0. 0 means min(D, n) if MaxError is set, otherwise a
	// tenth of min(D, n), but at least 1.
	Nonzeros int
	// MaxError ends a pursuit (L0) when ‖x − Bw‖ is at most MaxError. 0 means that only Nonzeros ends it. If both are
	// set, the pursuit ends as soon as one of them is reached. If only MaxError is set, the status of a signal that
	// cannot reach it is NoProgress.
	MaxError float64
	// Warm holds the W (n×N) at which Solve starts. nil means 0. With a Coder, use CodeFrom instead. LARS,
	// SoftThreshold, ClosedForm and OMP ignore Warm.
	Warm *mat.Dense
	// Workers is the number of goroutines that share the signals. It does not affect the result. 0 means GOMAXPROCS.
	// (The dense products use as many goroutines as the BLAS is configured for.)
	Workers int
	// Recorder receives an event after every 512 signals, with the mean objective so far. May
	// be nil.
	Recorder progress.Recorder
}

// A Result holds the coefficients of N signals.
type Result struct {
	// Status is the worst status in Signals.
	Status ended.Status
	// Method is the method that was used.
	Method Method
	// W is n×N, one signal per column.
	W *mat.Dense
	// Objective is ½‖x − Bw‖² + λP(w) + ½μ‖w‖² for each signal (N), computed from W, not from intermediate
	// values of the solver.
	Objective []float64
	// Gap bounds how far each objective (N) is above its minimum, and is also computed from W. It is NaN for Lp and L0,
	// for which no bound is known. For None, the minimum is taken over the directions whose singular values do not
	// count as 0; see None.
	Gap []float64
	// Iterations is the number of iterations for each signal (N), counted as in Options.MaxIterations.
	Iterations []int
	// Signals is the status of each signal (N).
	Signals []ended.Status
}

// Density returns the share of coefficients that are not 0.
func (r *Result) Density() float64 {
	n, N := r.W.Dims()
	count := 0
	for i := range n {
		for _, v := range r.W.RawRowView(i) {
			if v != 0 {
				count++
			}
		}
	}
	return float64(count) / float64(n*N)
}

// MeanObjective returns the mean of Objective.
func (r *Result) MeanObjective() float64 {
	var t float64
	for _, v := range r.Objective {
		t += v
	}
	return t / float64(len(r.Objective))
}

// MaxGap returns the largest gap, relative to its objective. It returns NaN for Lp and L0.
func (r *Result) MaxGap() float64 {
	var t float64
	for k, g := range r.Gap {
		if g > 0 {
			g /= r.Objective[k]
		}
		t = max(t, g)
	}
	return t
}

// String returns a summary in one line.
func (r *Result) String() string {
	n, N := r.W.Dims()
	return fmt.Sprintf("%v by %v: %d signals, %d atoms, %.2f %% nonzero, mean objective %.6g, largest relative gap %.2g",
		r.Status, r.Method, N, n, 100*r.Density(), r.MeanObjective(), r.MaxGap())
}
