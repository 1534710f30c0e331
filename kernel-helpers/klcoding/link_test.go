package klcoding

import (
	"math"
	"testing"
)

func TestLink(t *testing.T) {
	v := []float64{-300, -5, -0.3, -0.2999, -1e-3, -1e-12, 0, 1e-300, 1e-5, 0.1, 0.25, 0.2999, 0.3, 0.3001, 1, 20, 650}
	n := len(v)
	p := make([]float64, n)
	for j := range p {
		p[j] = 0.3 + float64(j)
	}
	w, c, back, again := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for _, doubled := range []bool{false, true} {
		l := newLink(p, doubled)
		l.evaluate(w, c, v)
		l.gradient(back, again, w)
		for j, u := range v {
			ww, cc := p[j]*math.Exp(u), p[j]*math.Exp(u)
			if doubled {
				ww, cc = 2*p[j]*math.Sinh(u), 2*p[j]*math.Cosh(u)
			}
			if math.Abs(w[j]-ww) > 2e-15*math.Abs(ww) || math.Abs(c[j]-cc) > 2e-15*cc {
				t.Errorf("doubled %v, v %v: w %v, c %v, want %v, %v", doubled, u, w[j], c[j], ww, cc)
			}
			if math.Abs(back[j]-u) > 1e-15*(1+math.Abs(u)) || math.Abs(again[j]-cc) > 2e-15*cc {
				t.Errorf("doubled %v: v %v comes back as %v, c %v as %v", doubled, u, back[j], cc, again[j])
			}
		}
	}
}

// At the step that room returns, w is finite; slightly beyond that step, w overflows.
func TestRoom(t *testing.T) {
	w, c := make([]float64, 2), make([]float64, 2)
	for _, doubled := range []bool{false, true} {
		l := newLink([]float64{3e4, 1}, doubled)
		for _, d := range [][]float64{{1e5, 0}, {0, 7}, {-1e5, 1e3}} {
			v := []float64{2, -3}
			r := l.room(v, d, math.Inf(1))
			for _, more := range []float64{1, 1.03} {
				l.evaluate(w, c, []float64{v[0] + more*r*d[0], v[1] + more*r*d[1]})
				if finite := !math.IsInf(largest(c), 1); finite != (more == 1) {
					t.Errorf("doubled %v, direction %v: c = %v at %v of the room", doubled, d, c, more)
				}
			}
		}
		if r := l.room([]float64{0, 0}, []float64{1, -1}, 5); r != 5 {
			t.Errorf("room %v, want the limit", r)
		}
	}
	if r := newLink([]float64{1, 1}, false).room([]float64{0, 0}, []float64{-1e9, 0}, 9); r != 9 {
		t.Errorf("w may fall without limit, room %v", r)
	}
}
