package symeig

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/vector"
)

// Tolerance is the residual ‖Cv − θv‖, relative to the largest eigenvalue, at which Top accepts an eigenpair.
const Tolerance = 1e-12

// Stats describes the work done by Top.
type Stats struct {
	Rounds   int     // rounds of filtering and Rayleigh-Ritz
	Products int     // products of C with a block of vectors
	Residual float64 // largest ‖Cv − θv‖ divided by the largest θ; if Full was used, only of 32 pairs
	Full     bool    // Full was used: the spectrum was too flat, or k too large
}

// Full is at least as fast as the filter for matrices of at most 96 rows (small). The same holds for larger matrices if
// more than 1 in 20 (few) of the eigenvectors are requested. With AVX2, on the tests' spectra, the break-even point was
// 1 in 7 eigenvectors for 128 rows, 1 in 13 for 512 rows, and 1 in 22 for 1024 rows.
const (
	small = 96
	few   = 20
)

// Top returns the k largest eigenvalues of a positive semidefinite C (d×d) in descending order, and their eigenvectors
// as rows (k×d). It uses Full where that is better (see the package comment), and otherwise subspace iteration, which
// starts from random vectors drawn with seed. If report is not nil, Top calls it after each round, with the number of
// rounds and the number of converged (locked) eigenvectors. If ctx is done, Top returns an error.
func Top(ctx context.Context, C mat.Symmetric, k int, seed uint64, report func(round, locked int)) ([]float64, *mat.Dense, Stats, error) {
	n := C.SymmetricDim()
	if k < 0 || k > n {
		panic(fmt.Sprintf("symeig: Top: %d eigenvectors of a %d×%d matrix", k, n, n))
	}
	if n > small && few*k <= n {
		g, back := scaleToUnit(C)
		values, vectors, st, err := subspaceIteration(ctx, g, k, seed, report)
		if err != nil {
			return nil, nil, st, err
		}
		if st.Residual <= Tolerance {
			return values, vectors, st, rescale(values, back)
		}
	}
	st := Stats{Full: true}
	if n == 0 {
		return nil, &mat.Dense{}, st, nil
	}
	g, back := scaleToUnit(C)
	var values []float64
	var vectors *mat.Dense
	var failure error
	var residual float64
	err := parallel.Await(ctx, float64(n)*float64(n)*float64(n), func() {
		diagonal := make([]float64, n)
		for i := range diagonal {
			diagonal[i] = g.Data[i*g.Stride+i]
		}
		values, vectors, failure = decomposeFull(ctx, g, k) // decomposeFull does not change the lower triangle
		if failure != nil {
			return
		}
		for i, x := range diagonal {
			g.Data[i*g.Stride+i] = x
		}
		residual = someResidual(g, values, vectors)
	})
	if err != nil {
		return nil, nil, st, fmt.Errorf("symeig: Top: %w", err)
	}
	if failure != nil {
		return nil, nil, st, failure
	}
	st.Residual = residual
	return values, vectors, st, rescale(values, back)
}

// checked is the maximum number of eigenpairs that someResidual checks.
const checked = 32

// someResidual returns the misfit of the eigenpairs, checking at most 32 of them, evenly spaced, because a check of
// all pairs would cost as much as the eigenvectors. It reads only the lower triangle of C.
func someResidual(C blas64.General, values []float64, vectors *mat.Dense) float64 {
	k := len(values)
	if k == 0 {
		return 0
	}
	n := min(k, checked)
	V, W, t := general(n, C.Rows), general(n, C.Rows), make([]float64, n)
	for i := range n {
		from := 0
		if n > 1 {
			from = i * (k - 1) / (n - 1)
		}
		t[i] = values[from]
		copy(row(V, i), vectors.RawRowView(from))
	}
	lower := blas64.Symmetric{Uplo: blas.Lower, N: C.Rows, Stride: C.Stride, Data: C.Data}
	blas64.Symm(blas.Right, 1, lower, V, 0, W)
	return misfit(t, V, W)
}

