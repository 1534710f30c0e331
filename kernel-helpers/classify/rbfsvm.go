package classify

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/constant"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/subset"
	"overcomplete/kernel-helpers/internal/twofloat"
	"overcomplete/ui/progress"
)

// An RBFSVM has a machine with the kernel k(x, z) = exp(−γ‖x − z‖²) for each pair of classes a < b. Machine
// (a, b) is f(x) = Σ_i β_i k(x_i, x) + bias, which is positive for class a and minimizes
//
//	½ β'Kβ + C Σ_i s_i max(0, 1 − y_i f(x_i)),   y_i = 1 for class a and −1 for b,
//
// over the points of these two classes, as LIBSVM's C-SVC does; s_i = 1 unless classes or points have
// weights. Each machine votes for one class.
type RBFSVM struct {
	Support *mat.Dense // m×d, the support vectors of all machines, minus Center
	Index   []int      // m: the support vectors' row numbers in the training X
	Center  []float64  // d: subtracted to reduce rounding errors; the mean of X, or if few points are far away the median
	// Centre is the old name of Center.
	//
	// Deprecated: use Center.
	Centre  []float64
	Beta    *mat.Dense // K(K−1)/2 × m, a machine per row, in the order (0,1), (0,2), .., (1,2), ..
	Bias    []float64  // K(K−1)/2
	Classes int
	Gamma   float64
	C       float64

	Status     ended.Status // Converged if all machines converged, else the worst status of a machine
	Iterations []int        // number of iterations of each machine; an iteration changes two coordinates
	Objective  []float64    // the objective above of each machine
	Dual       []float64    // the dual value: Objective minus the duality gap
	Violation  []float64    // largest violation of the KKT conditions, of each machine
}

// RBFSVMOptions configures FitRBFSVM. The zero value is usable.
type RBFSVMOptions struct {
	C float64 // weight of the loss. 0 means 1
	// Gamma is γ. 0 means 1/(d v), where v is the variance of all elements of X (scikit-learn's "scale").
	Gamma   float64
	Classes int // K. 0 means one more than the largest label
	// ClassWeights (K) and SampleWeights (n) set the weights of the points: s_i is the weight of the point's
	// class times its sample weight. nil: 1. Points of weight 0 are ignored.
	ClassWeights, SampleWeights []float64
	// Training ends when the KKT conditions are violated by at most Tolerance. 0 means 1e-3. The duality gap
	// is then at most Tolerance C Σ s_i, which is a large part of the objective if C is large and the classes
	// are separable.
	Tolerance float64
	// If Gap is not 0, the duality gap must also be at most Gap times the objective. Values below about 1e-6
	// are not reached (Status is then NoProgress).
	Gap float64
	// MaxIterations is the largest number of steps of a machine. 0 means 10 million.
	MaxIterations int
	// CacheBytes is the memory for kernel rows, shared by all machines that train at the
	// same time. 0 means 400 MB.
	CacheBytes int
	// Recorder receives an event for each finished machine. It may be nil.
	Recorder progress.Recorder
}

