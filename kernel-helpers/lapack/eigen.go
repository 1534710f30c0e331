package lapack

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
)

// smallEigen is the largest order of a matrix whose eigenvalues are left to gonum.
const smallEigen = 75

// Dgeev computes the eigenvalues of A, n×n, and the left and right eigenvectors that jobvl and jobvr ask for. For a
// pair of complex eigenvalues, two adjacent columns hold the real and the imaginary part of the eigenvector. Dgeev
// follows gonum's Dgeev, but uses multishiftQR for the QR iteration. If the iteration does not converge, Dgeev returns
// the positive result of multishiftQR, and computes no eigenvectors.
func (f implementation) Dgeev(jobvl lapack.LeftEVJob, jobvr lapack.RightEVJob, n int, a []float64, lda int, wr, wi, vl []float64, ldvl int, vr []float64, ldvr int, work []float64, lwork int) (first int) {
	left, right := jobvl == lapack.LeftEVCompute, jobvr == lapack.RightEVCompute
	A := matrix(n, n, a, lda)
	if n <= smallEigen || !left && jobvl != lapack.LeftEVNone || !right && jobvr != lapack.RightEVNone || ldvl < 1 || ldvr < 1 ||
		lwork < 4*n || len(work) < lwork || !holds(n, n, a, lda) || len(wr) != n || len(wi) != n ||
		left && !holds(n, n, vl, ldvl) || right && !holds(n, n, vr, ldvr) || !moderate(A) {
		return f.Implementation.Dgeev(jobvl, jobvr, n, a, lda, wr, wi, vl, ldvl, vr, ldvr, work, lwork)
	}
	work[0] = float64(4 * n)
	scale := make([]float64, n)
	ilo, ihi := f.Dgebal(lapack.PermuteScale, n, a, lda, scale)
	tau, space := make([]float64, n-1), make([]float64, 64*n+65*64)
	f.Dgehrd(n, ilo, ihi, a, lda, tau, space, len(space))

	var Q blas64.General
	switch {
	case right:
		Q = matrix(n, n, vr, ldvr)
	case left:
		Q = matrix(n, n, vl, ldvl)
	}
	if left || right { // the reflectors are below the subdiagonal
		unit(Q, 0)
		inner := block(Q, ilo+1, ihi+1, ilo+1, ihi+1)
		copyTo(inner, block(A, ilo+1, ihi+1, ilo, ihi))
		if inner.Rows > 0 {
			orthogonalColumns(inner, tau[ilo:ihi])
		}
	}
	for i := 2; i < n; i++ {
		clear(row(A, i)[:i-1])
	}
	for i := range n {
		if i < ilo || i > ihi {
			wr[i], wi[i] = a[i*lda+i], 0
		}
	}
	if ilo == ihi {
		wr[ilo], wi[ilo] = a[ilo*lda+ilo], 0
	} else if first = f.multishiftQR(A, ilo, ihi, wr, wi, Q); first > 0 {
		return first
	}
	if !left && !right {
		return 0
	}
	if left && right {
		copyTo(matrix(n, n, vl, ldvl), Q)
	}
	f.schurVectors(A, wr, wi, left, right, vl, ldvl, vr, ldvr)
	if left {
		f.Dgebak(lapack.PermuteScale, lapack.EVLeft, n, ilo, ihi, scale, n, vl, ldvl)
		normalize(matrix(n, n, vl, ldvl), wi)
	}
	if right {
		f.Dgebak(lapack.PermuteScale, lapack.EVRight, n, ilo, ihi, scale, n, vr, ldvr)
		normalize(matrix(n, n, vr, ldvr), wi)
	}
	return 0
}