// misfit returns the largest ‖w − θv‖, divided by the largest |θ|. For each row v of V, w = Cv is the corresponding
// row of W, and θ is the eigenvalue with the same index. If all θ are 0, misfit does not divide. It overwrites W.
func misfit(values []float64, V, W blas64.General) float64 {
	worst, big := 0.0, 0.0
	for i, t := range values {
		vector.Axpy(-t, row(V, i), row(W, i))
		worst, big = max(worst, norm(row(W, i))), max(big, math.Abs(t))
	}
	if big == 0 {
		return worst
	}
	return worst / big
}

// maxRounds is the number of rounds after which Top uses Full instead.
const maxRounds = 40

// subspaceIteration runs subspace iteration with a Chebyshev filter. The block V (b×n) holds b > k orthonormal rows;
// locked is the number of those, at the beginning of V, that have converged. θ_1 >= ... >= θ_b are the estimates of the
// eigenvalues λ_1, ..., λ_b. A round is
//
//	Y = V p(C)     p of degree m: |p| <= 1 on [0, θ_b], steep above it
//	V = orth(Y)    against the locked rows and each other
//	V = S V        with V C Vᵀ = Sᵀ Θ S, Θ = diag(θ) (Rayleigh-Ritz)
//
// In each round, the part of row i outside the span of the first b eigenvectors shrinks by a factor of about exp(m
// arccosh(2λ_i/λ_b − 1)). After maxRounds rounds, subspaceIteration returns what it has; Stats.Residual tells whether
// that is accurate.
func subspaceIteration(ctx context.Context, C blas64.General, k int, seed uint64, report func(round, locked int)) ([]float64, *mat.Dense, Stats, error) {
	n := C.Rows
	b := min(n, k+max(8, k/4))
	rng := rand.New(rand.NewPCG(seed, 0x5eed))
	var st Stats
	V, W, X, spare := general(b, n), general(b, n), general(b, n), general(b, n)
	theta := make([]float64, b)
	res := make([]float64, b)
	products := 0
	times := func(Y, out blas64.General) { // out = Y C
		if ctx.Err() == nil {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, Y, C, 0, out)
		}
		products++
	}
	// await calls do, and returns early if ctx is done. V and the other blocks then belong to the unfinished call to
	// do.
	await := func(do func()) error {
		err := parallel.Await(ctx, float64(b)*float64(n)*float64(n), do)
		if err != nil {
			return fmt.Errorf("symeig: Top: %w after %d rounds", err, st.Rounds)
		}
		return nil
	}
	err := await(func() {
		fill(V, rng)
		Orthonormalise(V, rows(V, 0, 0), rng)
		times(V, W)
		Orthonormalise(W, rows(W, 0, 0), rng)
	})
	if err != nil {
		return nil, nil, st, err
	}
	V, W = W, V

	locked := 0
	for {
		// Apply Rayleigh-Ritz to the rows that are not locked. W = V C.
		var failure error
		err := await(func() {
			A, B := rows(V, locked, b), rows(W, locked, b)
			times(A, B)
			failure = ritz(A, B, rows(X, locked, b), rows(spare, locked, b), theta[locked:])
		})
		if err != nil {
			return nil, nil, st, err
		}
		if failure != nil {
			return nil, nil, st, failure
		}
		st.Rounds++
		V, X = swapRows(V, X, locked)
		W, spare = swapRows(W, spare, locked)
		top := theta[0]
		for i := locked; i < b; i++ {
			r := row(X, i) // used as scratch
			copy(r, row(W, i))
			vector.Axpy(-theta[i], row(V, i), r)
			res[i] = norm(r)
		}
		for locked < k && res[locked] <= Tolerance*top {
			locked++
		}
		if report != nil {
			report(st.Rounds, locked)
		}
		if locked >= k || st.Rounds >= maxRounds {
			break
		}
		cut := max(theta[b-1], 1e-14*top)
		m := degree(theta[locked], theta[k-1], cut)
		err = await(func() {
			filter(rows(V, locked, b), rows(W, locked, b), rows(X, locked, b), rows(V, 0, locked), theta[locked], cut, m, times)
			Orthonormalise(rows(V, locked, b), rows(V, 0, locked), rng)
		})
		if err != nil {
			return nil, nil, st, err
		}
	}
	st.Products, st.Residual = products, 0
	for _, r := range res[:k] {
		if theta[0] > 0 {
			st.Residual = max(st.Residual, r/theta[0])
		}
	}
	out := mat.NewDense(max(k, 1), n, nil)
	for i := range k {
		out.SetRow(i, row(V, i))
	}
	return append([]float64(nil), theta[:k]...), out, st, nil
}

