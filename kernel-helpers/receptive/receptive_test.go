package receptive

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/internal/trial"
)

const side = 12

// patch samples f at the pixels, with y and x measured from the middle.
func patch(f func(y, x float64) float64) *mat.VecDense {
	v := mat.NewVecDense(side*side, nil)
	for i := range side * side {
		v.SetVec(i, f(float64(i/side)-(side-1)/2.0, float64(i%side)-(side-1)/2.0))
	}
	return v
}

// gabor returns a grating along an angle, with f cycles per pixel, in an envelope of standard deviation sd.
func gabor(angle, f, sd float64) *mat.VecDense {
	sin, cos := math.Sincos(angle)
	return patch(func(y, x float64) float64 {
		return math.Exp(-(y*y+x*x)/(2*sd*sd)) * math.Sin(2*math.Pi*f*(x*cos+y*sin))
	})
}

func TestShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		atom                          *mat.VecDense
		localized, oriented, bandpass bool
	}{
		"Gabor":   {gabor(0.6, 0.2, 2), true, true, true},
		"grating": {patch(func(y, x float64) float64 { return math.Sin(2 * math.Pi * 0.2 * x) }), false, true, true},
		"spot":    {patch(func(y, x float64) float64 { return math.Exp(-(y*y + x*x) / 4) }), true, false, false},
		"ring": {patch(func(y, x float64) float64 { // a difference of Gaussians, as in the retina
			r := y*y + x*x
			return math.Exp(-r/2) - math.Exp(-r/8)/4
		}), true, false, true},
		"pixel": {patch(func(y, x float64) float64 {
			if y == 0.5 && x == 0.5 {
				return 1
			}
			return 0
		}), true, false, false},
		"ramp":  {patch(func(y, x float64) float64 { return x + 10 }), false, false, false},
		"noise": {patch(func(y, x float64) float64 { return rng.NormFloat64() }), false, false, true},
	} {
		s := Measure(c.atom, side, side)
		if s.Localized() != c.localized || s.Oriented() != c.oriented {
			t.Errorf("%s: %+v", name, s)
		}
		if name != "noise" && s.Bandpass() != c.bandpass { // whether a line of noise has flanks is chance
			t.Errorf("%s: bandwidth %v", name, s.Bandwidth)
		}
		if s.Gabor() != (name == "Gabor") {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// The angle, the frequency and the bandwidth are those of the formula.
func TestGabor(t *testing.T) {
	for _, c := range []struct{ angle, f, sd float64 }{{0, 0.25, 2}, {0.6, 0.2, 2}, {math.Pi / 2, 0.25, 1.8}, {2.5, 0.3, 2}} {
		s := Measure(gabor(c.angle, c.f, c.sd), side, side)
		apart := math.Abs(math.Remainder(s.Angle-c.angle, math.Pi))
		if apart > 0.03 || math.Abs(s.Frequency-c.f) > 0.03 {
			t.Errorf("angle %v and frequency %v: measured %v and %v", c.angle, c.f, s.Angle, s.Frequency)
		}
		// A Gaussian of standard deviation sd has half of its amplitude where 2π²sd²(f−f₀)² = log 2.
		d := math.Sqrt(math.Ln2/2) / (math.Pi * c.sd)
		if want := math.Log2((c.f + d) / (c.f - d)); math.Abs(s.Bandwidth-want) > 0.25 {
			t.Errorf("frequency %v: %v octaves, want %v", c.f, s.Bandwidth, want)
		}
	}
}

// The power of a spectrum equals that of the patch (Parseval).
func TestParseval(t *testing.T) {
	g := gabor(1, 0.2, 2)
	p := newSpectrum(g, side, side)
	sum := 0.0
	for _, a := range p.a {
		sum += a * a
	}
	if want := mat.Dot(g, g); math.Abs(sum/float64(len(p.a))-want) > 1e-12*want {
		t.Errorf("power %v, want %v", sum/float64(len(p.a)), want)
	}
}

// The scale and the sign of an atom do not matter.
func TestScale(t *testing.T) {
	g := gabor(1, 0.2, 2)
	a := Measure(g, side, side)
	g.ScaleVec(-8, g)
	if b := Measure(g, side, side); math.Abs(a.Spread-b.Spread)+math.Abs(a.Orientation-b.Orientation)+math.Abs(a.Bandwidth-b.Bandwidth) > 1e-12 {
		t.Errorf("%+v and %+v", a, b)
	}
}

func TestRefuses(t *testing.T) {
	for name, v := range map[string]*mat.VecDense{
		"all 0":      mat.NewVecDense(side*side, nil),
		"NaN":        patch(func(_, _ float64) float64 { return math.NaN() }),
		"other size": mat.NewVecDense(side, nil),
	} {
		if panics.Value(func() { Measure(v, side, side) }) == nil {
			t.Errorf("%s: no panic", name)
		}
	}
}

// TestLaws: scaling an atom by a number, however large or small, does not change its measures.
func TestLaws(t *testing.T) {
	for seed := range uint64(trial.Count(300, 5000)) {
		rng := rand.New(rand.NewPCG(seed, 92))
		h, w := 2+rng.IntN(9), 2+rng.IntN(9)
		atom, other := mat.NewVecDense(h*w, nil), mat.NewVecDense(h*w, nil)
		s := math.Ldexp(1, rng.IntN(1800)-900)
		if rng.IntN(2) == 0 {
			s = -s
		}
		for i := range h * w {
			v := rng.NormFloat64()
			atom.SetVec(i, v)
			other.SetVec(i, s*v)
		}
		// The angle of vertical stripes is 0, not π.
		stripes := mat.NewVecDense(h*w, nil)
		for i := range h * w {
			stripes.SetVec(i, atom.AtVec(i%w))
		}
		if got := Measure(stripes, h, w); !(got.Angle >= 0 && got.Angle < math.Pi) {
			t.Errorf("seed %d, %d×%d: angle %v", seed, h, w, got.Angle)
		}
		want := Measure(atom, h, w)
		if got := Measure(other, h, w); got != want {
			t.Errorf("seed %d, %d×%d, times %g: %+v, want %+v", seed, h, w, s, got, want)
		}
	}
}