// normalize scales each eigenvector to norm 1. A real eigenvector is a column of V; a complex one is a pair of
// columns, and its largest element becomes real.
func normalize(V blas64.General, wi []float64) {
	n := V.Rows
	type complexVector struct {
		size, c, s float64 // the largest element, squared, and its direction
		row        int
	}
	squares, turns := make([]float64, n), make([]complexVector, n)
	for i := range n {
		r := row(V, i)
		for j, x := range r {
			if wi[j] < 0 { // belongs to the column before
				squares[j-1] += x * x
				continue
			}
			squares[j] += x * x
			if wi[j] > 0 {
				if size := x*x + r[j+1]*r[j+1]; size > turns[j].size {
					turns[j] = complexVector{size, x / math.Sqrt(size), r[j+1] / math.Sqrt(size), i}
				}
			}
		}
	}
	for i := range n {
		r := row(V, i)
		for j := range r {
			switch {
			case wi[j] == 0:
				r[j] /= math.Sqrt(squares[j])
			case wi[j] > 0:
				t, d := turns[j], math.Sqrt(squares[j])
				r[j], r[j+1] = (t.c*r[j]+t.s*r[j+1])/d, (t.c*r[j+1]-t.s*r[j])/d
				if i == t.row {
					r[j+1] = 0
				}
			}
		}
	}
}

// schurVectors computes the eigenvectors of QTQᵀ, where T is quasi-triangular. If right is true, schurVectors replaces
// Q in vr by QX, where the columns of X are the right eigenvectors of T. If left is true, it does the same in vl with
// the left eigenvectors of T.
func (f implementation) schurVectors(T blas64.General, wr, wi []float64, left, right bool, vl []float64, ldvl int, vr []float64, ldvr int) {
	n := T.Rows
	var X, Y blas64.General // of the right and the left vectors
	ok := true
	if right {
		X, ok = f.rightVectors(T, wr, wi)
	}
	if left && ok {
		// The left vectors of T are the right vectors of Tᵀ. With rows and columns in reverse order, Tᵀ is
		// upper triangular.
		R, r, i := zeros(n, n), make([]float64, n), make([]float64, n)
		for j := range n {
			for k := range n {
				R.Data[j*n+k] = T.Data[(n-1-k)*T.Stride+n-1-j]
			}
			r[j], i[j] = wr[n-1-j], -wi[n-1-j]
		}
		var reversed blas64.General
		if reversed, ok = f.rightVectors(R, r, i); ok {
			Y = zeros(n, n)
			for j := range n {
				for k := range n {
					switch x := reversed.Data[(n-1-j)*n+n-1-k]; {
					case wi[k] == 0:
						Y.Data[j*n+k] = x
					case wi[k] > 0: // the imaginary part, of the conjugate
						Y.Data[j*n+k+1] = -x
					default:
						Y.Data[j*n+k-1] = x
					}
				}
			}
		}
	}
	if !ok { // very large vectors: gonum scales them
		side := lapack.EVBoth
		switch {
		case !left:
			side = lapack.EVRight
		case !right:
			side = lapack.EVLeft
		}
		space := make([]float64, n+2*n*64)
		f.Dtrevc3(side, lapack.EVAllMulQ, nil, n, T.Data, T.Stride, vl, ldvl, vr, ldvr, n, space, len(space))
		return
	}
	product := zeros(n, n)
	for _, s := range []struct {
		vectors bool
		X, Q    blas64.General
	}{{right, X, matrix(n, n, vr, ldvr)}, {left, Y, matrix(n, n, vl, ldvl)}} {
		if s.vectors {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, s.Q, s.X, 0, product)
			copyTo(s.Q, product)
		}
	}
}

