package lapack

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"

	"overcomplete/kernel-helpers/internal/secular"
	"overcomplete/kernel-helpers/internal/vector"
)

// eps is half the distance from 1 to the next larger number.
const eps = 1.0 / (1 << 53)

// bidiagonalLeaf is the largest order of bidiagonal matrices that are left to QR iteration.
const bidiagonalLeaf = 25

// A triplet is a singular value s with its left singular vector u and its right singular vector v.
type triplet struct {
	s    float64
	u, v []float64
}

// A bidiagonal computes the singular value decomposition of an upper bidiagonal matrix by divide and conquer: M. Gu
// and S. C. Eisenstat, A divide-and-conquer algorithm for the bidiagonal SVD, SIAM J. Matrix Anal. Appl. 16 (1995),
// with the deflation of LAPACK's dlasd2. It holds the buffers that the merges share. All vectors are stored as rows,
// so that they are contiguous.
type bidiagonal struct{ leftUp, leftDown, rightUp, rightDown, left, right buffer }

// divide returns the singular triplets, in ascending order, of the upper bidiagonal matrix B with the diagonal d and
// the elements e above it. B is n×n, or n×(n+1) if e has n elements. In the second case divide also returns a null
// vector: a vector of norm 1 that B maps to 0. It overwrites d and e. It returns false if an iteration does not
// converge.
func (b *bidiagonal) divide(d, e []float64) (t []triplet, null []float64, ok bool) {
	n := len(d)
	if n <= bidiagonalLeaf {
		return qrIteration(d, e)
	}
	// B = | B1      |   B1 is k×(k+1). Row k has α = d_k, in the last column of B1, and β = e_k, in the first
	//     |   α β   |   column of B2.
	//     |      B2 |
	k := n / 2
	alpha, beta := d[k], e[k]
	t1, null1, ok1 := b.divide(d[:k], e[:k])
	t2, null2, ok2 := b.divide(d[k+1:], e[k+1:])
	if !ok1 || !ok2 {
		return nil, nil, false
	}
	return b.merge(t1, null1, alpha, beta, t2, null2, n+len(e)-(n-1))
}

// qrIteration does what divide does, for small matrices.
func qrIteration(d, e []float64) (t []triplet, null []float64, ok bool) {
	var impl gonum.Implementation
	n := len(d)
	columns, uplo := n, blas.Upper
	if n > 0 && len(e) == n {
		columns = n + 1
	}
	u, vt := zeros(n, n), zeros(columns, columns)
	unitRows(u, 0)
	unitRows(vt, 0)
	if columns > n {
		// Rotations of neighboring columns make B lower bidiagonal, with a last column of zeros.
		uplo = blas.Lower
		for i := range n {
			c, s, r := impl.Dlartg(d[i], e[i])
			d[i] = r
			if i+1 < n {
				e[i], d[i+1] = s*d[i+1], c*d[i+1]
			}
			blas64.Rot(vector.Of(row(vt, i)), vector.Of(row(vt, i+1)), c, s)
		}
		e = e[:n-1]
		null = row(vt, n)
	}
	if n == 0 {
		if columns == 1 {
			null = row(vt, 0)
		}
		return nil, null, true
	}
	if !impl.Dbdsqr(uplo, n, columns, n, 0, d, e, vt.Data, columns, u.Data, n, nil, 1, make([]float64, 4*n)) {
		return nil, nil, false
	}
	t = make([]triplet, n)
	for i := range n {
		j := n - 1 - i // in ascending order
		t[i] = triplet{d[j], make([]float64, n), row(vt, j)}
		for l := range n {
			t[i].u[l] = u.Data[l*n+j]
		}
	}
	return t, null, true
}

// A split is a vector in two parts, an upper and a lower one. A part that is nil stands for zeros.
type split struct{ up, down []float64 }

// A pole is one term of the secular equation that merge solves. In the bases of the singular vectors of B's two
// halves, B is diagonal except for the row between the halves, which becomes a full row. A pole describes one column
// of this matrix: d is the element on the diagonal, z is the element in the full row, and u and v are the left and the
// right basis vector. The pole that belongs to the full row itself has d = 0. A vector that comes from one half of B
// is zero in the other half.
type pole struct {
	d, z float64
	u, v split
}

