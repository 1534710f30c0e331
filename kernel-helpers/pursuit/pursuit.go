package pursuit

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/size"
	"overcomplete/kernel-helpers/internal/vector"
)

// PursuitOptions are the options of the basis pursuit functions. With nil or the zero value, all weights are 1 and
// coefficients may have either sign.
type PursuitOptions struct {
	// Weights holds the n weights w_j >= 0 of |s_j|. nil means all 1.
	Weights []float64
	// NonNegative restricts the solution to s >= 0.
	NonNegative bool
	// LP holds the options of the interior-point method, if it is used.
	LP *LPOptions
	// Workers is the number of goroutines of a batch. 0 means GOMAXPROCS.
	Workers int
}

// A PursuitResult is a solution of basis pursuit for one signal x.
//
// Dual is nil after BasisPursuitEnumerate. Otherwise it holds the y that maximizes y'x subject to |a_j'y| <= w_j for
// every column a_j. With NonNegative, the constraints are a_j'y <= w_j. If Status is Infeasible, y is a proof: y'x is
// positive, and every a_j'y is 0 or, with NonNegative, at most 0.
type PursuitResult struct {
	Status     ended.Status
	S          []float64 // coefficients, n; 0 if Infeasible
	Dual       []float64 // y, m
	Objective  float64   // sum_j w_j |s_j|; +Inf if Infeasible
	Gap        float64   // Objective − y'x in absolute value; +Inf if Infeasible
	Iterations int       // interior-point steps, or column choices tried
	Basic      bool      // at most m nonzeros, with independent columns
	Support    []int     // indices of the nonzeros of S, ascending
}

// String returns a one-line summary.
func (r *PursuitResult) String() string {
	return fmt.Sprintf("basis pursuit on %d atoms: %d nonzeros, objective %.4g after %d iterations (%v)", len(r.S), len(r.Support), r.Objective, r.Iterations, r.Status)
}

// A PursuitBatch holds the solutions for the columns of X.
type PursuitBatch struct {
	S         *mat.Dense     // n×p; a column of zeros where Status is not Converged
	Dual      *mat.Dense     // m×p
	Objective []float64      // p; +Inf where infeasible
	Status    []ended.Status // p
}

// String returns a one-line summary.
func (r *PursuitBatch) String() string {
	n, p := size.Of(r.S)
	converged := 0
	for _, s := range r.Status {
		if s == ended.Converged {
			converged++
		}
	}
	return fmt.Sprintf("basis pursuit of %d signals on %d atoms: %d converged", p, n, converged)
}

func (s *PursuitOptions) weights(fn string, n int) ([]float64, error) {
	w := make([]float64, n)
	for j := range w {
		w[j] = 1
	}
	if s == nil || s.Weights == nil {
		return w, nil
	}
	if len(s.Weights) != n {
		panic(fmt.Sprintf("pursuit: %s: %d weights for %d columns", fn, len(s.Weights), n))
	}
	for j, v := range s.Weights {
		if !(v >= 0) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("pursuit: %s: weight %d is %v, must be finite and not negative", fn, j, v)
		}
		w[j] = v
	}
	return w, nil
}

// BasisPursuit minimizes sum_j w_j |s_j| over A s = x by the interior-point
// method of LinearProgram. x has m entries. A signal without an exact
// representation leads to Status Infeasible and a nil error.
//
// Source: Chen, Donoho and Saunders, Atomic decomposition by basis pursuit,
// SIAM J. Sci. Comput. 20 (1998).
func BasisPursuit(ctx context.Context, a mat.Matrix, x []float64, opt *PursuitOptions) (*PursuitResult, error) {
	m, n := dims("BasisPursuit", "A", a)
	if len(x) != m {
		panic(fmt.Sprintf("pursuit: BasisPursuit: A is %d×%d and x has %d entries", m, n, len(x)))
	}
	w, err := opt.weights("BasisPursuit", n)
	if err != nil {
		return nil, err
	}
	var set PursuitOptions
	if opt != nil {
		set = *opt
	}
	lpset := LPOptions{}
	if set.LP != nil {
		lpset = *set.LP
	}
	if set.NonNegative {
		r, err := LinearProgram(ctx, w, a, x, &lpset)
		if r == nil {
			return nil, err
		}
		return &PursuitResult{r.Status, r.Z, r.Y, r.Objective, r.Gap, r.Iterations, r.Basic, r.Support}, err
	}
	// s = u − v: the columns are [A −A].
	aa := mat.NewDense(m, 2*n, nil)
	cc := make([]float64, 2*n)
	for j := range n {
		cc[j], cc[n+j] = w[j], w[j]
		for i := range m {
			v := a.At(i, j)
			aa.Set(i, j, v)
			aa.Set(i, n+j, -v)
		}
	}
	r, err := LinearProgram(ctx, cc, aa, x, &lpset)
	if r == nil {
		return nil, err
	}
	res := &PursuitResult{Status: r.Status, S: make([]float64, n), Dual: r.Y, Iterations: r.Iterations, Basic: r.Basic}
	if r.Status == ended.Infeasible {
		res.Objective, res.Gap = r.Objective, r.Gap
		return res, err
	}
	for j := range n {
		res.S[j] = r.Z[j] - r.Z[n+j]
		if res.S[j] != 0 {
			res.Support = append(res.Support, j)
			res.Objective += w[j] * math.Abs(res.S[j])
		}
	}
	res.Gap = math.Abs(res.Objective - vector.DotInOrder(x, res.Dual))
	return res, err
}