// rightVectors returns the eigenvectors of the quasi-triangular matrix T, TX = XΛ, as the columns of X, which is upper
// triangular. It solves for all columns together, by back substitution in blocks of rows. It returns false if elements
// are very large.
func (f implementation) rightVectors(T blas64.General, wr, wi []float64) (X blas64.General, ok bool) {
	const rows, ulp, tiny = 24, 2 * eps, 1e-290
	n := T.Rows
	X = zeros(n, n)
	at := func(i, j int) float64 { return T.Data[i*T.Stride+j] }
	for end := n; end > 0; {
		begin := max(0, end-rows)
		if begin > 0 && wi[begin] < 0 { // keep pairs together
			begin--
		}
		if end < n {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, block(T, begin, end, end, n), block(X, end, n, end, n), 0, block(X, begin, end, end, n))
		}
		for k := begin; k < n; k++ { // the vector of λ_k, or of λ_k and λ_{k+1}
			if wi[k] < 0 {
				continue
			}
			nw, i := 1, k-1
			if wi[k] > 0 {
				nw = 2
			}
			if k < end {
				x := X.Data[k*n+k:]
				if nw == 1 {
					x[0] = 1
				} else if b, c := at(k, k+1), at(k+1, k); math.Abs(b) >= math.Abs(c) {
					x[0], x[n+1] = 1, wi[k]/b
				} else {
					x[0], x[n+1] = -wi[k]/c, 1
				}
			} else {
				i = end - 1
			}
			smallest := max(ulp*(math.Abs(wr[k])+math.Abs(wi[k])), tiny)
			for ; i >= begin; i-- {
				na := 1
				if wi[i] < 0 {
					na = 2
					i--
				}
				var b, x [4]float64
				last := min(end, k+nw)
				for r := range na {
					t := T.Data[(i+r)*T.Stride : (i+r)*T.Stride+n]
					for c := range nw {
						s := 0.0
						if k >= end {
							s = X.Data[(i+r)*n+k+c]
						}
						for l, at := i+na, (i+na)*n+k+c; l < last; l, at = l+1, at+n {
							s -= t[l] * X.Data[at]
						}
						b[2*r+c] = s
					}
				}
				scale, norm, _ := f.Dlaln2(false, na, nw, smallest, 1, T.Data[i*T.Stride+i:], T.Stride, 1, 1, b[:], 2, wr[k], wi[k], x[:], 2)
				if scale != 1 || !(norm < largest/1e100) {
					return X, false
				}
				for r := range na {
					copy(X.Data[(i+r)*n+k:(i+r)*n+k+nw], x[2*r:])
				}
			}
		}
		end = begin
	}
	return X, true
}

// multishiftQR computes the eigenvalues of the rows ilo to ihi of the Hessenberg matrix H, which is triangular outside
// these rows. If Q is not empty, multishiftQR also replaces H by its Schur form and updates Q, so that QHQᵀ stays the
// same. It returns 0 if it converges. Otherwise it returns a positive index: only the eigenvalues from this index on
// were found. The algorithm is that of K. Braman, R. Byers and R. Mathias, The multishift QR algorithm, SIAM J. Matrix
// Anal. Appl. 23 (2002), as in LAPACK's dlaqr0. Its parts are gonum's routines.
//
// Dlaqr04 of gonum 0.17 is not used here, because it never uses matrix products. It takes only four shifts for all
// sizes: the first case in gonum's Iparmq hides the cases for larger matrices.
func (f implementation) multishiftQR(H blas64.General, ilo, ihi int, wr, wi []float64, Q blas64.General) (first int) {
	const (
		nibble      = 14 // percent of a window whose deflation makes a sweep unnecessary
		exceptional = 6  // sweeps without deflation until other shifts are tried
		widen       = 5  // the same, until the window grows
	)
	n, h, ldh, z, ldz := H.Rows, H.Data, H.Stride, Q.Data, max(1, Q.Stride)
	vectors := Q.Rows > 0
	shifts, window := sweep(ihi - ilo + 1)
	most := max(shifts, (n-1)/3)
	var v, u, wide, high buffer
	work := make([]float64, 70*most)
	stuck, nw := 1, 0
	for kbot, it := ihi, 0; kbot >= ilo; it++ {
		if it == 30*max(10, ihi-ilo+1) {
			return kbot + 1
		}
		ktop := kbot
		for ktop > ilo && h[ktop*ldh+ktop-1] != 0 {
			ktop--
		}

		// Aggressive early deflation, in a window at the end of the active block
		nh := kbot - ktop + 1
		if stuck < widen {
			nw = min(nh, window)
		} else {
			nw = min(nh, most, 2*nw)
		}
		if nw >= nh-1 {
			nw = nh
		} else if k := kbot - nw + 1; math.Abs(h[k*ldh+k-1]) > math.Abs(h[(k-1)*ldh+k-2]) {
			nw++
		}
		V, T, W := v.matrix(nw, nw), wide.matrix(nw, n), high.matrix(n, nw)
		ns, deflated := f.Dlaqr23(vectors, vectors, n, ktop, kbot, nw, h, ldh, ilo, ihi, z, ldz, wr[:kbot+1], wi[:kbot+1],
			V.Data, nw, n, T.Data, n, n, W.Data, nw, work, len(work), 1)
		kbot -= deflated
		ks := kbot - ns + 1 // the first of the shifts that the window gives
		if deflated > 0 {
			stuck = 1
			if 100*deflated > nw*nibble || kbot-ktop+1 <= min(smallEigen, most) {
				continue
			}
		} else {
			stuck++
		}

		// A sweep with several shifts
		ns = min(shifts, max(2, kbot-ktop)) &^ 1
		switch {
		case stuck%exceptional == 0:
			ks = kbot - ns + 1
			for i := kbot; i > max(ks, ktop+1); i -= 2 {
				s := math.Abs(h[i*ldh+i-1]) + math.Abs(h[(i-1)*ldh+i-2])
				x := 0.75*s + h[i*ldh+i]
				_, _, _, _, wr[i-1], wi[i-1], wr[i], wi[i], _, _ = f.Dlanv2(x, s, -0.4375*s, x)
			}
			if ks == ktop {
				wr[ks+1], wi[ks+1] = h[(ks+1)*ldh+ks+1], 0
				wr[ks], wi[ks] = wr[ks+1], 0
			}
		case ns/2 >= kbot-ks+1: // too few shifts: take the eigenvalues of the last ns rows
			ks = kbot - ns + 1
			S := v.matrix(ns, ns)
			copyTo(S, block(H, ks, kbot+1, ks, kbot+1))
			ks += f.Dlahqr(false, false, ns, 0, ns-1, S.Data, ns, wr[ks:kbot+1], wi[ks:kbot+1], 0, 0, nil, 1)
			if ks >= kbot {
				a, b, c, d := h[(kbot-1)*ldh+kbot-1], h[(kbot-1)*ldh+kbot], h[kbot*ldh+kbot-1], h[kbot*ldh+kbot]
				_, _, _, _, wr[kbot-1], wi[kbot-1], wr[kbot], wi[kbot], _, _ = f.Dlanv2(a, b, c, d)
				ks = kbot - 1
			}
			fallthrough
		default:
			sortShifts(wr[ks:kbot+1], wi[ks:kbot+1])
		}
		if kbot-ks == 1 && wi[kbot] == 0 { // of two real shifts, use the better one twice
			if last := h[kbot*ldh+kbot]; math.Abs(wr[kbot]-last) < math.Abs(wr[kbot-1]-last) {
				wr[kbot-1] = wr[kbot]
			} else {
				wr[kbot] = wr[kbot-1]
			}
		}
		ns = min(ns, kbot-ks+1) &^ 1
		ks = kbot - ns + 1
		V, U, WH, WV := v.matrix(ns/2, 3), u.matrix(2*ns, 2*ns), wide.matrix(2*ns, n), high.matrix(n, 2*ns)
		f.Dlaqr5(vectors, vectors, 2, n, ktop, kbot, ns, wr[ks:ks+ns], wi[ks:ks+ns], h, ldh, ilo, ihi, z, ldz,
			V.Data, 3, U.Data, 2*ns, n, WV.Data, 2*ns, n, WH.Data, n)
	}
	return 0
}

