package nmf

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// batches holds the rows of A in groups, for Options.Batch with the Frobenius loss. The algorithm is the online
// algorithm of J. Mairal, F. Bach, J. Ponce and G. Sapiro, Online learning for matrix factorization and sparse coding,
// JMLR 11 (2010), in the form of their section 3.4 for data sets of fixed size. NMF is a special case. Let A_b be the
// rows of group b, and U_b the same rows of U. For each b, an iteration does the following, where "better" is the
// result of a half-step:
//
//	U_b ← better, given A_b W and W'W
//	C   ← C + A_b'(U_b − old U_b),   G ← G + U_b'U_b − (old U_b)'(old U_b)
//	W   ← better, given C and G
//
// (G is called A in the paper, C is called B, and W is the dictionary.) C = A'U and G = U'U are sums over the groups
// processed so far. If Init is Random, these sums include all groups only after the first iteration. For any other
// Init, they include all groups from the beginning. Once they include all groups, no half-step raises the objective. A
// point that no half-step changes is then stationary for all rows. Online learning sees each row only once, and must
// gradually forget old rows. Batches need not forget, because each iteration replaces the old U_b.
type batches struct {
	group  []data
	from   []int // the first row of each group, and n
	had    []bool
	rows   int // number of rows in the groups processed so far
	passes int
	order  *rand.Rand

	inner int            // Options.Inner
	CU, D blas64.General // A_b W and U_b − old U_b, with room for the largest group
	CW    blas64.General // A_b'(U_b − old U_b)
	peak  []float64      // for each t, the largest G_tt since C and G were last recomputed
}

// refresh is the number of iterations after which C and G are recomputed, because updates accumulate rounding errors.
const refresh = 10

func newBatches(a data, o *Options) *batches {
	n, d := a.dims()
	k := o.Components
	b := &batches{inner: o.Inner, order: rand.New(rand.NewPCG(o.Seed, 0xba7c)), CW: factor(d, k), peak: make([]float64, k)}
	size := min(n, o.Batch)
	b.CU, b.D = factor(size, k), factor(size, k)
	for from := 0; from < n; from += size {
		to := min(n, from+size)
		b.from = append(b.from, from)
		b.group = append(b.group, rowsOfData(a, from, to))
	}
	b.had, b.from = make([]bool, len(b.group)), append(b.from, n)
	if o.Init != Random { // U already depends on A, so all groups count as processed
		for g := range b.had {
			b.had[g] = true
		}
		b.rows = n
	}
	return b
}

// rowsOfData returns the rows [from, to) of the data a, which are dense or sparse.
func rowsOfData(a data, from, to int) data {
	if a, ok := a.(*sparseData); ok {
		idx := make([]int, to-from)
		for r := range idx {
			idx[r] = from + r
		}
		group := newSparseData(a.whole.Rows(idx))
		group.endWith(a.end())
		return group
	}
	dense := a.(*denseData)
	return &denseData{limit: dense.limit, a: rowsOf(dense.a, from, to)}
}

// iterateBatches processes each group once, in random order, and then computes the objective.
func (s *state) iterateBatches(order []int) {
	b := s.batches
	if b.passes%refresh == 0 {
		s.sumBatches()
	}
	b.passes++
	k := s.o.Components
	for _, g := range b.order.Perm(len(b.group)) {
		from, to := b.from[g], b.from[g+1]
		U, CU, D := rowsOf(s.U, from, to), rowsOf(b.CU, 0, to-from), rowsOf(b.D, 0, to-from)
		if s.isOver() {
			return
		}
		b.group[g].times(s.W, CU)
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, s.W, s.W, 0, s.GW)
		if b.had[g] {
			copyRows(D, U)
			blas64.Gemm(blas.Trans, blas.NoTrans, -1, U, U, 1, s.GU)
		} else {
			clear(b.D.Data)
			b.had[g] = true
			b.rows += to - from
		}
		if s.isOver() {
			return
		}
		s.improve(U, CU, s.GW, s.o.PenaltyU, nil, b.sweeps(g, to-from, k), order)
		for i := range U.Rows {
			for t, u := range U.Data[i*U.Stride:][:k] {
				D.Data[i*D.Stride+t] = u - D.Data[i*D.Stride+t]
			}
		}
		b.group[g].timesT(D, b.CW)
		if s.isOver() {
			return
		}
		blas64.Axpy(1, blas64.Vector{N: len(b.CW.Data), Inc: 1, Data: b.CW.Data}, blas64.Vector{N: len(s.CW.Data), Inc: 1, Data: s.CW.Data})
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, U, U, 1, s.GU)
		// If a component has nearly vanished, its accumulated differences are only rounding errors.
		for t := range k {
			v := s.GU.Data[t*s.GU.Stride+t]
			if v < 1e-8*b.peak[t] {
				s.sumBatches()
				break
			}
			b.peak[t] = max(b.peak[t], v)
		}
		share := float64(b.rows) / float64(s.n) // 1 after the first iteration
		p := Penalty{L1: share * s.o.PenaltyW.L1, L2: share * s.o.PenaltyW.L2}
		s.improve(s.W, s.CW, s.GU, p, nil, b.sweeps(g, s.d, k), order)
	}
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, s.W, s.W, 0, s.GW)
	s.loss = max(0, s.squares/2-frobenius(s.CW, s.W)+frobenius(s.GU, s.GW)/2)
	s.objective = s.loss + s.o.PenaltyU.value(s.U) + s.o.PenaltyW.value(s.W)
}

// sweeps returns how many sweeps a half-step makes over a factor with r rows and k columns. This is Options.Inner, if
// set. Otherwise the number is such that the sweeps cost about half as much as the product with group g that precedes
// them, but at least 1 and at most 10.
func (b *batches) sweeps(g, r, k int) int {
	if b.inner > 0 {
		return b.inner
	}
	return max(1, min(10, b.group[g].nonzeros()/(2*r*k)))
}

// sumBatches recomputes C = A'U and G = U'U over the groups processed so far.
func (s *state) sumBatches() {
	b := s.batches
	clear(s.CW.Data)
	clear(s.GU.Data)
	for g, had := range b.had {
		if !had {
			continue
		}
		U := rowsOf(s.U, b.from[g], b.from[g+1])
		b.group[g].timesT(U, b.CW)
		blas64.Axpy(1, blas64.Vector{N: len(b.CW.Data), Inc: 1, Data: b.CW.Data}, blas64.Vector{N: len(s.CW.Data), Inc: 1, Data: s.CW.Data})
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, U, U, 1, s.GU)
	}
	for t := range b.peak {
		b.peak[t] = s.GU.Data[t*s.GU.Stride+t]
	}
}

// copyRows copies M to D.
func copyRows(D, M blas64.General) {
	for i := range M.Rows {
		copy(D.Data[i*D.Stride:][:M.Cols], M.Data[i*M.Stride:][:M.Cols])
	}
}
