package sparseapprox

import "math"

// dependent is a threshold: an atom counts as lying in a span if the squared sine of the angle between them is below
// dependent.
const dependent = 1e-11

// A factor is the Cholesky factor R (k×k), upper triangular, of the Gram matrix G_PP = RᵀR of some atoms P. A factor
// can be built for all atoms at once, and can grow or shrink by one atom. Row i of R begins at r[i*stride]; the part
// left of the diagonal is never read.
type factor struct {
	k, stride int
	r         []float64
	// The last atom that add refused is Σ_i null[i] times atom i of the factor.
	null []float64
}

func (f *factor) reset() { f.k = 0 }

// row returns row i of R from the diagonal on (k−i elements).
func (f *factor) row(i int) []float64 { return f.r[i*f.stride+i : i*f.stride+f.k] }

// grow makes room for k atoms and keeps the atoms that f has.
func (f *factor) grow(k int) {
	if k <= f.stride {
		return
	}
	stride := max(32, 2*f.stride, (k+7)&^7)
	r := make([]float64, stride*stride)
	for i := range f.k {
		copy(r[i*stride+i:], f.row(i))
	}
	f.r, f.stride = r, stride
}

// build computes, from G, the factor for those atoms of c whose indices are in p. If the atoms are dependent, or isOver
// returns true, build returns false and leaves the factor empty.
//
// build finishes four rows of R at a time, and then subtracts their multiples from all rows below in one pass. So each
// row is read and written once for every four rows above it.
func (f *factor) build(c *Coder, p []int, isOver func() bool) bool {
	k := len(p)
	f.reset()
	f.grow(k)
	f.k = k
	for i, j := range p {
		g, row := c.gram(j), f.row(i)
		for t, l := range p[i:] {
			row[t] = g[l]
		}
	}
	for first := 0; first < k; first += 4 {
		if isOver() {
			f.reset()
			return false
		}
		next := min(first+4, k)
		for i := first; i < next; i++ {
			row := f.row(i)
			diag := c.gram(p[i])[p[i]]
			for above := first; above < i; above++ {
				r := f.row(above)[i-above:]
				axpy(-r[0], r, row)
			}
			if !(row[0] > dependent*diag) {
				f.reset()
				return false
			}
			root := math.Sqrt(row[0])
			s := 1 / root
			for t := range row {
				row[t] *= s
			}
			row[0] = root
		}
		if next < first+4 {
			return true
		}
		r0, r1, r2, r3 := f.row(first), f.row(first+1), f.row(first+2), f.row(first+3)
		for i := next; i < k; i++ {
			a, b, c, d := r0[i-first:], r1[i-first-1:], r2[i-first-2:], r3[i-first-3:]
			axpy4(&[4]float64{-a[0], -b[0], -c[0], -d[0]}, a, b, c, d, f.row(i))
		}
	}
	return true
}

// add appends an atom. g (k) holds the products of the new atom with the atoms in the factor, and diag is its product
// with itself. If the atom is a linear combination of the atoms in the factor, add returns false and stores the
// coefficients of that combination in the field null. add overwrites g.
func (f *factor) add(g []float64, diag float64) bool {
	f.forward(g) // Rᵀ z = g: the new column of R
	rest := diag - dot(g, g)
	if rest <= dependent*diag {
		f.null = append(f.null[:0], g...)
		f.back(f.null)
		return false
	}
	k := f.k
	f.grow(k + 1)
	for i, v := range g {
		f.r[i*f.stride+k] = v
	}
	f.r[k*f.stride+k] = math.Sqrt(rest)
	f.k++
	return true
}

// solve replaces b (k) by G_PP⁻¹ b.
func (f *factor) solve(b []float64) {
	f.forward(b)
	f.back(b)
}

// forward replaces b (k) by the solution of Rᵀ z = b.
func (f *factor) forward(b []float64) {
	for i := range f.k {
		r := f.row(i)
		b[i] /= r[0]
		axpy(-b[i], r[1:], b[i+1:f.k])
	}
}

// back replaces z (k) by the solution of R y = z.
func (f *factor) back(z []float64) {
	for i := f.k - 1; i >= 0; i-- {
		r := f.row(i)
		z[i] = (z[i] - dot(r[1:], z[i+1:f.k])) / r[0]
	}
}

// remove removes atom i from the factor: it deletes column i of R, and makes R triangular again by rotating pairs of
// rows.
func (f *factor) remove(i int) {
	for r := range i {
		row := f.row(r)[i-r:]
		copy(row, row[1:])
	}
	k := f.k - 1
	for j := i; j < k; j++ {
		// Without column i, the first entries of row j and row j+1 are both in column j+1.
		p, q := f.r[j*f.stride+j+1:j*f.stride+k+1], f.r[(j+1)*f.stride+j+1:(j+1)*f.stride+k+1]
		h := math.Hypot(p[0], q[0])
		c, s := p[0]/h, q[0]/h
		out := f.r[j*f.stride+j : j*f.stride+k]
		for t, v := range p {
			out[t], q[t] = c*v+s*q[t], c*q[t]-s*v
		}
	}
	f.k = k
}
