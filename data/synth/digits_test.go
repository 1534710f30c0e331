package synth

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/patience"
)

// nearest returns the index of the row of Y that is nearest to x.
func nearest(x []float64, Y *mat.Dense) int {
	n, _ := Y.Dims()
	best, at := math.Inf(1), 0
	for i := range n {
		d := 0.0
		for k, v := range Y.RawRowView(i) {
			d += (v - x[k]) * (v - x[k])
		}
		if d < best {
			best, at = d, i
		}
	}
	return at
}

// linear returns the ridge regression of the class indicators on the images and a constant (785 × 10).
func linear(t *testing.T, s *DigitSet) *mat.Dense {
	t.Helper()
	n, d := s.Images.Dims()
	X := mat.NewDense(n, d+1, nil)
	X.Augment(s.Images, mat.NewDense(n, 1, slices.Repeat([]float64{1}, n)))
	Y := mat.NewDense(n, 10, nil)
	for i, c := range s.Labels {
		Y.Set(i, c, 1)
	}
	G := mat.NewSymDense(d+1, nil)
	G.SymOuterK(1, X.T())
	for i := range d + 1 {
		G.SetSym(i, i, G.At(i, i)+3)
	}
	var chol mat.Cholesky
	if !chol.Factorize(G) {
		t.Fatal("the regression is singular")
	}
	var XY, W mat.Dense
	XY.Mul(X.T(), Y)
	if err := chol.SolveTo(&W, &XY); err != nil {
		t.Fatal(err)
	}
	return &W
}

// The classes are about as hard as real digits. On MNIST the test error of a linear classifier is 12 % and
// that of nearest neighbors 5 % (Y. LeCun, L. Bottou, Y. Bengio, P. Haffner, 1998, without deskewing).
func TestDigitsAreAsHardAsHandwriting(t *testing.T) {
	patience.SkipShort(t, "it classifies digits of both kinds")
	train := digits(t, DigitsOptions{N: 2000, Balanced: true, Seed: 1})
	test := digits(t, DigitsOptions{N: 500, Balanced: true, Seed: 2})
	means := mat.NewDense(10, 28*28, nil)
	for i, c := range train.Labels {
		for k, v := range train.Images.RawRowView(i) {
			means.Set(c, k, means.At(c, k)+v/200)
		}
	}
	W := linear(t, train)
	var mean, neighbour, regression int // numbers of correct answers
	for i, c := range test.Labels {
		x := test.Images.RawRowView(i)
		if nearest(x, means) == c {
			mean++
		}
		if train.Labels[nearest(x, train.Images)] == c {
			neighbour++
		}
		var out mat.Dense
		out.Mul(mat.NewDense(1, 785, append(slices.Clone(x), 1)), W)
		if scores := out.RawRowView(0); slices.Index(scores, slices.Max(scores)) == c {
			regression++
		}
	}
	t.Logf("right of 500: nearest mean %d, linear %d, nearest neighbour %d", mean, regression, neighbour)
	if mean < 390 || mean > 450 {
		t.Errorf("the nearest mean is right for %d of 500", mean)
	}
	if regression < 420 || regression > 485 {
		t.Errorf("a linear classifier is right for %d of 500", regression)
	}
	if neighbour < 475 || neighbour > 499 {
		t.Errorf("the nearest neighbour is right for %d of 500", neighbour)
	}
}

// The knots of a digit's style, mapped by the recorded parameters as described at Digit, lie on ink. If one
// parameter is changed, fewer knots lie on ink.
func TestDigitTruth(t *testing.T) {
	s := digits(t, DigitsOptions{N: 2000, Size: 56, Seed: 3})
	inked := func(change func(d *Digit)) float64 {
		hits, knots := 0.0, 0.0
		for i, d := range s.Truth {
			change(&d)
			sin, cos := math.Sincos(d.Rotation)
			for _, stroke := range styles[d.Label][d.Style] {
				for _, p := range stroke {
					x, y := d.Scale[0]*(p.x-0.5), d.Scale[1]*(p.y-0.5)
					x -= d.Shear * y
					x, y = cos*x-sin*y+d.Shift[0], sin*x+cos*y+d.Shift[1]
					c, r := int(28+0.62*56*x), int(28+0.62*56*y)
					if c >= 0 && c < 56 && r >= 0 && r < 56 {
						knots++
						if s.Images.At(i, r*56+c) > 0.5 {
							hits++
						}
					}
				}
			}
		}
		return hits / knots
	}
	right := inked(func(*Digit) {})
	t.Logf("%.3f of the knots on ink", right)
	if right < 0.7 {
		t.Errorf("only %.3f of the knots are on ink", right)
	}
	for name, change := range map[string]func(d *Digit){
		"rotation": func(d *Digit) { d.Rotation = -d.Rotation },
		"shear":    func(d *Digit) { d.Shear = 0.24 - d.Shear },
		"scale":    func(d *Digit) { d.Scale = [2]float64{1, 1} },
		"shift":    func(d *Digit) { d.Shift = [2]float64{} },
		"style":    func(d *Digit) { d.Style = (d.Style + 1) % 3 },
	} {
		if wrong := inked(change); wrong > right-0.02 {
			t.Errorf("with another %s %.3f of the knots are on ink, with the truth %.3f", name, wrong, right)
		}
	}
	for i, d := range s.Truth {
		if d.Label != s.Labels[i] {
			t.Fatalf("label %d of image %d is %d", s.Labels[i], i, d.Label)
		}
	}
}

