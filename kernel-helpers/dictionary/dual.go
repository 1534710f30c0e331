package dictionary

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/internal/vector"
)

// dual finds the B that minimizes ½Σ‖x − Bw‖² with ‖B_j‖ <= 1 for all j (H. Lee, A.
// Battle, R. Raina and A. Y. Ng, Efficient sparse coding algorithms, NIPS 19,
// 2007, section 4). With multipliers λ_j >= 0, A = Σww' and C = Σxw',
//
//	B(λ) = C M⁻¹,  M = A + diag(λ)
//
// λ minimizes the convex function
//
//	φ(λ)   = ½ tr(C M⁻¹ C') + ½ Σλ_j
//	∂φ/∂λ_j    = ½(1 − ‖B_j‖²)
//	∂²φ/∂λ_i∂λ_j = B_i'B_j (M⁻¹)_ij
//
// subject to λ >= 0. dual uses a projected Newton method (D. Bertsekas, SIAM J. Control 20, 1982). dual takes
// C' (n×D) and an initial λ, and returns B' (n×D) and λ. All A_jj must be positive.
func dual(a, ct blas64.General, start []float64) (bt blas64.General, lambda []float64, err error) {
	n := a.Rows
	// If A is singular, M must still be nonsingular: low is a lower bound on λ that preserves half of the digits.
	low := 0.0
	if _, ok := factor(a, nil); !ok {
		low = 1e-8 * largestDiagonal(a)
	}
	lambda = make([]float64, n)
	for j := range lambda {
		if lambda[j] = start[j]; !(lambda[j] > 0) {
			// This would be the solution if A were diagonal.
			lambda[j] = norm(row(ct, j)) - a.Data[j*a.Stride+j]
		}
		lambda[j] = max(lambda[j], low)
	}
	p, ok := newPoint(a, ct, lambda)
	if !ok {
		// M was singular because some initial λ_j were zero.
		for j := range lambda {
			lambda[j] = max(lambda[j], norm(row(ct, j)))
		}
		if p, ok = newPoint(a, ct, lambda); !ok {
			return bt, nil, errors.New("the squares of the codes overflow: scale X")
		}
	}
	for range 200 {
		// λ_j is bound if it is at its minimum and a descent step would lower it further. All other λ_j are
		// free.
		var free []int
		worst := 0.0
		for j, g := range p.gradient {
			if g > 0 && lambda[j] <= low {
				continue
			}
			free = append(free, j)
			worst = max(worst, math.Abs(g))
		}
		if worst <= 1e-12 {
			break
		}
		d, ok := p.newton(free)
		if !ok {
			break // rounding error dominates
		}
		next := make([]float64, n)
		var q *point
		t, moved := 1.0, false
		for range 60 {
			var slope float64
			copy(next, lambda)
			for i, j := range free {
				next[j] = max(low, lambda[j]+t*d[i])
				slope += p.gradient[j] * (next[j] - lambda[j])
			}
			if q, ok = newPoint(a, ct, next); ok && (q.value <= p.value+1e-4*slope ||
				// Near the end, the value of φ no longer shows progress, but its gradient does.
				q.worst(next, low) < 0.5*worst && q.value <= p.value+1e-12*math.Abs(p.value)) {
				moved = true
				break
			}
			t /= 2
		}
		if !moved {
			break
		}
		p = q
		copy(lambda, next)
	}
	if w := p.worst(lambda, low); !(w < 1e-6) {
		return bt, nil, errors.New("the dual was not solved: the codes are too close to dependent")
	}
	return p.bt, lambda, nil
}

// A point holds φ, its gradient, B(λ) and the Cholesky factor of M at one λ; see dual.
type point struct {
	f        blas64.Triangular
	bt       blas64.General // B(λ)', n×D
	value    float64        // φ
	gradient []float64      // n
}

func newPoint(a, ct blas64.General, lambda []float64) (*point, bool) {
	f, ok := factor(a, lambda)
	if !ok {
		return nil, false
	}
	p := &point{f: f, bt: clone(ct), gradient: make([]float64, a.Rows)}
	lapack64.Potrs(f, p.bt) // M⁻¹C', n×D
	for j := range a.Rows {
		b := row(p.bt, j)
		p.value += 0.5 * (vector.Dot(b, row(ct, j)) + lambda[j])
		p.gradient[j] = 0.5 * (1 - vector.Dot(b, b))
	}
	return p, p.value-p.value == 0
}

// worst returns the largest absolute element of the gradient. It ignores an element j if λ_j is at its lower
// bound, low, and a descent step would lower λ_j further.
func (p *point) worst(lambda []float64, low float64) float64 {
	var w float64
	for j, g := range p.gradient {
		if !(g > 0 && lambda[j] <= low) {
			w = max(w, math.Abs(g))
		}
	}
	return w
}

// newton returns the Newton step d for the elements of λ whose indices are listed in free: the solution of H d = −∇φ,
// where H is the Hessian of φ in these elements. ok is false if there is no finite solution.
func (p *point) newton(free []int) (d []float64, ok bool) {
	n := p.bt.Rows
	inverse := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	for j := range n {
		inverse.Data[j*n+j] = 1
	}
	lapack64.Potrs(p.f, inverse)
	k := len(free)
	b := blas64.General{Rows: k, Cols: p.bt.Cols, Stride: p.bt.Cols, Data: make([]float64, k*p.bt.Cols)}
	for i, j := range free {
		copy(row(b, i), row(p.bt, j))
	}
	h := blas64.Symmetric{N: k, Stride: k, Uplo: blas.Upper, Data: make([]float64, k*k)}
	blas64.Syrk(blas.NoTrans, 1, b, 0, h) // B'B, (k×D)(D×k)
	d = make([]float64, k)
	for i, j := range free {
		d[i] = -p.gradient[j]
		for e := i; e < k; e++ {
			h.Data[i*k+e] *= inverse.Data[j*n+free[e]]
		}
		if !(h.Data[i*k+i] > 0) {
			h.Data[i*k+i] = 1 // the atom is 0 because its column of C is 0, so φ is linear in λ_j
		}
		h.Data[i*k+i] *= 1 + 1e-14
	}
	f, ok := lapack64.Potrf(h)
	if !ok {
		return nil, false
	}
	lapack64.Potrs(f, blas64.General{Rows: k, Cols: 1, Stride: 1, Data: d})
	return d, finite.Index(d) < 0
}
