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
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/subset"
	"overcomplete/kernel-helpers/internal/twofloat"
	"overcomplete/ui/progress"
)

// An SVM has a machine with the kernel k for each pair of classes a < b. Machine (a, b) is f(x) = Σ_i β_i k(x_i, x) +
// bias, which is positive for class a and minimizes
//
//	½ β'Kβ + C Σ_i s_i max(0, 1 − y_i f(x_i)),   y_i = 1 for class a and −1 for b,
//
// over the points of these two classes, as LIBSVM's C-SVC does. Here K is the matrix of all k(x_i, x_j), and s_i = 1
// unless classes or points have weights. Each machine votes for one class.
//
// In the comments of the fields, K is the number of classes.
type SVM struct {
	Kernel  Kernel     // with the defaults filled in
	Support *mat.Dense // m×d, the support vectors of all machines, minus Center
	Index   []int      // m: the support vectors' row numbers in the training X
	// Center (d) is subtracted from all points to reduce rounding errors. It is the mean of X or, if a few points are
	// far away, the median. It is 0 for kernels that depend on the origin.
	Center  []float64
	Beta    *mat.Dense // K(K−1)/2 × m, a machine per row, in the order (0,1), (0,2), .., (1,2), ..
	Bias    []float64  // K(K−1)/2
	Classes int
	C       float64
	// Sigmoids holds the numbers A and B for each machine. If a point belongs to one of the machine's two classes, it
	// belongs to the first with probability 1/(1 + exp(A f + B)). Sigmoids is nil unless Probability was set.
	Sigmoids [][2]float64

	Status     ended.Status // Converged if all machines converged, otherwise the worst status of a machine
	Iterations []int        // number of iterations of each machine; each iteration changes two coordinates
	Objective  []float64    // the objective above of each machine
	Dual       []float64    // the dual value: Objective minus the duality gap
	Violation  []float64    // largest violation of the KKT conditions, of each machine
}

// String returns a one-line summary.
func (m *SVM) String() string {
	return fmt.Sprintf("SVM with C %.4g: %d classes, %d support vectors, %d iterations (%v)", m.C, m.Classes, len(m.Index), total(m.Iterations), m.Status)
}

