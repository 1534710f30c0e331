package klcoding

import (
	"math"

	"overcomplete/kernel-helpers/vmath"
)

// A link ties the coefficients w to v = ∇D_P(w||p), the gradient of the prior:
//
//	plain     v = log(w/p)           w = p eᵛ         (4)
//	doubled   v = arcsinh(w/2p)      w = 2p sinh v    (15), (16)
//
// with c = dw/dv = 1/∇²D_P: w itself if plain, and 2p cosh v = w⁺ + w⁻ if doubled.
// All of the doubled basis is in here: no other file has [−B B].
type link struct {
	p       []float64 // n
	doubled bool
	vmax    float64 // no overflow of w and c as long as v (doubled: |v|) is below
}

func newLink(p []float64, doubled bool) link {
	top := 1.0
	for _, v := range p {
		top = max(top, v)
	}
	return link{p, doubled, 700 - math.Log(top)}
}

// at fills w and c (n) for v (n). c may not be w or v.
func (l link) at(w, c, v []float64) {
	vmath.Exp(c, v)
	if !l.doubled {
		for j, e := range c {
			w[j] = l.p[j] * e
			c[j] = w[j]
		}
		return
	}
	for j, e := range c {
		p, u := l.p[j], v[j]
		i := 1 / e
		c[j] = p * (e + i)
		if u > -0.3 && u < 0.3 {
			// e − 1/e would cancel. Taylor up to v¹¹, the remainder below 1e-16.
			s := u * u
			w[j] = 2 * p * u * (1 + s/6*(1+s/20*(1+s/42*(1+s/72*(1+s/110)))))
		} else {
			w[j] = p * (e - i)
		}
	}
}

// gradient fills v and c (n) for w (n), the inverse of at.
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

// value is D_P: Σ w log(w/p) − w + p, in the doubled case over w⁺ and w⁻, which
// is Σ w v − c + 2p.
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

// room is the largest t <= limit with v + t d inside the range without overflow.
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