// merge returns the singular triplets of B (n×m) in ascending order, and its null vector if m > n. B consists of two
// halves, B1 and B2, and of a row between them, which holds only α and β; the comment in divide shows it. t1 and null1
// are the triplets and the null vector of B1, and t2 and null2 are those of B2. merge returns false if the secular
// equation cannot be solved.
func (b *bidiagonal) merge(t1 []triplet, null1 []float64, alpha, beta float64, t2 []triplet, null2 []float64, m int) (t []triplet, null []float64, ok bool) {
	n1, n2 := len(t1), len(t2)
	n, m1 := n1+1+n2, n1+1
	m2 := m - m1

	// The scale, a power of two, keeps squares of the elements finite and normal.
	big := max(math.Abs(alpha), math.Abs(beta))
	if n1 > 0 {
		big = max(big, t1[n1-1].s)
	}
	if n2 > 0 {
		big = max(big, t2[n2-1].s)
	}
	big = max(big, 0x1p-1000)
	_, exponent := math.Frexp(big)
	scale := math.Ldexp(1, -min(1000, exponent))
	tol := 8 * eps * big * scale
	alpha, beta = alpha*scale, beta*scale

	// The first pole, with d = 0, belongs to the row of α and β. Its right vector is the direction of this row in
	// the plane of both null vectors.
	first := pole{z: alpha * null1[n1], v: split{up: null1}}
	if null2 != nil {
		c, s := 1.0, 0.0
		x, y := first.z, beta*null2[0]
		if r := math.Hypot(x, y); r > tol {
			c, s, first.z = x/r, y/r, r
		}
		first.v = split{scaled(c, null1), scaled(s, null2)}
		null = append(scaled(-s, null1), scaled(c, null2)...)
	}
	if math.Abs(first.z) <= tol {
		first.z = tol
	}
	poles := make([]pole, 0, n-1)
	for _, p := range t1 {
		poles = append(poles, pole{p.s * scale, alpha * p.v[n1], split{up: p.u}, split{up: p.v}})
	}
	for _, p := range t2 {
		poles = append(poles, pole{p.s * scale, beta * p.v[0], split{down: p.u}, split{down: p.v}})
	}
	slices.SortStableFunc(poles, func(p, q pole) int { return cmp.Compare(p.d, q.d) })
	live, done := deflate(first, poles, tol, [4]int{n1, n2, m1, m2})

	eq := secular.Equation{D: make([]float64, len(live)), Z: make([]float64, len(live)), Rho: 1, Squares: true}
	for i, p := range live {
		eq.D[i], eq.Z[i] = p.d, p.z
	}
	if eq.Solve() != nil {
		return nil, nil, false
	}
	U, V := b.vectors(&eq, live, n1, n2, m1, m2)
	t = make([]triplet, 0, n)
	for i := range live {
		t = append(t, triplet{eq.Root(i) / scale, row(U, i), row(V, i)})
	}
	for _, p := range done {
		q := triplet{p.d / scale, make([]float64, n), make([]float64, m)}
		copy(q.u, p.u.up)
		copy(q.u[n1+1:], p.u.down)
		copy(q.v, p.v.up)
		copy(q.v[m1:], p.v.down)
		t = append(t, q)
	}
	slices.SortStableFunc(t, func(p, q triplet) int { return cmp.Compare(p.s, q.s) })
	return t, null, true
}

// deflate returns in done the poles whose singular triplets are already final, and in live the rest. The z of a final
// pole is so small that the full row (see pole) does not change its triplet. If two poles are very close, deflate
// rotates the pair so that one of them has z = 0; the triplet of that one is then final as well. The pole first is
// always live. lengths holds the lengths of the upper and lower parts of u, followed by those of v.
func deflate(first pole, poles []pole, tol float64, lengths [4]int) (live, done []pole) {
	live = append(make([]pole, 0, len(poles)+1), first)
	for _, p := range poles {
		if math.Abs(p.z) <= tol {
			done = append(done, p)
			continue
		}
		if last := len(live) - 1; last > 0 && p.d-live[last].d <= tol {
			// Rotate in the plane of the two poles so that p gets all of z.
			q := live[last]
			r := math.Hypot(q.z, p.z)
			c, s := p.z/r, -q.z/r
			p.z = r
			q.u.up, p.u.up = rotate(q.u.up, p.u.up, c, s, lengths[0])
			q.u.down, p.u.down = rotate(q.u.down, p.u.down, c, s, lengths[1])
			q.v.up, p.v.up = rotate(q.v.up, p.v.up, c, s, lengths[2])
			q.v.down, p.v.down = rotate(q.v.down, p.v.down, c, s, lengths[3])
			done = append(done, q)
			live[last] = p
			continue
		}
		live = append(live, p)
	}
	if len(live) > 1 {
		live[1].d = max(live[1].d, tol/2) // the poles are distinct
	}
	return live, done
}

