package s3c

import (
	"math"
	"unsafe"
)

//go:generate go run ./gen -isa avx512 -out avx512_amd64.s -stubs avx512_amd64.go -pkg s3c
//go:generate go run ./gen -isa avx2 -out avx2_amd64.s -stubs avx2_amd64.go -pkg s3c
//go:generate go run ./gen -isa neon -out neon_arm64.s -stubs neon_arm64.go -pkg s3c

// The indices of a unit's parameters for the updates. gen defines the same order.
const (
	pAlphaMu  = iota // αμ
	pWide            // w = W'βW
	pInverse         // 1/γ, γ = α + w
	pHalf            // γ/2
	pConstant        // b − αμ²/2 − log(γ/α)/2
	inRow     = 8    // numbers per unit
)

// A sweep holds the arguments of one elementwise update of ŝ or ĥ. p points to W'β times the residual; h, s and m
// point to ĥ, ŝ and ĥ∘ŝ. eta is η, keep is 1−η and rho is ρ.
//
// There are two layouts. In the rows layout, each unit has one set of parameters, and a row whose length in bytes is
// width. In the list layout, there is a single row with one number for each unit; the parameters are arrays, and the
// distance between them in bytes is stride. width is a multiple of 64. The assembly depends on the order of the fields.
type sweep struct {
	p, h, s, m     *float32
	param          *float32
	stride         int
	units, width   int
	eta, keep, rho float32
	most           float32 // upper bound of ĥ, for spikeStoreRows
	// Only screenRows uses bits. For screenRows, eta is the threshold, and param points to three rows of sums.
	bits *byte
}

// These are Go versions of the assembly (see gen). They are used on processors without assembly, and in tests of the
// assembly.

// eachRow calls f for each row, with that row of p, h, s and m, and with a function (param) that returns parameter k of
// element i. If rows is true, the layout is the rows layout, otherwise the list layout.
func (c *sweep) eachRow(rows bool, f func(p, h, s, m []float32, param func(k, i int) float32)) {
	n := c.width / 4
	units := c.units
	if !rows {
		units = 1
	}
	slice := func(x *float32) []float32 { return unsafe.Slice(x, units*n) }
	p, h, s, m := slice(c.p), slice(c.h), slice(c.s), slice(c.m)
	if !rows {
		par := unsafe.Slice(c.param, pConstant*c.stride/4+n)
		f(p, h, s, m, func(k, i int) float32 { return par[k*c.stride/4+i] })
		return
	}
	par := unsafe.Slice(c.param, units*inRow)
	for u := range units {
		a, b := u*n, (u+1)*n
		f(p[a:b], h[a:b], s[a:b], m[a:b], func(k, _ int) float32 { return par[u*inRow+k] })
	}
}

// slabPortable updates ŝ. For each element it computes s* = (αμ + p + w m)/γ, where p is W_i'β times the residual and
// w = W_i'βW_i. If s* and s have opposite signs and |s*| > ρ|s|, it replaces s* by −ρs. Then s <- η s* + (1−η) s and m
// <- h s.
func (c *sweep) slabPortable(rows bool) {
	c.eachRow(rows, func(p, h, s, m []float32, param func(k, i int) float32) {
		for i, old := range s {
			t := (param(pAlphaMu, i) + (p[i] + param(pWide, i)*(h[i]*old))) * param(pInverse, i)
			switch limit := -c.rho * old; {
			case old > 0 && t < limit, old < 0 && t > limit:
				t = limit
			}
			s[i] = c.eta*t + c.keep*old
			m[i] = h[i] * s[i]
		}
	})
}

// spikePortable updates ĥ. For each element it computes h* = σ(s (p + αμ + w m − ½γ s) + b − ½αμ² − ½ log(γ/α)), with
// p and w as in slabPortable. Then h <- η h* + (1−η) h and m <- h s. If store is true, it also sets p to h*, and
// limits h to at most c.most.
func (c *sweep) spikePortable(rows, store bool) {
	c.eachRow(rows, func(p, h, s, m []float32, param func(k, i int) float32) {
		for i, v := range s {
			q := p[i] + param(pAlphaMu, i) + param(pWide, i)*(h[i]*v) - param(pHalf, i)*v
			best := sigmoid32(q*v + param(pConstant, i))
			if store {
				p[i] = best
			}
			h[i] = c.eta*best + c.keep*h[i]
			if store {
				h[i] = min(h[i], c.most)
			}
			m[i] = h[i] * v
		}
	})
}

// screenPortable decides, for each unit and patch, whether the unit is active, that is, whether its h or its h* (stored
// in p) is above the threshold eta. It sets bits: in a unit's row, bit j%8 of byte j/8 is 1 if the unit is active for
// patch j. It sets m to 0 where the unit is active, and to h s where it is passive. For each patch, it adds the sums of
// s², h s² and h* s² over the passive units to the three rows of param.
func (c *sweep) screenPortable() {
	n := c.width / 4
	sums := unsafe.Slice(c.param, 3*n)
	bits := unsafe.Slice(c.bits, c.units*n/8)
	clear(bits)
	all := func(x *float32) []float32 { return unsafe.Slice(x, c.units*n) }
	p, h, s, m := all(c.p), all(c.h), all(c.s), all(c.m)
	for at, best := range p {
		if best > c.eta || h[at] > c.eta {
			bits[at/8] |= 1 << (at % 8)
			m[at] = 0
			continue
		}
		m[at] = h[at] * s[at]
		square, j := s[at]*s[at], at%n
		sums[j] += square
		sums[n+j] += h[at] * square
		sums[2*n+j] += best * square
	}
}

// sigmoid32 returns 1/(1+e^−x), but at least e^−87.
func sigmoid32(x float32) float32 {
	e := math.Exp(max(-87, -math.Abs(float64(x))))
	if x < 0 {
		return float32(e / (1 + e))
	}
	return float32(1 / (1 + e))
}

func respondPortable(keep, step float32, g, c, r, u []float32) {
	for i, v := range u {
		u[i] = keep*v + step*(g[i]+c[i]*r[i])
	}
}

func columnPortable(dst, src []float32, stride int) {
	for i := range dst {
		dst[i] = src[i*stride]
	}
}

func dotsPortable(units int, w, r, out []float32) {
	d := len(r)
	for u := range units {
		var sum float32
		for i, v := range w[u*d : (u+1)*d] {
			sum += v * r[i]
		}
		out[u] = sum
	}
}

func sumsPortable(w, m, r []float32) {
	d := len(r)
	for u, f := range m {
		for i, v := range w[u*d : (u+1)*d] {
			r[i] -= f * v
		}
	}
}
