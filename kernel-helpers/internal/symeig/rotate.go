package symeig

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"overcomplete/kernel-helpers/internal/secular"
)

// rotate returns the eigenvectors of diag(T1, T2) + ρ v vᵀ (see merge) for the roots with the given indices, as rows
// of n1+n2 numbers. They are the eigenvectors of D + ρ z zᵀ multiplied by the eigenvectors of T1 and T2. A pole's
// eigenvector has an upper part (n1 numbers), a lower part (n2 numbers), or both. rotate orders the poles so that
// those with an upper part are contiguous, and so are those with a lower part. It then computes the upper and the
// lower parts of the result with one matrix product each, which leaves out the parts that are zero.
func (u *update) rotate(wanted []int, n1, n2 int, sc *scratch) blas64.General {
	place := make([]int, len(u.poles)) // position of each pole
	at := 0
	put := func(is func(p *pole) bool) (end int) {
		for j := range u.poles {
			if is(&u.poles[j]) {
				place[j] = at
				at++
			}
		}
		return at
	}
	ups := put(func(p *pole) bool { return p.down == nil })
	mixed := put(func(p *pole) bool { return p.up != nil && p.down != nil })
	put(func(p *pole) bool { return p.up == nil })

	up, down := sc.up.general(mixed, n1), sc.down.general(len(u.poles)-ups, n2)
	for j, p := range u.poles {
		if p.up != nil {
			copy(row(up, place[j]), p.up)
		}
		if p.down != nil {
			copy(row(down, place[j]-ups), p.down)
		}
	}
	U, out := sc.rotation.general(len(wanted), len(u.poles)), general(len(wanted), n1+n2)
	if len(wanted) == 0 {
		return out
	}
	u.vectors(wanted, place, U)
	part := func(from, cols int, P blas64.General, col int) {
		if P.Rows > 0 {
			L, to := corner(U, 0, U.Rows, from), corner(out, 0, out.Rows, col)
			L.Cols, to.Cols = P.Rows, cols
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, L, P, 0, to)
		}
	}
	part(0, n1, up, 0)
	part(ups, n2, down, n1)
	return out
}

// vectors stores, in the rows of U, the eigenvectors of D + ρ z zᵀ for the roots whose indices are in the first
// argument. The component for pole j is in column place[j].
func (u *update) vectors(wanted, place []int, U blas64.General) {
	z := u.Exact()
	secular.InChunks(len(wanted), func(from, to int) {
		for i := from; i < to; i++ {
			r, sum := row(U, i), 0.0
			for j, x := range z {
				v := x / u.Distance(j, wanted[i])
				r[place[j]] = v
				sum += v * v
			}
			scale(1/math.Sqrt(sum), r)
		}
	})
}