// rotate returns c q + s p and c p − s q, where nil stands for n zeros.
func rotate(q, p []float64, c, s float64, n int) (rq, rp []float64) {
	if q == nil && p == nil {
		return nil, nil
	}
	if q == nil {
		return scaled(s, p), scaled(c, p)
	}
	if p == nil {
		return scaled(c, q), scaled(-s, q)
	}
	rq, rp = slices.Clone(q), slices.Clone(p)
	blas64.Rot(vector.Of(rq), vector.Of(rp), c, s)
	return rq, rp
}

func scaled(a float64, x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = a * v
	}
	return y
}

// vectors returns, in the rows of U and V, the left and right singular vectors of B that belong to the roots σ of the
// secular equation. The halves of B are n1×m1 and n2×m2. In the basis of the live poles' vectors, the singular vectors
// have the elements
//
//	u_j ∝ d_j ẑ_j / (d_j² − σ²), but −1 for the first pole;    v_j ∝ ẑ_j / (d_j² − σ²).
//
// Here d_j is the d of live pole j, and ẑ is the vector of secular.Equation.Exact. For the change of basis, the poles
// are put in this order: first those with only an upper part, then those with both parts, then those with only a lower
// part. Two products of half the size are then enough.
func (b *bidiagonal) vectors(eq *secular.Equation, live []pole, n1, n2, m1, m2 int) (U, V blas64.General) {
	k := len(live)
	place, at := make([]int, k), 0
	put := func(up, down bool) (end int) {
		for j, p := range live {
			if (p.v.up != nil) == up && (p.v.down != nil) == down {
				place[j] = at
				at++
			}
		}
		return at
	}
	ups := put(true, false)
	mixed := put(true, true)
	put(false, true)

	L, R := b.left.matrix(k, k), b.right.matrix(k, k)
	z := eq.Exact()
	secular.InChunks(k, func(from, to int) {
		for i := from; i < to; i++ {
			l, r, ll, rr := row(L, i), row(R, i), 0.0, 0.0
			for j, x := range z {
				v := x / eq.Distance(j, i)
				u := eq.D[j] * v
				if j == 0 {
					u = -1
				}
				l[place[j]], r[place[j]] = u, v
				ll += u * u
				rr += v * v
			}
			blas64.Scal(1/math.Sqrt(ll), vector.Of(l))
			blas64.Scal(1/math.Sqrt(rr), vector.Of(r))
		}
	})

	U, V = zeros(k, n1+1+n2), zeros(k, m1+m2)
	for i := range k {
		U.Data[i*U.Stride+n1] = L.Data[i*k+place[0]] // the left vector of the first pole is a unit vector
	}
	part := func(space *buffer, X, to blas64.General, from, until, col, n int, of func(p pole) []float64) {
		if until <= from || n == 0 {
			return
		}
		P := space.matrix(until-from, n)
		for j, p := range live {
			if i := place[j] - from; i >= 0 && place[j] < until {
				if x := of(p); x != nil {
					copy(row(P, i), x)
				} else {
					clear(row(P, i))
				}
			}
		}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, block(X, 0, k, from, until), P, 0, block(to, 0, k, col, col+n))
	}
	part(&b.leftUp, L, U, 0, mixed, 0, n1, func(p pole) []float64 { return p.u.up })
	part(&b.leftDown, L, U, ups, k, n1+1, n2, func(p pole) []float64 { return p.u.down })
	part(&b.rightUp, R, V, 0, mixed, 0, m1, func(p pole) []float64 { return p.v.up })
	part(&b.rightDown, R, V, ups, k, m1, m2, func(p pole) []float64 { return p.v.down })
	return U, V
}
