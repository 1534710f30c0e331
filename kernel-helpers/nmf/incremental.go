package nmf

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"overcomplete/internal/ram"
)

// A ratioData holds rows of A, and computes the matrices N and D that a multiplicative update needs: products for U,
// and productsT for W. See the methods of betaData with these names.
type ratioData interface {
	products(U, W, N, D blas64.General, want bool) float64
	productsT(U, W, N, D blas64.General)
}

// klData is a ratioData for KL. For this loss, every row of D holds the column sums of the other factor, and zeros of
// A need no work.
type klData struct{ data }

// products computes N = (A/UW')W (n×k), and sets each row of D (n×k) to 1'W. If want is set, it also returns Σ A log
// UW'.
func (s klData) products(U, W, N, D blas64.General, want bool) float64 {
	spreadRows(D, columnSums(W))
	return s.ratioTimes(U, W, N, want)
}

// productsT computes N = (A/UW')'U (d×k), and sets each row of D (d×k) to 1'U.
func (s klData) productsT(U, W, N, D blas64.General) {
	spreadRows(D, columnSums(U))
	s.ratioTimesT(U, W, N)
}

// spreadRows sets each row of D to v.
func spreadRows(D blas64.General, v []float64) {
	for i := range D.Rows {
		copy(D.Data[i*D.Stride:][:D.Cols], v)
	}
}

// incremental holds the rows of A in groups, for Options.Batch with a loss other than Frobenius. Let U_b be the rows
// of U that belong to group b, and let W̃ be the current W. From U_b and W̃, productsT computes N_b and D_b (d×k).
// They give a majorizer of the divergence of group b as a function of W. The slope of this majorizer with respect to
// an element w of W is (see gamma for p, q and γ)
//
//	X_b w^p − Y_b w^−q      X_b = D_b W̃^−p,  Y_b = N_b W̃^q
//
// with the elements of X_b and Y_b at the same position as w. X and Y are the sums of all X_b and Y_b. For each b, an
// iteration computes
//
//	U_b ← multiplicative updates of U_b, given W
//	X   ← X + X_b − old X_b,   Y ← Y + Y_b − old Y_b
//	W   ← (Y/X)^γ
//
// Without a penalty on W, the last line minimizes the sum of all majorizers. Each majorizer is from the last time that
// its group was processed. For β = 1, this is the incremental EM of R. Neal and G. Hinton (1998). In general, it is
// the method of J. Mairal, Incremental majorization-minimization optimization, SIAM Journal on Optimization 25 (2015).
// Once the sum includes all groups, it never rises. The objective is then at most the sum, but the objective itself
// may rise. At a point where the sum no longer falls, the objective is stationary.
type incremental struct {
	group  []ratioData
	from   []int // the first row of each group, and n
	had    []bool
	rows   int // number of rows in the groups processed so far
	order  *rand.Rand
	begun  bool
	inner  int     // updates of U_b
	p, q   float64 // for W
	gammaU float64

	X, Y   blas64.General   // d×k, sums over the groups
	ofX    []blas64.General // d×k each
	ofY    []blas64.General
	NU, DU blas64.General // with room for the largest group
}

func newIncremental(a data, beta float64, o *Options) (*incremental, error) {
	n, d := a.dims()
	k := o.Components
	b := &incremental{order: rand.New(rand.NewPCG(o.Seed, 0xba7c)), inner: o.Inner, gammaU: gamma(beta, o.PenaltyU)}
	if b.inner == 0 {
		b.inner = 3
	}
	b.p, b.q = exponents(beta, o.PenaltyW)
	size := min(n, o.Batch)
	groups := (n + size - 1) / size
	if err := ram.Check(fmt.Sprintf("the majorizers of %d batches", groups), 16*float64(groups)*float64(d)*float64(k)); err != nil {
		return nil, fmt.Errorf("nmf: Fit: %w: take larger batches", err)
	}
	for from := 0; from < n; from += size {
		to := min(n, from+size)
		b.from = append(b.from, from)
		switch a := a.(type) {
		case *betaData:
			b.group = append(b.group, &betaData{&denseData{limit: a.limit, a: rowsOf(a.a, from, to)}, a.beta, a.floor})
		default:
			b.group = append(b.group, klData{rowsOfData(a, from, to)})
		}
		b.ofX, b.ofY = append(b.ofX, factor(d, k)), append(b.ofY, factor(d, k))
	}
	b.from = append(b.from, n)
	b.had = make([]bool, groups)
	b.X, b.Y, b.NU, b.DU = factor(d, k), factor(d, k), factor(size, k), factor(size, k)
	return b, nil
}

// iterateIncremental processes each group once, in random order, and computes the objective.
func (s *state) iterateIncremental() {
	b := s.incremental
	if !b.begun {
		b.begun = true
		least := b.least(s.W)
		for i, w := range s.W.Data {
			if w < least {
				s.W.Data[i] = 0
			}
		}
		if s.o.Init != Random { // U already depends on A, so all groups count as processed
			for g := range b.group {
				s.majorize(g)
			}
		}
	}
	s.sumMajorizers()
	for _, g := range b.order.Perm(len(b.group)) {
		from, to := b.from[g], b.from[g+1]
		U, N, D := rowsOf(s.U, from, to), rowsOf(b.NU, 0, to-from), rowsOf(b.DU, 0, to-from)
		for range b.inner {
			b.group[g].products(U, s.W, N, D, false)
			multiplyPower(U, N, D, s.o.PenaltyU, b.gammaU)
		}
		// Replace the group's old majorizer in the sums by its new majorizer.
		subtract(b.X, b.ofX[g])
		subtract(b.Y, b.ofY[g])
		s.majorize(g)
		s.minimize(g)
	}
	s.evaluate()
}