// SVMOptions configures FitSVM. The zero value is usable.
type SVMOptions struct {
	Kernel  Kernel  // nil means RBF{}
	C       float64 // weight of the loss. 0 means 1
	Classes int     // K. 0 means one more than the largest label
	// ClassWeights (K) and SampleWeights (n) set the weights of the points: s_i is the weight of the point's class
	// times its sample weight. nil means 1. Points of weight 0 are ignored.
	ClassWeights, SampleWeights []float64
	// Probability requests Sigmoids, which the method Probabilities needs. Each machine is then trained once more for
	// each fold.
	Probability bool
	Folds       int    // number of folds of the cross-validation for Probability. 0 means 5
	Seed        uint64 // determines the folds
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

// FitSVM trains on the rows of X (n×d) with labels y (n) by sequential minimal optimization, with the pairs of classes
// in parallel on all processors. opt may be nil. If machines miss their tolerance, the error wraps
// ended.ErrNotConverged; if ctx is done, the error wraps ctx.Err(). In both cases the model is returned too. If the
// kernel of two points is not finite, FitSVM returns an error.
func FitSVM(ctx context.Context, X mat.Matrix, y []int, opt *SVMOptions) (*SVM, error) {
	var o SVMOptions
	if opt != nil {
		o = *opt
	}
	return fitSVM(ctx, "FitSVM", X, y, o)
}

// fitSVM does what FitSVM does. Its error messages name the function fn.
func fitSVM(ctx context.Context, fn string, X mat.Matrix, y []int, o SVMOptions) (*SVM, error) {
	if err := inRange(fn, number("C", o.C), number("Tolerance", o.Tolerance), number("Gap", o.Gap),
		count("MaxIterations", o.MaxIterations), count("CacheBytes", o.CacheBytes),
		option{"Folds", o.Folds, o.Folds == 0 || o.Folds > 1, "0, or 2 or more"}); err != nil {
		return nil, err
	}
	D, K, err := checkLabeled(fn, X, y, o.Classes)
	if err != nil {
		return nil, err
	}
	if _, err := counts(fn, y, K); err != nil {
		return nil, err
	}
	s, err := pointWeights(fn, o.ClassWeights, o.SampleWeights, y, K)
	if err != nil {
		return nil, err
	}
	kernel, centered, center, err := place(fn, D, o.Kernel)
	if err != nil {
		return nil, err
	}
	n, _ := D.Dims()
	setDefault(&o.C, 1)
	setDefault(&o.Tolerance, 1e-3)
	setDefault(&o.MaxIterations, 10_000_000)
	setDefault(&o.CacheBytes, 400<<20)
	setDefault(&o.Folds, 5)
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
	bad := make([]error, P)
	sigmoids := make([][2]float64, P)
	share := o.CacheBytes / min(P, runtime.GOMAXPROCS(0))
	// train trains a machine on the points idx. The argument first is the number of points at the start of idx
	// that belong to the machine's first class.
	train := func(idx []int, first int) (*smo, ended.Status, error) {
		m := &smo{y: make([]float64, len(idx)), C: o.C, gap: o.Gap, rows: newKernelRows(Rows(centered, idx), kernel, 1, share)}
		m.p = m.y
		if s != nil {
			m.s = subset.Values(s, idx)
		}
		for r := range idx {
			m.y[r] = 1
			if r >= first {
				m.y[r] = -1
			}
		}
		status := m.run(ctx, o.Tolerance, o.MaxIterations)
		err := badKernel(fn, D, m.rows, idx)
		m.rows = nil
		return m, status, err
	}
	var lock sync.Mutex
	done := 0
	parallel.Do(P, 0, func(p int) {
		idx := pairPoints(of, pairs[p])
		first := len(of[pairs[p][0]])
		machines[p], status[p], bad[p] = train(idx, first)
		if o.Probability && bad[p] == nil && status[p] != ended.Interrupted {
			f := make([]float64, len(idx)) // for each point, f of a machine that has not seen it
			for _, fold := range pairFolds(machines[p].y, o.Folds, o.Seed) {
				var seen []int // places in idx
				for r, at := 0, 0; r < len(idx); r++ {
					if at < len(fold) && fold[at] == r {
						at++
					} else {
						seen = append(seen, r)
					}
				}
				points := subset.Values(idx, seen)
				count, _ := slices.BinarySearch(seen, first)
				if count == 0 || count == len(seen) { // only one class was seen
					for _, r := range fold {
						f[r] = math.Copysign(1, machines[p].y[seen[0]])
					}
					continue
				}
				m, st, err := train(points, count)
				if status[p] = max(status[p], st); err != nil {
					bad[p] = err
					return
				}
				if st == ended.Interrupted {
					return
				}
				beta := mat.NewDense(1, len(m.beta), m.beta)
				F := expansion(kernel, Rows(centered, points), beta, []float64{m.bias}, Rows(centered, subset.Values(idx, fold)), nil)
				for a, r := range fold {
					f[r] = F.At(a, 0)
				}
			}
			sigmoids[p] = fitSigmoid(f, machines[p].y)
		}
		lock.Lock()
		defer lock.Unlock()
		done++
		obj, _ := machines[p].values()
		progress.Report(o.Recorder, progress.Event{What: "SVM", Step: done, Total: P, Objective: obj})
	})
	for _, err := range bad {
		if err != nil {
			return nil, err
		}
	}

	m := &SVM{Kernel: kernel, Center: center, Classes: K, C: o.C, Bias: make([]float64, P), Status: ended.Converged}
	if o.Probability {
		m.Sigmoids = sigmoids
	}
	column := make([]int, n) // row of Support plus 1; 0 if not a support vector
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
	if len(m.Index) == 0 { // only if the context was done before the first step
		return nil, fmt.Errorf("classify: %s: %w before the first step", fn, ctx.Err())
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
		return m, fmt.Errorf("classify: %s: %w", fn, ctx.Err())
	}
	return m, ended.Missed("classify: "+fn, "machines", status)
}

// setDefault replaces 0 by a default.
func setDefault[T int | float64](v *T, to T) {
	if *v == 0 {
		*v = to
	}
}

// place returns the kernel with its defaults filled in, the points D minus a center, and the center. The center is 0
// unless isShiftFree(kernel). If the features are so large or so small that their squares would overflow or underflow,
// it returns an error. Its error messages name the function fn.
func place(fn string, D *mat.Dense, kernel Kernel) (Kernel, *mat.Dense, []float64, error) {
	_, d := D.Dims()
	points, center, variance := centered(D)
	kernel, err := resolve(fn, kernel, func() float64 {
		if variance > 0 && !constant.Range(mat.Min(D), mat.Max(D)) {
			return 1 / (float64(d) * variance)
		}
		return 1
	})
	if err != nil {
		return nil, nil, nil, err
	}
	from := "its mean"
	if !isShiftFree(kernel) {
		points, center, from = D, make([]float64, d), "0"
	}
	// Outside this range squared distances would underflow or overflow.
	if top := largestAbs(points); ofProducts(kernel) && (top > 1e150 || top > 0 && top < 1e-150) {
		return nil, nil, nil, fmt.Errorf("classify: %s: X is up to %.3g from %s, and squares of that leave the range of numbers: scale the features", fn, top, from)
	}
	if k, ok := kernel.(RBF); ok {
		if top := largestNorm(points); 2*k.Gamma*top*top > manyDigits {
			points, center = centeredByMedians(D, k.Gamma)
		}
	}
	return kernel, points, center, nil
}

// badKernel returns an error if one of the kernel values computed so far (by rows) is not finite in float32. The error
// names the two points by their row numbers in X. Point i of the kernelRows is row idx[i] of X.
func badKernel(fn string, X *mat.Dense, rows *kernelRows, idx []int) error {
	if !rows.isBad {
		return nil
	}
	i, j := rows.bad[0], rows.bad[1]
	if idx != nil {
		i, j = idx[i], idx[j]
	}
	return fmt.Errorf("classify: %s: the kernel of points %d and %d is %v, must be finite and below %.2g: scale the features",
		fn, i, j, rows.kernel.Value(X.RawRowView(i), X.RawRowView(j)), math.MaxFloat32)
}

// pairFolds divides the points of a pair of classes into folds. y holds the signs of the points. Each fold is
// ascending, and each sign is spread evenly over the folds.
func pairFolds(y []float64, folds int, seed uint64) [][]int {
	labels := make([]int, len(y))
	for i, s := range y {
		if s < 0 {
			labels[i] = 1
		}
	}
	return subset.Stratified(labels, min(folds, len(y)), seed)
}

// largestAbs returns the largest absolute value in X. It returns +Inf or NaN if an element is infinite or NaN.
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

// centeredByMedians returns X minus a center, and the center: the median of each feature. The center is not the mean,
// because a few distant points would move the mean away from all other points. If subtracting the median of a feature
// would lose too many digits of some values, the center is 0 for this feature. What is lost is measured in units of
// 1/√gamma, the width of the RBF kernel.
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

// pairPoints returns the points of both classes of a pair. points[c] holds the points of class c.
func pairPoints(points [][]int, pair [2]int) []int {
	return append(append([]int{}, points[pair[0]]...), points[pair[1]]...)
}

// pairsOf returns the pairs a < b of K classes, in the order of the machines.
func pairsOf(K int) [][2]int {
	var p [][2]int
	for a := range K {
		for b := a + 1; b < K; b++ {
			p = append(p, [2]int{a, b})
		}
	}
	return p
}

// centered returns three values: X with the mean of its rows subtracted, this mean, and the variance of all elements of
// X about their common mean.
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
func (m *SVM) Decisions(X mat.Matrix) *mat.Dense {
	mustBeTrained("Decisions", m.Support)
	given.Args("classify: Decisions", "Kernel", m.Kernel)
	return expansion(m.Kernel, m.Support, m.Beta, m.Bias, input("Decisions", X, len(m.Center)), m.Center)
}

// expansion returns a matrix with a row for each row x of X and a column for each row p of beta. Its elements are Σ_j
// β_pj k(s_j, x − center) + bias_p, where s_j are the rows of support. A nil center means 0.
func expansion(kernel Kernel, support, beta *mat.Dense, bias []float64, X *mat.Dense, center []float64) *mat.Dense {
	n, d := X.Dims()
	sv, _ := support.Dims()
	norm := make([]float64, sv)
	for j := range sv {
		for _, x := range support.RawRowView(j) {
			norm[j] += x * x
		}
	}
	P := len(bias)
	F := mat.NewDense(n, P, nil)
	const block = 256 // points are processed in blocks, to bound the memory
	parallel.Do((n+block-1)/block, 0, func(t int) {
		from, to := t*block, min(n, (t+1)*block)
		B := mat.DenseCopyOf(X.Slice(from, to, 0, d))
		if center != nil {
			for i := range to - from {
				floats.Sub(B.RawRowView(i), center)
			}
		}
		K := mat.NewDense(to-from, sv, nil)
		if ofProducts(kernel) {
			K.Mul(B, support.T())
		}
		for i := range to - from {
			xx := 0.0
			for _, x := range B.RawRowView(i) {
				xx += x * x
			}
			kernelValues(kernel, K.RawRowView(i), B.RawRowView(i), support, xx, norm)
		}
		out := F.Slice(from, to, 0, P).(*mat.Dense)
		out.Mul(K, beta.T()) // block×m times m×P
		for i := range to - from {
			row := out.RawRowView(i)
			for p, b := range bias {
				row[p] += b
			}
		}
	})
	return F
}

// Scores returns, for each row of X (n×d) and each class, the number of votes plus s/(3(|s| + 1)): n×K. s is the sum of
// f over the class's machines, where f is negated if positive values favor the other class. The added term is below ⅓,
// so it matters only if classes have equal votes.
func (m *SVM) Scores(X mat.Matrix) *mat.Dense {
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
func (m *SVM) Predict(X mat.Matrix) []int { return largest(m.Scores(X)) }