// maxChoices is the maximum number of choices for BasisPursuitEnumerate. More would take too long.
const maxChoices = 2_000_000

// BasisPursuitEnumerate solves the problem of BasisPursuit by trying every choice of min(m, n) columns and keeping the
// cheapest exact representation. This is exact because some optimal solution is basic. The cost is C(n, m) small
// linear solves; more than two million choices are an error. Choices with dependent columns (condition above 1e16,
// gonum's limit) are skipped, so A should have full rank. If no choice is independent, the status is Infeasible unless
// x is 0. Dual is nil and Gap is 0: enumeration proves optimality without them.
func BasisPursuitEnumerate(a mat.Matrix, x []float64, opt *PursuitOptions) (*PursuitResult, error) {
	m, n := dims("BasisPursuitEnumerate", "A", a)
	if len(x) != m {
		panic(fmt.Sprintf("pursuit: BasisPursuitEnumerate: A is %d×%d and x has %d entries", m, n, len(x)))
	}
	if err := checkMatrix("BasisPursuitEnumerate", "A", a); err != nil {
		return nil, err
	}
	if err := checkVector("BasisPursuitEnumerate", "x", x); err != nil {
		return nil, err
	}
	w, err := opt.weights("BasisPursuitEnumerate", n)
	if err != nil {
		return nil, err
	}
	nonneg := opt != nil && opt.NonNegative
	k := min(m, n)
	choices := 1.0
	for i := range k {
		choices *= float64(n-i) / float64(i+1)
	}
	if choices > maxChoices {
		return nil, fmt.Errorf("pursuit: BasisPursuitEnumerate: %.3g choices of %d columns out of %d", choices, k, n)
	}
	res := &PursuitResult{Status: ended.Infeasible, S: make([]float64, n), Objective: math.Inf(1), Basic: true}
	scale := normInf(x)
	if scale == 0 {
		res.Status, res.Objective = ended.Converged, 0
		return res, nil
	}
	idx := make([]int, k)
	for i := range idx {
		idx[i] = i
	}
	sub := mat.NewDense(m, k, nil)
	xv := mat.NewVecDense(m, append([]float64(nil), x...))
	var sol, back mat.VecDense
	for {
		res.Iterations++
		for t, j := range idx {
			for i := range m {
				sub.Set(i, t, a.At(i, j))
			}
		}
		if err := sol.SolveVec(sub, xv); err == nil {
			cost, ok := 0.0, true
			for t, j := range idx {
				v := sol.AtVec(t)
				if nonneg && v < -1e-12*math.Abs(sol.AtVec(0))-1e-12*scale {
					ok = false
					break
				}
				cost += w[j] * math.Abs(v)
			}
			if ok && k < m { // fewer columns than equations: least squares must be exact
				back.MulVec(sub, &sol)
				back.SubVec(&back, xv)
				ok = mat.Norm(&back, math.Inf(1)) <= 1e-10*scale
			}
			if ok && cost < res.Objective {
				res.Status, res.Objective = ended.Converged, cost
				for j := range res.S {
					res.S[j] = 0
				}
				for t, j := range idx {
					v := sol.AtVec(t)
					if nonneg {
						v = max(v, 0)
					}
					res.S[j] = v
				}
			}
		}
		i := k - 1
		for i >= 0 && idx[i] == n-k+i {
			i--
		}
		if i < 0 {
			break
		}
		idx[i]++
		for t := i + 1; t < k; t++ {
			idx[t] = idx[t-1] + 1
		}
	}
	for j, v := range res.S {
		if v != 0 {
			res.Support = append(res.Support, j)
		}
	}
	return res, nil
}

