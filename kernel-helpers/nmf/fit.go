package nmf

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/product"
	"overcomplete/kernel-helpers/internal/size"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/ui/progress"
)

// A Step is one entry of the history: the state after an iteration.
type Step struct {
	Iteration int     // 0 is the start
	Objective float64 // the loss and the penalties
	// Explained is 1 − ‖A − UW'‖²/‖A‖², without the penalties. For KL it is 1 − D/D_1, where D_1 is the divergence of
	// the best matrix of rank 1. For ItakuraSaito and BetaDivergence, D_1 is the divergence of the best constant
	// matrix, whose elements all equal the mean of A.
	Explained float64
	// SparsenessU and SparsenessW are Hoyer's measure, averaged over the columns. The measure is 0 if all numbers of a
	// column are equal, and 1 if only one number is not 0.
	SparsenessU, SparsenessW float64
	// Primal and Dual are ADMM's residuals in the worst rows of the last half-steps.
	Primal, Dual float64
	// KKT is the residual; see Model.KKT. It is computed in every step if Options.KKT is set, otherwise only in the
	// last step. Where it is not computed, it is 0.
	KKT     float64
	Seconds float64 // seconds since Fit began to compute
}

// A Model is a factorization and its history.
type Model struct {
	U *mat.Dense // n×k, >= 0
	W *mat.Dense // d×k, >= 0
	// DualU and DualW are ADMM's dual variables, which are <= 0. At a solution they are −Ū and −W̄, where Ū and W̄ are
	// the multipliers. They are nil for the other methods.
	DualU, DualW *mat.Dense
	Objective    float64 // the loss and the penalties
	Explained    float64 // see Step
	// KKT is 0 at a point where neither factor alone can be improved. For the Frobenius loss, it is the larger residual
	// of the two nonnegative least squares problems, with their penalties, as package nnls defines it. But the
	// denominators are formed from A W and A'U without the L1 penalty, because that penalty could make them almost 0.
	// For the other losses, KKT is the largest |min(u, g)| over both factors, where u is an element divided by the
	// largest element of its column, and g is the gradient divided by its positive part.
	KKT        float64
	Iterations int
	Method     Method
	Loss       Loss
	Beta       float64 // from the options
	Init       Init
	// PenaltyU and PenaltyW are copied from the options.
	PenaltyU, PenaltyW Penalty
	// Status is Converged, Reached (Target), IterationLimit or Interrupted.
	Status  ended.Status
	History []Step
}

// String returns a one-line summary.
func (m *Model) String() string {
	n, k := size.Of(m.U)
	d, _ := size.Of(m.W)
	return fmt.Sprintf("NMF of %d×%d in %d components: objective %.4g, KKT residual %.2g after %d iterations (%v, %v)", n, d, k, m.Objective, m.KKT, m.Iterations, m.Method, m.Status)
}