// swapRows exchanges V and X, except for the locked rows: it copies these from V to X, and returns X and V. No other
// rows need to be copied.
func swapRows(V, X blas64.General, locked int) (blas64.General, blas64.General) {
	copy(X.Data[:locked*X.Stride], V.Data[:locked*V.Stride])
	return X, V
}

// degree returns the degree of the next filter. The arguments first and last are the eigenvalue estimates of the first
// row that has not converged and of the last wanted row. cut is the end of the interval in which the filter is small.
// Two things limit the degree. While the space is inaccurate, a high degree is wasted. And if the first row grew too
// much compared with the last row, only rounding errors would be left of the last row.
func degree(first, last, cut float64) int {
	const longest, growth = 14, 1e9
	x := func(t float64) float64 { return math.Acosh(max(1, 2*t/cut-1)) }
	m := longest
	if d := x(first) - x(last); d > 0 {
		m = min(m, int(math.Log(growth)/d))
	}
	return max(1, m)
}

// filter sets V to V p(C), by the recurrence of Zhou et al. Here p is the Chebyshev polynomial of degree m for the
// interval [0, cut], scaled so that p(first) = 1. W must be V C; W and X are overwritten. times(Y, out) stores Y C in
// out. The rows of locked are the converged eigenvectors. After each step, filter removes the projection of the rows
// onto these eigenvectors, because this part grows fastest.
func filter(V, W, X, locked blas64.General, first, cut float64, m int, times func(Y, out blas64.General)) {
	c := cut / 2 // center and half width of the interval
	sigma1 := c / (first - c)
	if first <= cut {
		sigma1 = 1
	}
	sigma := sigma1
	// Y_1 = (σ/e)(C − c) V
	combine(W, V, nil, sigma1/c, -sigma1, 0)
	Project(W, locked)
	prev, cur, next := V, W, X
	for i := 2; i <= m; i++ {
		s := 1 / (2/sigma1 - sigma)
		times(cur, next)
		// Y_{i+1} = 2(σ'/e)(C − c) Y_i − σσ' Y_{i−1}
		combine(next, cur, prev.Data, 2*s/c, -2*s, -sigma*s)
		Project(next, locked)
		prev, cur, next = cur, next, prev
		sigma = s
	}
	if &cur.Data[0] != &V.Data[0] {
		copy(V.Data, cur.Data)
	}
}

// combine computes P ← a P + b Q + c R. P, Q and R must have the same shape and no gaps between rows. A nil R stands
// for zeros.
func combine(P, Q blas64.General, R []float64, a, b, c float64) {
	p, q := P.Data, Q.Data[:len(P.Data)]
	if R == nil {
		for i := range p {
			p[i] = a*p[i] + b*q[i]
		}
		return
	}
	r := R[:len(p)]
	for i := range p {
		p[i] = a*p[i] + b*q[i] + c*r[i]
	}
}

// ritz turns the rows of A into Ritz vectors of a symmetric matrix C, of which only B = A C is given. With H = B Aᵀ =
// S Θ Sᵀ and Θ descending, it writes SᵀA to newA, SᵀB to newB, and Θ to theta.
func ritz(A, B, newA, newB blas64.General, theta []float64) error {
	b := A.Rows
	H := general(b, b)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, B, A, 0, H)
	sym := mat.NewSymDense(b, nil)
	for i := range b {
		for j := i; j < b; j++ {
			sym.SetSym(i, j, (H.Data[i*b+j]+H.Data[j*b+i])/2)
		}
	}
	values, S, err := Full(sym, b) // eigenvectors as rows
	if err != nil {
		return err
	}
	copy(theta, values)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, S.RawMatrix(), A, 0, newA)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, S.RawMatrix(), B, 0, newB)
	return nil
}
