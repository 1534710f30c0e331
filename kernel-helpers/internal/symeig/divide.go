package symeig

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	lapackgo "gonum.org/v1/gonum/lapack/gonum"

	"overcomplete/kernel-helpers/internal/secular"
)

// eps is half the distance from 1 to the next larger number: the relative error of one rounding.
const eps = 1.0 / (1 << 53)

// leaf is the largest size of the problems that are solved by QL iteration.
const leaf = 32

// divide returns the eigenvalues w, in ascending order, of the symmetric tridiagonal matrix with diagonal d (n
// numbers) and off-diagonal e, and the eigenvectors of at least the k largest eigenvalues, in z[n−k:]. It cuts the
// matrix into two halves T1 and T2, solves these, and merges the results (Cuppen 1981, with the deflation of LAPACK's
// dlaed2). d and e are overwritten.
func divide(d, e []float64, k int, sc *scratch) (w []float64, z [][]float64, err error) {
	n := len(d)
	if n <= leaf {
		return leafVectors(d, e)
	}
	// T = diag(T1, T2) + ρ v vᵀ, where v = (0 .. 0, 1, sign(e), 0 .. 0), ρ = |e|, and e is the off-diagonal element
	// between the halves.
	m := n / 2
	cut := e[m-1]
	rho := math.Abs(cut)
	d[m-1] -= rho
	d[m] -= rho
	w1, z1, err := divide(d[:m], e[:m-1], m, sc)
	if err != nil {
		return nil, nil, err
	}
	w2, z2, err := divide(d[m:], e[m:], n-m, sc)
	if err != nil {
		return nil, nil, err
	}
	return merge(w1, z1, w2, z2, rho, math.Copysign(1, cut), k, sc)
}

// leafVectors is like divide, but for a small matrix and with QL iteration. It returns all eigenvectors.
func leafVectors(d, e []float64) (w []float64, z [][]float64, err error) {
	n := len(d)
	columns := general(n, n)
	ok := lapackgo.Implementation{}.Dsteqr(lapack.EVTridiag, n, d, e, columns.Data, columns.Stride, make([]float64, max(1, 2*n-2)))
	if !ok {
		return nil, nil, fmt.Errorf("symeig: QL iteration on a leaf of %d rows did not converge", n)
	}
	z = make([][]float64, n)
	for j := range z {
		z[j] = make([]float64, n)
		for i := range n {
			z[j][i] = columns.Data[i*columns.Stride+j]
		}
	}
	return d, z, nil
}

// A pole is one eigenpair of diag(T1, T2), where T1 and T2 are the halves of the matrix in divide. d is the eigenvalue.
// z is the inner product of the eigenvector with the vector v (see merge). The fields up and down are the eigenvector's
// parts in T1 and T2. A part that is nil is zero. At first, one part is nil; after a rotation by deflate, both may be
// nonzero.
type pole struct {
	d, z     float64
	up, down []float64
}

// An update is the secular equation for the eigenvalues of D + ρ z zᵀ, together with the poles that give D and z (see
// merge).
type update struct {
	secular.Equation
	poles []pole
}

func newUpdate(poles []pole, rho float64) *update {
	u := &update{secular.Equation{D: make([]float64, len(poles)), Z: make([]float64, len(poles)), Rho: rho}, poles}
	for i, p := range poles {
		u.D[i], u.Z[i] = p.d, p.z
	}
	return u
}