// Fit finds U and W with A ≈ U W'. A (n×d) is a *Sparse or any other matrix, without negative elements. opt must give
// Components, or U and W.
//
// If ctx is done, Fit returns ctx's error together with the Model after the last complete iteration. If no iteration is
// complete, the Model is that of the start. If the start is not complete either, the Model is nil. Model.KKT is NaN if
// computing it would take a long time.
//
// If MaxIterations iterations do not suffice, Fit returns the Model with an error that wraps ended.ErrNotConverged.
// But if MaxIterations is the only stopping rule (a negative Tolerance, no KKT and no Target), reaching it is not an
// error.
func Fit(ctx context.Context, A mat.Matrix, opt *Options) (*Model, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	var o Options
	if opt != nil {
		o = *opt
	}
	if isNil(A) {
		return nil, fmt.Errorf("nmf: Fit: A is nil")
	}
	n, d := A.Dims()
	if n == 0 || d == 0 {
		return nil, fmt.Errorf("nmf: Fit: A is empty, %d×%d", n, d)
	}
	o, err := o.complete(n, d)
	if err != nil {
		return nil, err
	}
	var a data
	if beta, ok := betaOf(o.Loss, o.Beta); ok {
		a, err = prepareBeta(A, beta)
	} else {
		a, err = prepare(A, o.KeepDense)
	}
	if err != nil {
		return nil, err
	}
	work := float64(o.Components) * (2*float64(a.nonzeros()) + float64(n+d)*float64(o.Components)) // of an iteration
	if o.MaxIterations == 0 {
		o.MaxIterations = int(min(max(1e11/work, 1000), 30000))
	}
	begin := time.Now()
	if D, ok := a.(*denseData); ok && o.Single && o.Loss == Frobenius {
		a = newSingleData(D)
	}
	// If an iteration takes only a fraction of a second, inside never ends, so that iterations are always finished.
	inside := parallel.Grace(ctx, work)
	a.endWith(inside)
	if err := inside.Err(); err != nil {
		return nil, fmt.Errorf("nmf: %w", err)
	}
	s, err := newState(ctx, a, &o)
	if err != nil {
		return nil, err
	}
	r := &Model{Method: o.Method, Loss: o.Loss, Beta: o.Beta, Init: o.Init, PenaltyU: o.PenaltyU, PenaltyW: o.PenaltyW, Status: ended.IterationLimit}
	rng := rand.New(rand.NewPCG(o.Seed, 0x5f0e))
	record := func(t int, kkt bool) Step {
		st := s.step(t, kkt)
		st.Seconds = time.Since(begin).Seconds()
		r.History = append(r.History, st)
		progress.Report(o.Recorder, progress.Event{What: "NMF", Step: t, Total: o.MaxIterations, Objective: st.Objective})
		return st
	}
	if !s.isOver() {
		s.evaluate()
	}
	if s.isOver() {
		return nil, fmt.Errorf("nmf: %w after 0 iterations", ctx.Err())
	}
	last := record(0, o.KKT > 0)
	for t := 1; t <= o.MaxIterations; t++ {
		interrupted := func() error {
			r.Status = ended.Interrupted
			return fmt.Errorf("nmf: %w after %d iterations", ctx.Err(), t-1)
		}
		if ctx.Err() != nil {
			err = interrupted()
			break
		}
		var order []int
		if o.Shuffle {
			order = rng.Perm(o.Components)
		}
		restore := s.keep()
		s.iterate(order)
		if s.isOver() {
			restore()
			err = interrupted()
			break
		}
		st := record(t, o.KKT > 0)
		r.Iterations = t
		change := math.Abs(last.Objective - st.Objective)
		last = st
		if st.Objective-st.Objective != 0 {
			if s.beta != nil {
				return nil, fmt.Errorf("nmf: the objective is %v after %d iterations: powers of A or UW' for β = %v overflow; scale A", st.Objective, t, s.beta.beta)
			}
			return nil, fmt.Errorf("nmf: the objective is %v after %d iterations", st.Objective, t)
		}
		if o.Target > 0 && st.Objective <= o.Target {
			r.Status = ended.Reached
			break
		}
		// ADMM may also change slowly because its ρ does not suit A. Its residuals show that.
		settled := o.Method != ADMM || max(st.Primal, st.Dual) <= o.InnerTolerance
		if o.KKT > 0 && st.KKT <= o.KKT || o.Tolerance > 0 && settled && change <= o.Tolerance*max(st.Objective, o.Tolerance*s.scale()) {
			r.Status = ended.Converged
			break
		}
	}
	end := &r.History[len(r.History)-1]
	end.KKT = s.kkt()
	if s.isOver() {
		end.KKT = math.NaN()
		if err == nil {
			r.Status, err = ended.Interrupted, fmt.Errorf("nmf: %w after %d iterations", ctx.Err(), r.Iterations)
		}
	} else if s.batches != nil && r.Iterations > 0 { // without accumulated rounding
		s.loss = max(0, s.squares/2-frobenius(s.CU, s.U)+frobenius(s.GU, s.GW)/2)
		end.Objective = s.loss + o.PenaltyU.value(s.U) + o.PenaltyW.value(s.W)
		end.Explained = 1 - 2*s.loss/s.squares
	}
	r.U, r.W = compact(s.U), compact(s.W)
	if s.dualU != nil {
		r.DualU, r.DualW = s.dualU, s.dualW
	}
	r.Objective, r.Explained, r.KKT = end.Objective, end.Explained, end.KKT
	if r.Status == ended.IterationLimit && (o.Tolerance > 0 || o.KKT > 0 || o.Target > 0) {
		err = fmt.Errorf("nmf: Fit: %w in %d iterations, KKT residual %.2g: the model can be used (ended.Accept takes this error); more MaxIterations lower the residual", ended.ErrNotConverged, r.Iterations, r.KKT)
	}
	if err == nil && ctx.Err() != nil {
		r.Status, err = ended.Interrupted, fmt.Errorf("nmf: %w after %d iterations", ctx.Err(), r.Iterations)
	}
	return r, err
}