// The ink of a straight line covers its length times its thickness.
func TestThickness(t *testing.T) {
	const size = 64
	for _, thickness := range []float64{2, 3.3, 5} {
		dist := slices.Repeat([]float64{math.Inf(1)}, size*size)
		a, b := point{12, 9}, point{50, 44}
		updateDistances(dist, size, a, b, thickness/2+1)
		ink := 0.0
		for i, d := range dist {
			x, y := float64(i%size)+0.5, float64(i/size)+0.5
			want := segment(x, y, a, b)
			if want <= thickness/2+1 && math.Abs(d-want) > 1e-9 || d < want-1e-9 {
				t.Fatalf("distance of (%v, %v): %v, want %v", x, y, d, want)
			}
			ink += clamp(thickness/2+0.5-d, 0, 1)
		}
		want := thickness*math.Hypot(38, 35) + math.Pi*thickness*thickness/4
		if math.Abs(ink/want-1) > 0.02 {
			t.Errorf("ink %v, want %v", ink, want)
		}
	}
}

// segment returns the distance from (x, y) to the segment from a to b, by search.
func segment(x, y float64, a, b point) float64 {
	lo, hi := 0.0, 1.0
	at := func(u float64) float64 { return math.Hypot(a.x+u*(b.x-a.x)-x, a.y+u*(b.y-a.y)-y) }
	for range 100 { // ternary search: the distance has a single minimum
		if u, v := lo+(hi-lo)/3, hi-(hi-lo)/3; at(u) < at(v) {
			hi = v
		} else {
			lo = u
		}
	}
	return at(lo)
}

func TestSplineGoesThroughItsKnots(t *testing.T) {
	knots := []point{{0, 0}, {1, 2}, {3, 1}, {3, 1}, {4, 4}}
	path := smooth(knots)
	for _, k := range knots {
		if !slices.Contains(path, k) {
			t.Errorf("%v is not on %v", k, path)
		}
	}
	straight := smooth([]point{{0, 0}, {1, 1}, {2, 2}, {3, 3}})
	for _, p := range straight {
		if math.Abs(p.x-p.y) > 1e-12 {
			t.Errorf("(%v, %v) is off the line", p.x, p.y)
		}
	}
}

func TestDigitsAreDeterministic(t *testing.T) {
	opt := DigitsOptions{N: 60, Balanced: true, Noise: 0.1, Seed: 7}
	a := digits(t, opt)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	b := digits(t, opt)
	if !mat.Equal(a.Images, b.Images) || !slices.Equal(a.Truth, b.Truth) || !slices.Equal(a.Labels, b.Labels) {
		t.Error("the images depend on the number of processors")
	}
	opt.Seed++
	if c := digits(t, opt); mat.Equal(a.Images, c.Images) {
		t.Error("the images do not depend on the seed")
	}
	if lo, hi := mat.Min(a.Images), mat.Max(a.Images); lo != 0 || hi != 1 {
		t.Errorf("values from %v to %v", lo, hi)
	}
	var count [10]int
	for _, c := range digits(t, DigitsOptions{N: 47, Balanced: true}).Labels {
		count[c]++
	}
	if slices.Min(count[:]) != 4 || slices.Max(count[:]) != 5 {
		t.Errorf("classes of %v", count)
	}
}

// Without variation all images of a style are the same, and no image is empty or cut off.
func TestStyles(t *testing.T) {
	s := digits(t, DigitsOptions{N: 600, Variation: 1e-9, Balanced: true, Seed: 1})
	first := map[[2]int]int{}
	for i, d := range s.Truth {
		k := [2]int{d.Label, d.Style}
		image := s.Images.RawRowView(i)
		j, seen := first[k]
		if !seen {
			first[k] = i
			for p := range 28 {
				if image[p] > 0 || image[27*28+p] > 0 || image[28*p] > 0 || image[28*p+27] > 0 {
					t.Errorf("style %v touches the border", k)
					break
				}
			}
			continue
		}
		for p, v := range s.Images.RawRowView(j) {
			if math.Abs(v-image[p]) > 1e-6 {
				t.Fatalf("two images of style %v differ", k)
			}
		}
	}
	if len(first) != 30 {
		t.Errorf("%d styles", len(first))
	}
}

func TestDigitsRefusals(t *testing.T) {
	for _, o := range []DigitsOptions{
		{N: -1}, {N: 1 << 40}, {Size: 7}, {Size: -3}, {Size: 1000}, {Size: 128, N: 5000},
		{Variation: -1}, {Variation: 4}, {Variation: math.NaN()}, {Noise: -1}, {Noise: math.Inf(1)}, {Noise: math.NaN()},
	} {
		if _, err := Digits(t.Context(), o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

func BenchmarkDigits(b *testing.B) {
	for b.Loop() {
		if _, err := Digits(b.Context(), DigitsOptions{N: 5000}); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleDigits() {
	s, err := Digits(context.Background(), DigitsOptions{N: 100, Balanced: true, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	n, pixels := s.Images.Dims()
	fmt.Println(n, pixels, s.Truth[0].Label == s.Labels[0])
	// Output: 100 784 true
}