// merge returns the eigenvalues of diag(T1, T2) + ρ v vᵀ in ascending order, and the eigenvectors of the k largest (the
// others are nil). w1, z1 and w2, z2 are the eigenpairs of T1 and T2. The vector v has two nonzero elements: 1 in the
// last row of T1, and the given sign, which is 1 or −1, in the first row of T2. In the basis of the eigenvectors of T1
// and T2, the matrix is D + ρ z zᵀ with a diagonal D.
func merge(w1 []float64, z1 [][]float64, w2 []float64, z2 [][]float64, rho, sign float64, k int, sc *scratch) ([]float64, [][]float64, error) {
	n1, n2 := len(w1), len(w2)
	n := n1 + n2
	// In the basis of the eigenvectors: D + ρ z zᵀ.
	poles := make([]pole, 0, n)
	for i, w := range w1 {
		poles = append(poles, pole{d: w, z: z1[i][n1-1], up: z1[i]})
	}
	for i, w := range w2 {
		poles = append(poles, pole{d: w, z: sign * z2[i][0], down: z2[i]})
	}
	slices.SortStableFunc(poles, func(a, b pole) int { return cmp.Compare(a.d, b.d) })
	live, done := deflate(poles, rho, n1, n2)
	s := newUpdate(live, rho)
	if err := s.Solve(); err != nil {
		return nil, nil, fmt.Errorf("symeig: %w", err)
	}

	// List all eigenpairs in ascending order: the roots, and the poles that the update did not change.
	type pair struct {
		value float64
		root  int // or −1
		pole  *pole
	}
	pairs := make([]pair, 0, n)
	for i := range live {
		pairs = append(pairs, pair{s.Root(i), i, nil})
	}
	for i := range done {
		pairs = append(pairs, pair{done[i].d, -1, &done[i]})
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.value, b.value) })
	var wanted []int
	for _, p := range pairs[n-k:] {
		if p.root >= 0 {
			wanted = append(wanted, p.root)
		}
	}
	made := s.rotate(wanted, n1, n2, sc)
	values, vectors := make([]float64, n), make([][]float64, n)
	for i, p := range pairs {
		values[i] = p.value
		switch {
		case i < n-k:
		case p.root >= 0:
			vectors[i], made = row(made, 0), rows(made, 1, made.Rows)
		default:
			vectors[i] = make([]float64, n)
			copy(vectors[i], p.pole.up)
			copy(vectors[i][n1:], p.pole.down)
		}
	}
	return values, vectors, nil
}

// deflate returns in done the poles whose eigenpairs the update does not change, and in live the rest. Poles with a
// tiny z are done. If two poles are very close, deflate rotates them so that the z of one becomes 0; that pole is done,
// too. n1 and n2 are the sizes of T1 and T2.
func deflate(poles []pole, rho float64, n1, n2 int) (live, done []pole) {
	// big is the magnitude of the matrix. (LAPACK uses max |z| instead of ρ, because it first scales the matrix to 1.)
	big := rho
	for _, p := range poles {
		big = max(big, math.Abs(p.d))
	}
	tol := 8 * eps * big
	last := -1 // index in live of the previous pole
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
				// Rotate in the plane of both eigenvectors, so that p gets all of z and the z of q becomes 0.
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

// rotate returns c q + s p and c p − s q. A nil argument stands for n zeros.
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

func general(r, c int) blas64.General {
	return blas64.General{Rows: r, Cols: c, Stride: max(1, c), Data: make([]float64, r*c)}
}

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

// vectors stores, in the rows of U, the eigenvectors of D + ρ z zᵀ for the roots whose indices are in wanted. The
// component for pole j is in column place[j].
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

// A buffer is memory that several matrices use one after the other. It saves time because allocating a few megabytes
// costs as much as one or two passes over them.
type buffer []float64

// general returns an r×c matrix in the buffer. Its elements are not cleared. The next call to general reuses its
// memory.
func (b *buffer) general(r, c int) blas64.General {
	if len(*b) < r*c {
		*b = make([]float64, r*c)
	}
	return blas64.General{Rows: r, Cols: c, Stride: max(1, c), Data: (*b)[:r*c]}
}

// A scratch holds the buffers of merges and of applyReflectors.
type scratch struct{ up, down, rotation, y, ty, zy buffer }

// scratches keeps buffers from one decomposition to the next.
var scratches = sync.Pool{New: func() any { return new(scratch) }}