// FitRBFSVM trains on the rows of X (n×d) with labels y (n) by sequential minimal optimization, with the
// pairs of classes in parallel on all processors. opt may be nil. If machines miss their tolerance, the error
// wraps ended.ErrNotConverged; if ctx ends, the error wraps ctx.Err(). In both cases the model is returned
// too.
func FitRBFSVM(ctx context.Context, X mat.Matrix, y []int, opt *RBFSVMOptions) (*RBFSVM, error) {
	var o RBFSVMOptions
	if opt != nil {
		o = *opt
	}
	if err := inRange("FitRBFSVM", number("C", o.C), number("Gamma", o.Gamma), number("Tolerance", o.Tolerance), number("Gap", o.Gap),
		count("MaxIterations", o.MaxIterations), count("CacheBytes", o.CacheBytes)); err != nil {
		return nil, err
	}
	D, K, err := checkLabeled("FitRBFSVM", X, y, o.Classes)
	if err != nil {
		return nil, err
	}
	if _, err := counts("FitRBFSVM", y, K); err != nil {
		return nil, err
	}
	s, err := pointWeights("FitRBFSVM", o.ClassWeights, o.SampleWeights, y, K)
	if err != nil {
		return nil, err
	}
	n, d := D.Dims()
	centered, center, variance := centered(D)
	// Outside this range squared distances would underflow or overflow.
	if top := largestAbs(centered); top > 1e150 || top > 0 && top < 1e-150 {
		return nil, fmt.Errorf("classify: FitRBFSVM: X is up to %.3g from its mean, and squares of that leave the range of numbers: scale the features", top)
	}
	if o.C == 0 {
		o.C = 1
	}
	if o.Gamma == 0 {
		o.Gamma = 1
		if variance > 0 && !constant.Range(mat.Min(D), mat.Max(D)) {
			o.Gamma = 1 / (float64(d) * variance)
		}
	}
	if top := largestNorm(centered); 2*o.Gamma*top*top > manyDigits {
		centered, center = centeredByMedians(D, o.Gamma)
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-3
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 10_000_000
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = 400 << 20
	}
	if ctx == nil {
		ctx = context.Background()
	}
	of := make([][]int, K)
	for i, c := range y {
		if s == nil || s[i] > 0 {
			of[c] = append(of[c], i)
		}
	}
	pairs := pairsOf(K)
	P := len(pairs)
	machines := make([]*smo, P)
	status := make([]ended.Status, P)
	share := o.CacheBytes / min(P, runtime.GOMAXPROCS(0))
	var lock sync.Mutex
	done := 0
	parallel.Do(P, 0, func(p int) {
		idx := pairPoints(of, pairs[p])
		weights := s
		s := &smo{y: make([]float64, len(idx)), C: o.C, gap: o.Gap, rows: newKernelRows(Rows(centered, idx), o.Gamma, share)}
		if weights != nil {
			s.s = subset.Values(weights, idx)
		}
		for r := range idx {
			s.y[r] = 1
			if r >= len(of[pairs[p][0]]) {
				s.y[r] = -1
			}
		}
		status[p] = s.run(ctx, o.Tolerance, o.MaxIterations)
		s.rows = nil
		machines[p] = s
		lock.Lock()
		defer lock.Unlock()
		done++
		obj, _ := s.values()
		progress.Report(o.Recorder, progress.Event{What: "RBF SVM", Step: done, Total: P, Objective: obj})
	})

	m := &RBFSVM{Center: center, Centre: center, Classes: K, Gamma: o.Gamma, C: o.C, Bias: make([]float64, P), Status: ended.Converged}
	column := make([]int, n) // row of Support plus 1; 0: not a support vector
	for p, s := range machines {
		for r, i := range pairPoints(of, pairs[p]) {
			if s.beta[r] != 0 {
				column[i] = 1
			}
		}
	}
	for i, c := range column {
		if c != 0 {
			m.Index = append(m.Index, i)
			column[i] = len(m.Index)
		}
	}
	if len(m.Index) == 0 { // only if the context ended before the first step
		return nil, fmt.Errorf("classify: FitRBFSVM: %w before the first step", ctx.Err())
	}
	m.Support = Rows(centered, m.Index)
	m.Beta = mat.NewDense(P, len(m.Index), nil)
	for p, s := range machines {
		for r, i := range pairPoints(of, pairs[p]) {
			if s.beta[r] != 0 {
				m.Beta.Set(p, column[i]-1, s.beta[r])
			}
		}
		primal, dual := s.values()
		m.Bias[p] = s.bias
		m.Objective, m.Dual = append(m.Objective, primal), append(m.Dual, dual)
		m.Iterations, m.Violation = append(m.Iterations, s.steps), append(m.Violation, s.violation)
		m.Status = max(m.Status, status[p])
	}
	if m.Status == ended.Interrupted {
		return m, fmt.Errorf("classify: FitRBFSVM: %w", ctx.Err())
	}
	return m, ended.Missed("classify: FitRBFSVM", "machines", status)
}

// largestAbs returns the largest absolute value of X, +Inf or NaN if an element is infinite or NaN.
func largestAbs(X *mat.Dense) float64 {
	n, _ := X.Dims()
	top := 0.0
	for i := range n {
		top = math.Max(top, floats.Norm(X.RawRowView(i), math.Inf(1)))
	}
	return top
}

// largestNorm returns the largest norm of a row of X.
func largestNorm(X *mat.Dense) float64 {
	n, _ := X.Dims()
	top := 0.0
	for i := range n {
		top = math.Max(top, floats.Norm(X.RawRowView(i), 2))
	}
	return top
}

