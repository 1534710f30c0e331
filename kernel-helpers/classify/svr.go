package classify

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/ui/progress"
)

// An SVR is a support vector regression f(x) = Σ_i β_i k(x_i, x) + bias that minimizes
//
//	½ β'Kβ + C Σ_i s_i max(0, |y_i − f(x_i)| − ε),
//
// as LIBSVM's ε-SVR does. Here k is the kernel, K is the matrix of all k(x_i, x_j), and s_i = 1 unless points have
// weights.
type SVR struct {
	Kernel  Kernel     // with the defaults filled in
	Support *mat.Dense // m×d, the support vectors minus Center; nil if f is constant
	Index   []int      // m: the support vectors' row numbers in the training X
	Center  []float64  // d: subtracted from all points, as in SVM
	Beta    []float64  // m
	Bias    float64
	C       float64
	Epsilon float64 // ε

	Status     ended.Status
	Iterations int     // each iteration changes two coordinates
	Objective  float64 // the objective above
	Dual       float64 // the dual value: Objective minus the duality gap
	Violation  float64 // largest violation of the KKT conditions
}

// String returns a one-line summary.
func (m *SVR) String() string {
	return fmt.Sprintf("SVR with C %.4g and epsilon %.4g: %d support vectors, objective %.4g after %d iterations (%v)", m.C, m.Epsilon, len(m.Index), m.Objective, m.Iterations, m.Status)
}

// SVROptions configures FitSVR. The zero value is usable.
type SVROptions struct {
	Kernel Kernel  // nil means RBF{}
	C      float64 // weight of the loss. 0 means 1
	// Epsilon is ε, in units of y: smaller errors cost nothing. 0 means 0.1, and a negative number means 0.
	Epsilon float64
	// SampleWeights (n) are the s_i. nil means 1. Points of weight 0 are ignored.
	SampleWeights []float64
	// Training ends when the KKT conditions are violated by at most Tolerance, in units of y. 0 means 1e-3.
	Tolerance float64
	// If Gap is not 0, the duality gap must also be at most Gap times the objective.
	Gap           float64
	MaxIterations int // largest number of steps. 0 means 10 million
	CacheBytes    int // memory for kernel rows. 0 means 400 MB
	// Recorder receives an event at the end. It may be nil.
	Recorder progress.Recorder
}

// FitSVR trains on the rows of X (n×d) with targets y (n). It uses FitSVM's solver, with two variables for each point.
// opt may be nil. The errors are those of FitSVM.
func FitSVR(ctx context.Context, X mat.Matrix, y []float64, opt *SVROptions) (*SVR, error) {
	const fn = "FitSVR"
	var o SVROptions
	if opt != nil {
		o = *opt
	}
	if err := inRange(fn, number("C", o.C), number("Epsilon", math.Max(0, o.Epsilon)), number("Tolerance", o.Tolerance), number("Gap", o.Gap),
		count("MaxIterations", o.MaxIterations), count("CacheBytes", o.CacheBytes)); err != nil {
		return nil, err
	}
	mustNotBeNil(fn, X)
	if n, _ := X.Dims(); n != len(y) {
		panic(fmt.Sprintf("classify: %s: X has %d rows, a point per ROW, and y has %d targets", fn, n, len(y)))
	}
	D, err := finite.Dense("X", X)
	if err != nil {
		return nil, fmt.Errorf("classify: %s: %w", fn, err)
	}
	if i := finite.Index(y); i >= 0 {
		return nil, fmt.Errorf("classify: %s: y[%d] is %v", fn, i, y[i])
	}
	s, err := pointWeights(fn, nil, o.SampleWeights, make([]int, len(y)), 1)
	if err != nil {
		return nil, err
	}
	kernel, points, center, err := place(fn, D, o.Kernel)
	if err != nil {
		return nil, err
	}
	setDefault(&o.C, 1)
	setDefault(&o.Epsilon, 0.1)
	setDefault(&o.Tolerance, 1e-3)
	setDefault(&o.MaxIterations, 10_000_000)
	setDefault(&o.CacheBytes, 400<<20)
	o.Epsilon = math.Max(0, o.Epsilon)
	if ctx == nil {
		ctx = context.Background()
	}
	var used []int // points with a weight
	for i := range y {
		if s == nil || s[i] > 0 {
			used = append(used, i)
		}
	}
	n := len(used)
	// The mean of y can be subtracted, because the bias absorbs a constant. So no digits are spent on the mean.
	mean := 0.0
	for _, i := range used {
		mean += y[i] / float64(n)
	}
	m := &smo{y: make([]float64, 2*n), p: make([]float64, 2*n), C: o.C, gap: o.Gap, rows: newKernelRows(Rows(points, used), kernel, 2, o.CacheBytes)}
	if s != nil {
		m.s = make([]float64, 2*n)
	}
	for r, i := range used {
		m.y[r], m.p[r] = 1, y[i]-mean-o.Epsilon
		m.y[n+r], m.p[n+r] = -1, y[i]-mean+o.Epsilon
		if s != nil {
			m.s[r], m.s[n+r] = s[i], s[i]
		}
	}
	if i := finite.Index(m.p); i >= 0 {
		return nil, fmt.Errorf("classify: %s: y[%d] is %v, too large to subtract the mean: scale y", fn, used[i%n], y[used[i%n]])
	}
	status := m.run(ctx, o.Tolerance, o.MaxIterations)
	if err := badKernel(fn, D, m.rows, used); err != nil {
		return nil, err
	}
	r := &SVR{
		Kernel: kernel, Center: center, Bias: m.bias + mean, C: o.C, Epsilon: o.Epsilon,
		Status: status, Iterations: m.steps, Violation: m.violation,
	}
	for k, i := range used {
		if b := m.beta[k] + m.beta[n+k]; b != 0 {
			r.Index, r.Beta = append(r.Index, i), append(r.Beta, b)
		}
	}
	if len(r.Index) > 0 {
		r.Support = Rows(points, r.Index)
	}
	r.Objective, r.Dual = m.values()
	progress.Report(o.Recorder, progress.Event{What: "SVR", Step: 1, Total: 1, Objective: r.Objective})
	if status == ended.Interrupted {
		return r, fmt.Errorf("classify: %s: %w", fn, ctx.Err())
	}
	return r, ended.Missed("classify: "+fn, "machines", []ended.Status{status})
}

// Predict returns f for the rows of X (n×d).
func (m *SVR) Predict(X mat.Matrix) []float64 {
	if m.Center == nil {
		panic("classify: Predict: the model is not trained")
	}
	D := input("Predict", X, len(m.Center))
	n, _ := D.Dims()
	if m.Support == nil {
		f := make([]float64, n)
		floats.AddConst(m.Bias, f)
		return f
	}
	given.Args("classify: Predict", "Kernel", m.Kernel)
	beta := mat.NewDense(1, len(m.Beta), m.Beta)
	return expansion(m.Kernel, m.Support, beta, []float64{m.Bias}, D, m.Center).RawMatrix().Data
}