// keep returns a function that restores the factors as they are now, for use if the next iteration is interrupted. It
// returns nil if the context can never end.
func (s *state) keep() (restore func()) {
	if s.a.end().Done() == nil {
		return nil
	}
	U, W := slices.Clone(s.U.Data), slices.Clone(s.W.Data)
	var DU, DW *mat.Dense
	if s.dualU != nil {
		DU, DW = mat.DenseCopyOf(s.dualU), mat.DenseCopyOf(s.dualW)
	}
	return func() {
		copy(s.U.Data, U)
		copy(s.W.Data, W)
		if DU != nil {
			s.dualU, s.dualW = DU, DW
		}
	}
}

// isOver reports whether the context is done. The last products may then be unfinished.
func (s *state) isOver() bool { return s.a.end().Err() != nil }

// A state is a fit in progress. Before an iteration, GW, GU and the objective belong to the current U and W,
// and so does CU for losses other than Frobenius.
type state struct {
	a      data
	o      *Options
	n, d   int
	U, W   blas64.General // n×k, d×k
	CU, CW blas64.General // Frobenius: A W (n×k), A'U (d×k); KL: (A/UW')W, (A/UW')'U; β: N
	GU, GW blas64.General // U'U, W'W (k×k); Frobenius
	// For Frobenius, haveCU and haveCW say whether CU and CW belong to the current W and U.
	haveCU, haveCW bool
	DU, DW         blas64.General // β: D (n×k, d×k), see betaData.products
	beta           *betaData      // nil if the loss is not a β-divergence
	batches        *batches       // nil without Options.Batch
	// incremental is set instead of the field batches if the loss is not Frobenius.
	incremental *incremental

	dualU, dualW *mat.Dense
	residuals    nnls.Residuals // the larger residuals of the two half-steps

	innerU, innerW int
	squares        float64 // ‖A‖_F²
	entropy, one   float64 // KL: Σ A log A − A; and D_1, see Step.Explained
	loss           float64
	objective      float64 // the loss and the penalties
}

