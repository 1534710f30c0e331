package symeig

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	lapackgo "gonum.org/v1/gonum/lapack/gonum"
)

// eps is the distance from 1 to the next larger number, halved: the relative
// error of one rounding.
const eps = 1.0 / (1 << 53)

// leaf is the size of the problems that are solved by QL iteration.
const leaf = 32

// divide returns the eigenvalues of the symmetric tridiagonal matrix with
// diagonal d and off-diagonal e in ascending order, and its eigenvectors as the
// columns of z (Cuppen 1981, with the deflation of LAPACK's dlaed2). d and e are
// overwritten.
func divide(d, e []float64) (w []float64, z blas64.General, err error) {
	n := len(d)
	if n <= leaf {
		z = general(n, n)
		ok := lapackgo.Implementation{}.Dsteqr(lapack.EVTridiag, n, d, e, z.Data, n, make([]float64, max(1, 2*n-2)))
		if !ok {
			return nil, z, fmt.Errorf("symeig: QL iteration on a leaf of %d rows did not converge", n)
		}
		return d, z, nil
	}
	// T = diag(T1, T2) + ρ v vᵀ with v = (0 .. 0, 1, sign(e), 0 .. 0), ρ = |e|.
	m := n / 2
	cut := e[m-1]
	rho := math.Abs(cut)
	d[m-1] -= rho
	d[m] -= rho
	w1, z1, err := divide(d[:m], e[:m-1])
	if err != nil {
		return nil, z, err
	}
	w2, z2, err := divide(d[m:], e[m:])
	if err != nil {
		return nil, z, err
	}
	return merge(w1, z1, w2, z2, rho, math.Copysign(1, cut))
}

// A pole is one eigenpair of diag(T1, T2): its eigenvalue, its component of
// the update vector, and its eigenvector, of which only the upper part, only
// the lower part or, after a rotation, both are not zero.
type pole struct {
	d, z     float64
	up, down []float64
}

// merge solves diag(T1, T2) + ρ v vᵀ from the eigenpairs of T1 and T2.
func merge(w1 []float64, z1 blas64.General, w2 []float64, z2 blas64.General, rho, sign float64) ([]float64, blas64.General, error) {
	n1, n2 := len(w1), len(w2)
	n := n1 + n2
	// In the basis of the eigenvectors: D + ρ z zᵀ.
	poles := make([]pole, 0, n)
	t1, t2 := transpose(z1), transpose(z2)
	for i, w := range w1 {
		v := t1.Data[i*n1 : (i+1)*n1]
		poles = append(poles, pole{d: w, z: v[n1-1], up: v})
	}
	for i, w := range w2 {
		v := t2.Data[i*n2 : (i+1)*n2]
		poles = append(poles, pole{d: w, z: sign * v[0], down: v})
	}
	slices.SortStableFunc(poles, func(a, b pole) int {
		switch {
		case a.d < b.d:
			return -1
		case a.d > b.d:
			return 1
		}
		return 0
	})
	live, done := deflate(poles, rho, n1, n2)

	k := len(live)
	roots, err := secular(live, rho)
	if err != nil {
		return nil, blas64.General{}, err
	}
	U := updateVectors(live, roots, rho) // k×k, column i is the vector of root i
	z := general(n, n)
	values := make([]float64, k, n)
	for i, r := range roots {
		values[i] = live[r.origin].d + r.tau
	}
	multiply(z, 0, n1, live, U, func(p pole) []float64 { return p.up })
	multiply(z, n1, n2, live, U, func(p pole) []float64 { return p.down })
	for j, p := range done {
		values = append(values, p.d)
		for i, x := range p.up {
			z.Data[i*n+k+j] = x
		}
		for i, x := range p.down {
			z.Data[(n1+i)*n+k+j] = x
		}
	}
	return sorted(values, z)
}