// BasisPursuitBatch solves basis pursuit for every column of X (m×p). It uses Sectors if m = 2, all weights are
// positive and not all columns of A are parallel; otherwise it uses the interior-point method, for several signals in
// parallel. If signals fail, the error names the first of them, and the batch is returned too.
func BasisPursuitBatch(ctx context.Context, a, x mat.Matrix, opt *PursuitOptions) (*PursuitBatch, error) {
	m, n := dims("BasisPursuitBatch", "A", a)
	mx, p, err := points("BasisPursuitBatch", "X", x)
	if err != nil {
		return nil, err
	}
	if mx != m {
		panic(fmt.Sprintf("pursuit: BasisPursuitBatch: A has %d rows and X is %d×%d, a signal per COLUMN%s", m, mx, p, transposeHint(mx, p, m)))
	}
	if err := checkMatrix("BasisPursuitBatch", "A", a); err != nil {
		return nil, err
	}
	if err := checkMatrix("BasisPursuitBatch", "X", x); err != nil {
		return nil, err
	}
	w, err := opt.weights("BasisPursuitBatch", n)
	if err != nil {
		return nil, err
	}
	var set PursuitOptions
	if opt != nil {
		set = *opt
	}
	if set.Workers < 0 {
		return nil, fmt.Errorf("pursuit: BasisPursuitBatch: Workers is %d, must not be negative", set.Workers)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	out := &PursuitBatch{S: mat.NewDense(n, p, nil), Dual: mat.NewDense(m, p, nil), Objective: make([]float64, p), Status: make([]ended.Status, p)}
	var sec *Sectors
	if m == 2 && allPositive(w) {
		if sec, err = newSectors(ctx, a, w, set.NonNegative); ctx.Err() != nil {
			return nil, fmt.Errorf("pursuit: BasisPursuitBatch: %w", ctx.Err())
		} else if err != nil && !errors.Is(err, errParallel) {
			return nil, err
		}
	}
	if sec != nil && len(sec.List) > 0 { // the list is empty if all columns are parallel
		for k := range p {
			x0, x1 := x.At(0, k), x.At(1, k)
			s := sec.Find(x0, x1)
			if s == nil {
				if x0 == 0 && x1 == 0 {
					out.Status[k] = ended.Converged
				} else {
					out.Status[k], out.Objective[k] = ended.Infeasible, math.Inf(1)
				}
				continue
			}
			out.Status[k] = ended.Converged
			si, sj := s.Coefficients(x0, x1)
			sign := 1.0
			if !set.NonNegative && s.Y[0]*x0+s.Y[1]*x1 < 0 {
				sign = -1
			}
			out.S.Set(s.I, k, si)
			out.S.Set(s.J, k, sj)
			out.Dual.Set(0, k, sign*s.Y[0])
			out.Dual.Set(1, k, sign*s.Y[1])
			out.Objective[k] = w[s.I]*math.Abs(si) + w[s.J]*math.Abs(sj)
		}
		return out, nil
	}
	errs := make([]error, p)
	parallel.Do(p, set.Workers, func(k int) {
		if ctx.Err() != nil {
			errs[k] = ctx.Err()
			return
		}
		r, err := BasisPursuit(ctx, a, mat.Col(nil, k, x), &set)
		if err != nil {
			errs[k] = err
			return
		}
		out.Status[k], out.Objective[k] = r.Status, r.Objective
		if r.Status != ended.Converged {
			out.Objective[k] = math.Inf(1)
			return
		}
		out.S.SetCol(k, r.S)
		out.Dual.SetCol(k, r.Dual)
	})
	for k, err := range errs {
		if err != nil {
			return out, fmt.Errorf("pursuit: BasisPursuitBatch: signal %d: %w", k, err)
		}
	}
	return out, nil
}

func allPositive(w []float64) bool {
	for _, v := range w {
		if v <= 0 {
			return false
		}
	}
	return true
}