// centeredByMedians returns X minus a center, and the center. A few points that are far away move the mean away
// from all others, but not the median. It is 0 for a feature of which the median is so much larger than some points
// that the difference would lose their digits.
func centeredByMedians(X *mat.Dense, gamma float64) (*mat.Dense, []float64) {
	n, d := X.Dims()
	center := make([]float64, d)
	for j := range d {
		col := mat.Col(nil, j, X)
		slices.Sort(col)
		m, lost := col[n/2], 0.0
		for _, x := range col {
			lost = math.Max(lost, math.Abs(twofloat.Sum(x, -m).Lo))
		}
		if math.Sqrt(gamma)*lost < 1e-10 {
			center[j] = m
		}
	}
	C := mat.DenseCopyOf(X)
	for i := range n {
		floats.Sub(C.RawRowView(i), center)
	}
	return C, center
}

// pairPoints returns the points of a pair of classes.
func pairPoints(of [][]int, pair [2]int) []int {
	return append(append([]int{}, of[pair[0]]...), of[pair[1]]...)
}

// pairsOf lists the pairs a < b of K classes in the order of the machines.
func pairsOf(K int) [][2]int {
	var p [][2]int
	for a := range K {
		for b := a + 1; b < K; b++ {
			p = append(p, [2]int{a, b})
		}
	}
	return p
}

// centered returns X minus the mean of its rows, the mean, and the variance of all elements of X about their
// common mean.
func centered(X *mat.Dense) (*mat.Dense, []float64, float64) {
	n, d := X.Dims()
	mean := make([]float64, d)
	total := 0.0
	for i := range n {
		for j, x := range X.RawRowView(i) {
			mean[j] += x / float64(n)
		}
	}
	for _, m := range mean {
		total += m / float64(d)
	}
	C := mat.NewDense(n, d, nil)
	v := 0.0
	for i := range n {
		c := C.RawRowView(i)
		for j, x := range X.RawRowView(i) {
			c[j] = x - mean[j]
			v += (x - total) * (x - total)
		}
	}
	return C, mean, v / float64(n) / float64(d)
}

// Decisions returns f of all machines for the rows of X (n×d): n×K(K−1)/2, in the
// order of Beta. A value is positive for the first class of the pair.
func (m *RBFSVM) Decisions(X mat.Matrix) *mat.Dense {
	mustBeTrained("Decisions", m.Support)
	D := input("Decisions", X, len(m.Center))
	n, d := D.Dims()
	sv, _ := m.Support.Dims()
	norm := make([]float64, sv)
	for j := range sv {
		for _, x := range m.Support.RawRowView(j) {
			norm[j] += x * x
		}
	}
	P := len(m.Bias)
	F := mat.NewDense(n, P, nil)
	const block = 256 // points at a time, to bound the memory
	parallel.Do((n+block-1)/block, 0, func(t int) {
		from, to := t*block, min(n, (t+1)*block)
		B := mat.NewDense(to-from, d, nil)
		for i := range to - from {
			b := B.RawRowView(i)
			for j, x := range D.RawRowView(from + i) {
				b[j] = x - m.Center[j]
			}
		}
		var K mat.Dense
		K.Mul(B, m.Support.T()) // block×m
		for i := range to - from {
			xx := 0.0
			for _, x := range B.RawRowView(i) {
				xx += x * x
			}
			gaussianKernel(K.RawRowView(i), B.RawRowView(i), m.Support, xx, norm, m.Gamma)
		}
		out := F.Slice(from, to, 0, P).(*mat.Dense)
		out.Mul(&K, m.Beta.T()) // block×m times m×P
		for i := range to - from {
			row := out.RawRowView(i)
			for p, b := range m.Bias {
				row[p] += b
			}
		}
	})
	return F
}

// Scores returns, for the rows of X (n×d), the votes for each class plus s/(3(|s| + 1)):
// n×K. s is the sum of f over the class's machines, with the sign that favors the
// class. The added term is below ⅓, so it decides only between classes with equal votes.
func (m *RBFSVM) Scores(X mat.Matrix) *mat.Dense {
	F := m.Decisions(X)
	n, _ := F.Dims()
	S := mat.NewDense(n, m.Classes, nil)
	sum := make([]float64, m.Classes)
	pairs := pairsOf(m.Classes)
	for i := range n {
		clear(sum)
		s := S.RawRowView(i)
		for p, f := range F.RawRowView(i) {
			a, b := pairs[p][0], pairs[p][1]
			if f > 0 {
				s[a]++
			} else {
				s[b]++
			}
			sum[a] += f
			sum[b] -= f
		}
		for k, v := range sum {
			s[k] += v / (3 * (math.Abs(v) + 1))
		}
	}
	return S
}

// Predict returns the class with the most votes for each row of X (n×d).
func (m *RBFSVM) Predict(X mat.Matrix) []int { return largest(m.Scores(X)) }