func newState(ctx context.Context, a data, o *Options) (*state, error) {
	n, d := a.dims()
	k := o.Components
	s := &state{a: a, o: o, n: n, d: d, CU: factor(n, k), CW: factor(d, k), GU: factor(k, k), GW: factor(k, k)}
	var err error
	if s.U, s.W, err = start(ctx, a, o); err != nil {
		return nil, err
	}
	switch o.Loss {
	case Frobenius:
		s.squares = a.squares()
	case KL:
		s.entropy, s.one = a.entropy(), rankOne(a)
	default:
		s.beta = a.(*betaData)
		s.one = s.beta.constant()
		s.DU, s.DW = factor(n, k), factor(d, k)
	}
	if o.Method == ADMM {
		s.dualU, s.dualW = mat.NewDense(n, k, nil), mat.NewDense(d, k, nil)
	}
	s.innerU, s.innerW = s.sweepCount(n), s.sweepCount(d)
	switch {
	case o.Batch > 0 && o.Loss == Frobenius:
		s.batches = newBatches(a, o)
	case o.Batch > 0:
		beta := 1.0
		if s.beta != nil {
			beta = s.beta.beta
		}
		if s.incremental, err = newIncremental(a, beta, o); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// sweepCount returns the number of sweeps of a half-step for a factor with r rows; see Options.Inner.
func (s *state) sweepCount(r int) int {
	switch {
	case s.o.Inner > 0:
		return s.o.Inner
	case s.o.Method == ADMM:
		return 10
	}
	// A product takes nonzeros·k multiplications, a sweep r·k².
	return max(1, min(10, s.a.nonzeros()/(2*r*s.o.Components)))
}

// rankOne returns D_1 = D(A‖rc'/Σ), where r are the row sums of A, c its column sums, and Σ the sum of all elements.
func rankOne(a data) float64 {
	rows, columns := a.margins()
	sum := floats.Sum(rows)
	v := a.entropy() + sum
	for _, m := range [][]float64{rows, columns} {
		for _, x := range m {
			if x > 0 {
				v -= x * math.Log(x)
			}
		}
	}
	return v + sum*math.Log(sum)
}

// iterate performs a step for U, then a step for W, then calls evaluate.
func (s *state) iterate(order []int) {
	if s.batches != nil {
		s.iterateBatches(order)
		return
	}
	if s.incremental != nil {
		s.iterateIncremental()
		return
	}
	if b := s.beta; b != nil {
		multiplyPower(s.U, s.CU, s.DU, s.o.PenaltyU, gamma(b.beta, s.o.PenaltyU))
		b.productsT(s.U, s.W, s.CW, s.DW)
		if s.isOver() {
			return
		}
		multiplyPower(s.W, s.CW, s.DW, s.o.PenaltyW, gamma(b.beta, s.o.PenaltyW))
		s.evaluate()
		return
	}
	if s.o.Loss == KL {
		multiply(s.U, s.CU, columnSums(s.W), s.o.PenaltyU)
		s.a.ratioTimesT(s.U, s.W, s.CW)
		if s.isOver() {
			return
		}
		multiply(s.W, s.CW, columnSums(s.U), s.o.PenaltyW)
		s.evaluate()
		return
	}
	s.residuals = nnls.Residuals{}
	if A, ok := s.a.(*denseData); ok && s.o.Method != ADMM {
		s.improveByRows(A, order)
	} else {
		if !s.haveCU {
			s.a.times(s.W, s.CU)
		}
		s.improve(s.U, s.CU, s.GW, s.o.PenaltyU, s.dualU, s.innerU, order)
		s.a.timesT(s.U, s.CW)
		product.Gemm(s.a.end(), blas.Trans, blas.NoTrans, 1, s.U, s.U, 0, s.GU)
	}
	if s.isOver() {
		return
	}
	s.improve(s.W, s.CW, s.GU, s.o.PenaltyW, s.dualW, s.innerW, order)
	s.haveCU, s.haveCW = false, true
	s.evaluate()
}

// improveByRows improves U and computes CW and GU, in a single pass over A. It takes one block of rows of A and U at a
// time: it multiplies the block of A by W, improves the block of U, and multiplies the transpose of the block of A,
// which is still in the cache, by the block of U. A single pass saves time because, with few components, reading A
// takes longer than the products.
//
// The blocks are divided into groups, which run in parallel. Each group has its own CW and GU, which are added up at
// the end. The division into groups does not depend on the number of processors.
func (s *state) improveByRows(A *denseData, order []int) {
	const block = 128 // the number of rows that gemm sums before it adds them to an element of A'U
	k := s.o.Components
	blocks := (s.n + block - 1) / block
	groups := max(1, min(16, blocks, s.n/(16*k)))
	CW, GU := make([]blas64.General, groups), make([]blas64.General, groups)
	CW[0], GU[0] = s.CW, s.GU
	parallel.Do(groups, 0, func(g int) {
		if g > 0 {
			CW[g], GU[g] = factor(s.d, k), factor(k, k)
		}
		beta := 0.0
		for b := blocks * g / groups; b < blocks*(g+1)/groups && !s.isOver(); b++ {
			from, to := s.n*b/blocks, s.n*(b+1)/blocks
			Ab, U, C := rowsOf(A.a, from, to), rowsOf(s.U, from, to), rowsOf(s.CU, from, to)
			if !s.haveCU {
				A.rowsTimes(from, to, s.W, s.CU)
			}
			s.improve(U, C, s.GW, s.o.PenaltyU, nil, s.innerU, order)
			product.Gemm(s.a.end(), blas.Trans, blas.NoTrans, 1, Ab, U, beta, CW[g])
			product.Gemm(s.a.end(), blas.Trans, blas.NoTrans, 1, U, U, beta, GU[g])
			beta = 1
		}
	})
	for g := 1; g < groups; g++ {
		floats.Add(s.CW.Data, CW[g].Data)
		floats.Add(s.GU.Data, GU[g].Data)
	}
}

// improve performs the half-step for the argument U, which is the factor U or the factor W. For the factor U, C = A W
// and G = W'W; for the factor W, C = A'U and G = U'U. The rows of the argument do not depend on each other, so improve
// processes them in portions, and stops between two portions if the context is done.
func (s *state) improve(U, C, G blas64.General, p Penalty, dual *mat.Dense, inner int, order []int) {
	switch s.o.Method {
	case CoordinateDescent:
		G, C = p.penalizedSystem(G, C)
		p.clear(U, G)
	case Multiplicative:
		leeSeung(s.a.end(), U, C, G, p, inner)
		return
	}
	const block = 256 // number of rows that nnls processes together
	k := U.Cols
	some := block * max(1, int(5e8/(float64(k)*float64(k)*float64(inner)*block)), k/block)
	for from := 0; from < U.Rows && !s.isOver(); from += some {
		to := min(U.Rows, from+some)
		rows := nnls.Rows{G: view(G), C: view(rowsOf(C, from, to)), U: view(rowsOf(U, from, to)), Rho: s.o.Rho}
		if s.o.Method == CoordinateDescent {
			rows.CoordinateDescent(inner, order)
			continue
		}
		rows.Dual = dual.Slice(from, to, 0, k).(*mat.Dense)
		rep := rows.ADMM(inner, s.o.InnerTolerance)
		s.residuals.Primal = max(s.residuals.Primal, rep.Primal)
		s.residuals.Dual = max(s.residuals.Dual, rep.Dual)
	}
}

// evaluate computes the objective, and those products with the current W that the next step needs: G for the Frobenius
// loss, C for the other losses. The objective is
//
//	½‖A − UW'‖² = ½‖A‖² − <A'U, W> + ½<U'U, W'W>
//	D(A‖UW') = Σ A log A − A − Σ A log UW' + (1'U)(W'1)
//
// plus the penalties.
func (s *state) evaluate() {
	s.evaluateLoss()
	s.objective = s.loss + s.o.PenaltyU.value(s.U) + s.o.PenaltyW.value(s.W)
}

func (s *state) evaluateLoss() {
	if s.beta != nil {
		s.loss = s.beta.products(s.U, s.W, s.CU, s.DU, true)
		return
	}
	if s.o.Loss == KL {
		logs := s.a.ratioTimes(s.U, s.W, s.CU, true)
		s.loss = max(0, s.entropy-logs+floats.Dot(columnSums(s.U), columnSums(s.W)))
		return
	}
	product.Gemm(s.a.end(), blas.Trans, blas.NoTrans, 1, s.W, s.W, 0, s.GW)
	var both float64 // <A'U, W> = <A W, U>
	if s.haveCW {
		both = frobenius(s.CW, s.W)
	} else { // at the start
		s.a.times(s.W, s.CU)
		s.haveCU = true
		product.Gemm(s.a.end(), blas.Trans, blas.NoTrans, 1, s.U, s.U, 0, s.GU)
		both = frobenius(s.CU, s.U)
	}
	s.loss = max(0, s.squares/2-both+frobenius(s.GU, s.GW)/2)
}

// scale returns ½‖A‖² or D_1 (see Step.Explained).
func (s *state) scale() float64 {
	if s.o.Loss == Frobenius {
		return s.squares / 2
	}
	return s.one
}

// step returns the Step of the current U and W.
func (s *state) step(t int, kkt bool) Step {
	st := Step{Iteration: t, Objective: s.objective, Primal: s.residuals.Primal, Dual: s.residuals.Dual}
	if s.o.Loss != Frobenius {
		st.Explained = 1
		if s.one > 0 {
			st.Explained = 1 - s.loss/s.one
		}
	} else {
		st.Explained = 1 - 2*s.loss/s.squares
	}
	st.SparsenessU, st.SparsenessW = hoyer(s.U), hoyer(s.W)
	if kkt {
		st.KKT = s.kkt()
	}
	return st
}

// kkt returns the residual (see Model.KKT) at the current U and W.
func (s *state) kkt() float64 {
	if s.beta != nil {
		s.beta.productsT(s.U, s.W, s.CW, s.DW)
		D := func(D blas64.General) func(i, t int) float64 {
			return func(i, t int) float64 { return D.Data[i*D.Stride+t] }
		}
		return max(residual(s.U, s.CU, D(s.DU), s.o.PenaltyU), residual(s.W, s.CW, D(s.DW), s.o.PenaltyW))
	}
	if s.o.Loss == KL {
		s.a.ratioTimesT(s.U, s.W, s.CW)
		sums := func(M blas64.General) func(i, t int) float64 {
			w := columnSums(M)
			return func(_, t int) float64 { return w[t] }
		}
		return max(residual(s.U, s.CU, sums(s.W), s.o.PenaltyU), residual(s.W, s.CW, sums(s.U), s.o.PenaltyW))
	}
	if s.batches != nil { // the batches' sums have accumulated rounding errors
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, s.U, s.U, 0, s.GU)
		s.haveCU, s.haveCW = false, false
	}
	if !s.haveCU {
		s.a.times(s.W, s.CU)
	}
	if !s.haveCW {
		s.a.timesT(s.U, s.CW)
	}
	s.haveCU, s.haveCW = true, true
	GU, CU := s.o.PenaltyU.penalizedSystem(s.GW, s.CU)
	GW, CW := s.o.PenaltyW.penalizedSystem(s.GU, s.CW)
	u := nnls.Rows{G: view(GU), C: view(CU), U: view(s.U), Data: view(s.CU)}
	w := nnls.Rows{G: view(GW), C: view(CW), U: view(s.W), Data: view(s.CW)}
	return max(u.KKT(), w.KKT())
}

// residual returns max |min(U_it/‖U_:t‖_∞, 1 − C_it/D_it)|, where D − C is the gradient. For KL, D_it = Σ_j W_jt,
// where W is the other factor. A penalty adds L1 + L2 U_it to D_it.
func residual(U, C blas64.General, D func(i, t int) float64, p Penalty) float64 {
	k := U.Cols
	most := make([]float64, k)
	for i := range U.Rows {
		for t, u := range U.Data[i*U.Stride:][:k] {
			most[t] = max(most[t], u)
		}
	}
	worst := 0.0
	for i := range U.Rows {
		u, c := U.Data[i*U.Stride:][:k], C.Data[i*C.Stride:][:k]
		for t, m := range most {
			if g := D(i, t) + p.slope(u[t]); m > 0 && g > 0 {
				worst = max(worst, math.Abs(min(u[t]/m, 1-c[t]/g)))
			}
		}
	}
	return worst
}

// view returns M as a *mat.Dense that shares its memory.
func view(M blas64.General) *mat.Dense {
	var D mat.Dense
	D.SetRawMatrix(M)
	return &D
}

// compact returns a copy of M without padding.
func compact(M blas64.General) *mat.Dense { return mat.DenseCopyOf(view(M)) }

// frobenius returns Σ X∘Y, the inner product of matrices.
func frobenius(X, Y blas64.General) (v float64) {
	for i := range X.Rows {
		v += floats.Dot(X.Data[i*X.Stride:][:X.Cols], Y.Data[i*Y.Stride:][:X.Cols])
	}
	return v
}

func columnSums(M blas64.General) []float64 {
	v := make([]float64, M.Cols)
	for i := range M.Rows {
		floats.Add(v, M.Data[i*M.Stride:][:M.Cols])
	}
	return v
}

// hoyer returns the mean of (√r − ‖u‖₁/‖u‖₂)/(√r − 1) over the columns u of U (r×k): P. Hoyer, Non-negative
// matrix factorization with sparseness constraints, JMLR 5 (2004). A column of zeros counts as 1.
func hoyer(U blas64.General) float64 {
	if U.Rows == 1 {
		return 0
	}
	l1, l2 := make([]float64, U.Cols), make([]float64, U.Cols)
	for i := range U.Rows {
		for t, u := range U.Data[i*U.Stride:][:U.Cols] {
			l1[t] += u
			l2[t] += u * u
		}
	}
	root := math.Sqrt(float64(U.Rows))
	mean := 0.0
	for t, a := range l1 {
		h := 1.0
		if l2[t] > 0 {
			h = (root - a/math.Sqrt(l2[t])) / (root - 1)
		}
		mean += h / float64(U.Cols)
	}
	return mean
}

// rowBlocks divides the rows 0 to n−1 into blocks [from, to), and calls f for them in parallel.
func rowBlocks(n int, f func(from, to int)) {
	const block = 256
	parallel.Do((n+block-1)/block, 0, func(b int) { f(b*block, min(n, (b+1)*block)) })
}