// deflate removes the poles that the update does not change: poles with a
// tiny z, and one of any two poles so close that a rotation of the pair
// makes one z zero.
func deflate(poles []pole, rho float64, n1, n2 int) (live, done []pole) {
	// The size of the matrix. (LAPACK, which scales the matrix to 1 before, takes
	// max |z| in place of ρ.)
	big := rho
	for _, p := range poles {
		big = max(big, math.Abs(p.d))
	}
	tol := 8 * eps * big
	last := -1 // place in live of the pole before
	for _, p := range poles {
		if rho*math.Abs(p.z) <= tol {
			done = append(done, p)
			continue
		}
		if last >= 0 {
			q := &live[last]
			r := math.Hypot(q.z, p.z)
			c, s := p.z/r, -q.z/r
			if gap := p.d - q.d; math.Abs(gap*c*s) <= tol {
				// Rotate the plane of both: p keeps all of z, q none.
				p.z = r
				qd := q.d
				q.d = qd*c*c + p.d*s*s
				p.d = qd*s*s + p.d*c*c
				q.up, p.up = rotate(q.up, p.up, c, s, n1)
				q.down, p.down = rotate(q.down, p.down, c, s, n2)
				done = append(done, pole{d: q.d, up: q.up, down: q.down})
				live[last] = p
				continue
			}
		}
		live = append(live, p)
		last = len(live) - 1
	}
	return live, done
}

// rotate computes q ← c q + s p, p ← c p − s q, where nil stands for n zeros.
func rotate(q, p []float64, c, s float64, n int) (rq, rp []float64) {
	if q == nil && p == nil {
		return nil, nil
	}
	if q == nil {
		q = make([]float64, n)
	}
	if p == nil {
		p = make([]float64, n)
	}
	rq, rp = make([]float64, n), make([]float64, n)
	for i := range n {
		rq[i] = c*q[i] + s*p[i]
		rp[i] = c*p[i] - s*q[i]
	}
	return rq, rp
}

// multiply sets rows row..row+m of z, columns 0..k, to P U, where the columns
// of P are the parts of the poles' eigenvectors. Poles without such a part are
// left out of the product, which halves it.
func multiply(z blas64.General, row, m int, live []pole, U blas64.General, part func(pole) []float64) {
	k := len(live)
	var at []int
	for i, p := range live {
		if part(p) != nil {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return
	}
	P, V := general(len(at), m), general(len(at), k) // P transposed
	for r, i := range at {
		copy(P.Data[r*m:], part(live[i]))
		copy(V.Data[r*k:(r+1)*k], U.Data[i*k:(i+1)*k])
	}
	out := blas64.General{Rows: m, Cols: k, Stride: z.Stride, Data: z.Data[row*z.Stride:]}
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, P, V, 0, out)
}

// sorted puts eigenvalues and the columns of z in ascending order.
func sorted(values []float64, z blas64.General) ([]float64, blas64.General, error) {
	n := len(values)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
	w, row := make([]float64, n), make([]float64, n)
	for j, o := range order {
		w[j] = values[o]
	}
	for i := range z.Rows {
		r := z.Data[i*z.Stride : i*z.Stride+n]
		for j, o := range order {
			row[j] = r[o]
		}
		copy(r, row)
	}
	return w, z, nil
}

func general(r, c int) blas64.General {
	return blas64.General{Rows: r, Cols: c, Stride: max(1, c), Data: make([]float64, r*c)}
}

func transpose(g blas64.General) blas64.General {
	t := general(g.Cols, g.Rows)
	const tile = 32
	for i0 := 0; i0 < g.Rows; i0 += tile {
		for j0 := 0; j0 < g.Cols; j0 += tile {
			for i := i0; i < min(i0+tile, g.Rows); i++ {
				for j := j0; j < min(j0+tile, g.Cols); j++ {
					t.Data[j*t.Stride+i] = g.Data[i*g.Stride+j]
				}
			}
		}
	}
	return t
}