// sumMajorizers recomputes X and Y as sums over the groups. It removes the rounding errors that accumulate during an
// iteration, when X and Y are updated by subtraction and addition.
func (s *state) sumMajorizers() {
	b := s.incremental
	clear(b.X.Data)
	clear(b.Y.Data)
	for g := range b.group {
		floats.Add(b.X.Data, b.ofX[g].Data)
		floats.Add(b.Y.Data, b.ofY[g].Data)
	}
}

// majorize computes X_b and Y_b for group b = g, at the current U and W.
func (s *state) majorize(g int) {
	b := s.incremental
	if !b.had[g] {
		b.had[g] = true
		b.rows += b.from[g+1] - b.from[g]
	}
	X, Y := b.ofX[g], b.ofY[g]
	b.group[g].productsT(rowsOf(s.U, b.from[g], b.from[g+1]), s.W, Y, X)
	k := s.W.Cols
	rowBlocks(s.d, func(from, to int) {
		for j := from; j < to; j++ {
			x, y := X.Data[j*X.Stride:][:k], Y.Data[j*Y.Stride:][:k]
			for t, w := range s.W.Data[j*s.W.Stride:][:k] {
				if w == 0 { // it stays 0
					x[t], y[t] = 0, 0
					continue
				}
				x[t] *= power(w, -b.p)
				y[t] *= power(w, b.q)
			}
		}
	})
}

// minimize adds the majorizer of group g, computed by majorize, to the sums X and Y. It then sets W to the minimizer
// of the sum of all majorizers and the penalty.
func (s *state) minimize(g int) {
	b := s.incremental
	k := s.W.Cols
	share := float64(b.rows) / float64(s.n) // 1 after the first iteration
	p := Penalty{L1: share * s.o.PenaltyW.L1, L2: share * s.o.PenaltyW.L2}
	least := b.least(s.W)
	rowBlocks(s.d, func(from, to int) {
		for j := from; j < to; j++ {
			x, y := b.X.Data[j*b.X.Stride:][:k], b.Y.Data[j*b.Y.Stride:][:k]
			w := s.W.Data[j*s.W.Stride:][:k]
			for t, v := range w {
				b.add(x, b.ofX, g, j, t)
				b.add(y, b.ofY, g, j, t)
				if v == 0 {
					continue
				}
				X := x[t]
				if slope := p.slope(v); slope > 0 {
					X += slope * power(v, -b.p)
				}
				if X == 0 { // column t of U is 0
					continue
				}
				if v = power(y[t]/X, 1/(b.p+b.q)); v < least {
					v = 0
				}
				w[t] = v
			}
		}
	})
}

// least returns the number below which an element of W counts as 0. This number is far below the largest element, but
// large enough that the powers of elements in X_b and Y_b do not overflow.
func (b *incremental) least(W blas64.General) float64 {
	return math.Pow(10, -200/(1+b.p+b.q)) * largestOf(W)
}

// add adds element (j, t) of group g's matrix (of[g]) to sum[t]. The slice called sum is row j of the sum over all
// groups. The caller has already removed the group's old matrix by a call to subtract. If subtract has set sum[t] to
// −1, because the difference was mostly rounding error, add computes the sum over all groups anew.
func (b *incremental) add(sum []float64, of []blas64.General, g, j, t int) {
	if own := of[g].Data[j*of[g].Stride+t]; sum[t] >= 0 {
		sum[t] += own
		return
	}
	sum[t] = 0
	for _, m := range of {
		sum[t] += m.Data[j*m.Stride+t]
	}
}

// subtract subtracts B from A. Where the difference is so small that it is mostly rounding error, subtract sets the
// element of A to −1.
func subtract(A, B blas64.General) {
	rowBlocks(A.Rows, func(from, to int) {
		for i := from * A.Stride; i < to*A.Stride; i++ {
			if was := A.Data[i]; was != 0 {
				if A.Data[i] -= B.Data[i]; !(A.Data[i] >= 1e-6*was) {
					A.Data[i] = -1
				}
			}
		}
	})
}

// power returns x^e for x >= 0. It is fast for common exponents.
func power(x, e float64) float64 {
	switch e {
	case 0:
		return 1
	case 1:
		return x
	case -1:
		return 1 / x
	case 0.5:
		return math.Sqrt(x)
	case 2:
		return x * x
	}
	return math.Pow(x, e)
}

// largestOf returns the largest element of M, which must not have negative elements.
func largestOf(M blas64.General) float64 {
	most := 0.0
	for i := range M.Rows {
		most = max(most, floats.Max(M.Data[i*M.Stride:][:M.Cols]))
	}
	return most
}
