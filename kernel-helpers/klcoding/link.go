package klcoding

import (
	"math"

	"overcomplete/kernel-helpers/vmath"
)

// A link converts between the coefficients w and v = ∇D_P(w||p), the gradient of the prior:
//
//	plain     v = log(w/p)           w = p eᵛ         (4)
//	doubled   v = arcsinh(w/2p)      w = 2p sinh v    (15), (16)
//
// with c = dw/dv = 1/∇²D_P: w itself if plain, and 2p cosh v = w⁺ + w⁻ if doubled.
type link struct {
	p       []float64 // n
	doubled bool
	vmax    float64 // w and c do not overflow while v (doubled: |v|) is below this
}

func newLink(p []float64, doubled bool) link {
	top := 1.0
	for _, v := range p {
		top = max(top, v)
	}
	return link{p, doubled, 700 - math.Log(top)}
}

// evaluate computes w and c (n) from v (n). c must not share memory with w or v.
func (l link) evaluate(w, c, v []float64) {
	vmath.Exp(c, v)
	if !l.doubled {
		for j, e := range c {
			w[j] = l.p[j] * e
			c[j] = w[j]
		}
		return
	}
	// Near 0, e − 1/e would cancel; there the Taylor series up to v¹¹ is used, with a remainder below 1e-16.
	// A branch would be mispredicted, so both are computed and mask selects one.
	limit := int64(math.Float64bits(0.3))
	for j, e := range c {
		p, u := l.p[j], v[j]
		i := 1 / e
		c[j] = p * (e + i)
		s := u * u
		taylor := 2 * u * (1 + s*(1./6+s*(1./120+s*(1./5040+s*(1./362880+s*(1./39916800))))))
		mask := uint64((int64(math.Float64bits(math.Abs(u))) - limit) >> 63)
		w[j] = p * math.Float64frombits(math.Float64bits(taylor)&mask|math.Float64bits(e-i)&^mask)
	}
}

// gradient computes v and c (n) from w (n). It is the inverse of evaluate.
func (l link) gradient(v, c, w []float64) {
	for j, x := range w {
		p := l.p[j]
		if l.doubled {
			v[j] = math.Asinh(x / 2 / p)
			c[j] = math.Hypot(x, 2*p)
		} else {
			v[j] = math.Log(x / p)
			c[j] = x
		}
	}
}

// curvature computes c (length n) from w (length n) in the same way as gradient, but does not compute v.
func (l link) curvature(c, w []float64) {
	if !l.doubled {
		copy(c, w)
		return
	}
	for j, x := range w {
		// Above 1e154, where x² overflows, c is |w| to the last bit.
		if c[j] = math.Sqrt(x*x + 4*l.p[j]*l.p[j]); !(math.Abs(x) < 1e150 && c[j] > 1e-150) {
			c[j] = math.Hypot(x, 2*l.p[j])
		}
	}
}

// value returns the prior D_P = Σ w log(w/p) − w + p. For a doubled link, it is the sum over w⁺ and w⁻, which is
// Σ w v − c + 2p.
func (l link) value(w, c, v []float64) float64 {
	var t float64
	k := 1.0
	if l.doubled {
		k = 2
	}
	for j, x := range w {
		if x != 0 { // 0 log 0 = 0
			t += x * v[j]
		}
		t += k*l.p[j] - c[j]
	}
	return t
}

// room returns the largest t <= limit for which w does not overflow at v + td.
func (l link) room(v, d []float64, limit float64) float64 {
	t := limit
	for j, e := range d {
		u := v[j]
		if e < 0 && l.doubled {
			e, u = -e, -u
		}
		if e > 0 && u+t*e > l.vmax {
			t = max(0, (l.vmax-u)/e)
		}
	}
	return t
}