// sweep returns the number of simultaneous shifts and the size of the deflation window, for an active block of nh rows
// (LAPACK's iparmq).
func sweep(nh int) (shifts, window int) {
	switch {
	case nh >= 3000:
		shifts = 128
	case nh >= 590:
		shifts = 64
	case nh >= 150:
		shifts = max(10, int(float64(nh)/math.Log2(float64(nh)))) &^ 1
	default:
		shifts = 10
	}
	if nh > 500 {
		return shifts, 3 * shifts / 2
	}
	return shifts, shifts
}

// sortShifts sorts the shifts by size, largest first, and then rearranges them so that, counted from the end, each
// pair consists of two real shifts or of two conjugate ones. Conjugate shifts must be adjacent, and they stay
// adjacent.
func sortShifts(wr, wi []float64) {
	size := func(i int) float64 { return math.Abs(wr[i]) + math.Abs(wi[i]) }
	for k := len(wr) - 1; k > 0; k-- {
		for i := range k {
			if size(i) < size(i+1) {
				wr[i], wr[i+1] = wr[i+1], wr[i]
				wi[i], wi[i+1] = wi[i+1], wi[i]
			}
		}
	}
	for i := len(wr) - 1; i > 1; i -= 2 {
		if wi[i] != -wi[i-1] {
			wr[i], wr[i-1], wr[i-2] = wr[i-1], wr[i-2], wr[i]
			wi[i], wi[i-1], wi[i-2] = wi[i-1], wi[i-2], wi[i]
		}
	}
}
