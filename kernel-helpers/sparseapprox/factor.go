package sparseapprox

import "math"

// dependent is the squared sine of the angle between an atom and the span of
// others under which it counts as lying in the span.
const dependent = 1e-11

// A factor is the Cholesky factor L of the Gram matrix of some atoms, G_PP = LLᵀ
// (k×k), that grows and shrinks by one atom. Row i of L begins at l[i*stride].
type factor struct {
	k, stride int
	l         []float64
	// The last refused atom is Σ_i null[i] times the atoms in the factor.
	null []float64
}

func (f *factor) reset() { f.k = 0 }

func (f *factor) row(i int) []float64 { return f.l[i*f.stride : i*f.stride+i+1] }

// grow makes room for one more row.
func (f *factor) grow() {
	if f.k < f.stride {
		return
	}
	stride := max(32, 2*f.stride)
	l := make([]float64, stride*stride)
	for i := range f.k {
		copy(l[i*stride:], f.row(i))
	}
	f.l, f.stride = l, stride
}

// add appends an atom with products g (k) with the atoms in the factor and
// diag with itself. It refuses one in their span, and then sets null.
func (f *factor) add(g []float64, diag float64) bool {
	f.grow()
	k := f.k
	z := f.l[k*f.stride : k*f.stride+k+1] // solves L z = g
	rest := diag
	for i := range k {
		r := f.row(i)
		z[i] = (g[i] - dot(r[:i], z[:i])) / r[i]
		rest -= z[i] * z[i]
	}
	if rest <= dependent*diag {
		f.null = append(f.null[:0], z[:k]...)
		f.back(f.null)
		return false
	}
	z[k] = math.Sqrt(rest)
	f.k++
	return true
}

// solve replaces b (k) by G_PP⁻¹ b.
func (f *factor) solve(b []float64) {
	for i := range f.k { // L z = b
		r := f.row(i)
		b[i] = (b[i] - dot(r[:i], b[:i])) / r[i]
	}
	f.back(b)
}

// back replaces z (k) by the solution of Lᵀ y = z.
func (f *factor) back(z []float64) {
	for i := f.k - 1; i >= 0; i-- {
		r := f.row(i)
		z[i] /= r[i]
		axpy(-z[i], r[:i], z[:i])
	}
}

// remove takes out atom i: its row goes, and rotations of pairs of columns make
// the rest triangular again.
func (f *factor) remove(i int) {
	for r := i + 1; r < f.k; r++ {
		copy(f.l[(r-1)*f.stride:(r-1)*f.stride+r+1], f.row(r))
	}
	f.k--
	for j := i; j < f.k; j++ {
		// Row j now has k = j+2 entries; columns j and j+1 are rotated.
		p := f.l[j*f.stride:]
		h := math.Hypot(p[j], p[j+1])
		c, s := p[j]/h, p[j+1]/h
		for r := j; r < f.k; r++ {
			a := f.l[r*f.stride+j : r*f.stride+j+2]
			a[0], a[1] = c*a[0]+s*a[1], c*a[1]-s*a[0]
		}
	}
}
