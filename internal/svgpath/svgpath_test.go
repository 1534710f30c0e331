package svgpath

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func at(x, y float64, op byte) Segment { return Segment{Op: op, To: Point{x, y}} }

func near(a, b Path, by float64) bool {
	return slices.EqualFunc(a, b, func(g, h Segment) bool {
		return g.Op == h.Op && g.Large == h.Large && g.Sweep == h.Sweep && math.Abs(g.Radius-h.Radius) <= by &&
			math.Abs(g.To.X-h.To.X) <= by && math.Abs(g.To.Y-h.To.Y) <= by
	})
}

// A path that was written is read back to within half a digit: rounding errors do not add up.
func TestWriteRead(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var p Path
		for i := range 60 {
			g := at(100*rng.NormFloat64(), math.Round(30*rng.NormFloat64())/10, "MLLLLAZ"[rng.IntN(7)])
			if i == 0 || p[i-1].Op == 'Z' {
				g.Op = 'M'
			}
			switch g.Op {
			case 'A':
				g.Radius, g.Large, g.Sweep = 7.25, rng.IntN(2) == 0, rng.IntN(2) == 0
			case 'Z':
				g.To = Point{}
			case 'L':
				if rng.IntN(3) == 0 {
					g.To.X = p[i-1].To.X
				}
			}
			p = append(p, g)
		}
		q, err := Parse(p.String())
		if err != nil || !near(p, q, .005+1e-9) {
			t.Fatalf("%v: %v from %s, not %v", err, q, p, p)
		}
	}
}

// All forms of a command give the same path.
func TestParse(t *testing.T) {
	want := Path{at(1.5, .5, 'M'), at(2, -1, 'L'), at(2, 4, 'L'), at(-3, 4, 'L'), {Op: 'A', To: Point{1, 1}, Radius: 2, Sweep: true}, {Op: 'Z'}, at(2.5, 1.5, 'M'), at(3, 3, 'L')}
	for _, s := range []string{
		"M1.5,.5L2,-1L2,4L-3,4A2,2 0 0 1 1,1ZM2.5,1.5L3,3",
		"M1.5.5 2-1V4H-3a2 2 0 0 1 4-3zm1 1l.5 1.5",
		" m 1.5 0.5 .5 -15e-1 v5h-5 A 2 2 0 0 1 1 1 z M2.5+1.5 3 3",
	} {
		if got, err := Parse(s); err != nil || !near(got, want, 1e-12) {
			t.Errorf("%s: %v %v", s, got, err)
		}
	}
	for _, s := range []string{"", "L1 1", "M1", "M1 1Q1 1 1 1", "M1 1z3", "M1 1L1e999 1", "M1 1LNaN 1", "M1 1A1 2 0 0 0 3 3", "M1 1 x", "M1 1A1 1 0 0"} {
		if p, err := Parse(s); err == nil {
			t.Errorf("%q: %v", s, p)
		}
	}
}

// Dots stay within half a digit of their places, and take few bytes.
func TestDots(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var centers []Point
	for range 5000 {
		centers = append(centers, Point{400 * rng.Float64(), 400 * rng.Float64()})
	}
	data := Dots(centers)
	p, err := Parse(data)
	if err != nil || len(data) > 12*len(centers) {
		t.Fatalf("%d bytes for %d dots, %v", len(data), len(centers), err)
	}
	got := p.Centers()
	order := func(a []Point) []Point {
		a = slices.Clone(a)
		for i := range a {
			a[i] = Point{math.Round(a[i].X*10) / 10, math.Round(a[i].Y*10) / 10}
		}
		slices.SortFunc(a, func(p, q Point) int { return slices.Compare([]float64{p.X, p.Y}, []float64{q.X, q.Y}) })
		return a
	}
	if !slices.Equal(order(got), order(centers)) {
		t.Error("the dots are elsewhere")
	}
	if q, err := Parse("M1 1h0m2 2h1"); err != nil || q.Centers() != nil {
		t.Error("a line is taken for dots")
	}
}

// A thinned line keeps its ends, and all its former points are close to it.
func TestThinned(t *testing.T) {
	flat := Path{at(0, 5, 'M')}
	for i := 1; i <= 500; i++ {
		flat = append(flat, at(float64(i)/5, 5, 'L'))
	}
	if got := flat.Thinned().String(); got != "M0 5h100" {
		t.Error(got)
	}
	wave := Path{at(0, 0, 'M')}
	for i := 1; i <= 2000; i++ {
		wave = append(wave, at(float64(i)/20, 10*math.Sin(float64(i)/90)+float64(i%2)/100, 'L'))
	}
	wave = append(wave, at(3, 3, 'M'), at(4, 4, 'L'), at(5, 3, 'L'), Segment{Op: 'Z'})
	thin := wave.Thinned()
	if len(thin) > 200 || !slices.Equal(thin[len(thin)-4:], wave[len(wave)-4:]) {
		t.Errorf("%d of %d points stay, and last %v", len(thin), len(wave), thin[len(thin)-4:])
	}
	for _, w := range wave[:2001] {
		least := math.Inf(1)
		for k := 1; k < len(thin)-4; k++ {
			least = math.Min(least, distance(w.To, thin[k-1].To, thin[k].To))
		}
		if least > unseen+1e-12 {
			t.Fatalf("%v is %.3f from the line", w.To, least)
		}
	}
	loop := Path{at(0, 0, 'M'), at(5, 0, 'L'), at(0, 0, 'L')} // goes to a point and back
	if got := loop.Thinned(); len(got) != 3 {
		t.Error(got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("M1.5.5 2-1V4H-3a2 2 0 0 1 4-3zm1 1l.5 1.5")
	f.Fuzz(func(t *testing.T, data string) {
		p, err := Parse(data)
		if err != nil {
			return
		}
		if _, err := Parse(p.String()); err != nil && !strings.Contains(data, "e") {
			t.Errorf("%q: %q: %v", data, p, err)
		}
	})
}
