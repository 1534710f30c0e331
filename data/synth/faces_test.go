package synth

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/internal/panics"
)

// components returns the principal components of the rows of X, computed from the dual problem: the
// variances, largest first, and the scores (n × n, one component per column).
func components(t *testing.T, X *mat.Dense) ([]float64, *mat.Dense) {
	t.Helper()
	n, d := X.Dims()
	Y := mat.DenseCopyOf(X)
	for j := range d {
		mean := stat.Mean(mat.Col(nil, j, X), nil)
		for i := range n {
			Y.Set(i, j, X.At(i, j)-mean)
		}
	}
	G := mat.NewSymDense(n, nil)
	G.SymOuterK(1/float64(n), Y)
	var e mat.EigenSym
	if !e.Factorize(G, true) {
		t.Fatal("the eigenvalues did not converge")
	}
	var V mat.Dense
	e.VectorsTo(&V)
	scores := mat.NewDense(n, n, nil)
	for k := range n {
		scores.SetCol(k, mat.Col(nil, n-1-k, &V))
	}
	values := e.Values(nil)
	slices.Reverse(values)
	return values, scores
}

// The spectrum is close to that of real faces. The 400 images of the ORL database (F. Samaria, A. Harter,
// 1994) were measured in the same way, after their middle 92 × 92 pixels were scaled to 32 × 32 by averaging
// and to values from 0 to 1. They have a standard deviation of 0.145 per pixel, 0.65 of the variance in 10
// components, 0.88 in 50 and 0.94 in 100, and variances that fall from component 10 to 100 as k^−1.39.
func TestSpectrumOfFaces(t *testing.T) {
	s := faces(t, FacesOptions{N: 400, Seed: 1})
	v, scores := components(t, s.Images)
	total := 0.0
	for _, x := range v {
		total += x
	}
	share := func(k int) float64 {
		sum := 0.0
		for _, x := range v[:k] {
			sum += x
		}
		return sum / total
	}
	sd := math.Sqrt(total / 1024)
	power := math.Log10(v[99] / v[9])
	t.Logf("deviation %.3f, share of 1: %.3f, 10: %.3f, 50: %.3f, 100: %.3f, power %.2f", sd, share(1), share(10), share(50), share(100), power)
	for _, c := range []struct {
		what        string
		got, lo, hi float64
	}{
		{"standard deviation", sd, 0.11, 0.17},
		{"share of 1", share(1), 0.15, 0.3},
		{"share of 10", share(10), 0.62, 0.78},
		{"share of 50", share(50), 0.86, 0.93},
		{"share of 100", share(100), 0.93, 0.975},
		{"power", power, -1.65, -1.25},
	} {
		if !(c.got >= c.lo && c.got <= c.hi) {
			t.Errorf("%s: %.3f, want %v to %v", c.what, c.got, c.lo, c.hi)
		}
	}
	// The direction of light is predicted by the first three components. The columns of scores are
	// orthonormal, so the squares of the correlations add up.
	explained := func(name string) float64 {
		r2 := 0.0
		for k := range 3 {
			r := stat.Correlation(mat.Col(nil, k, scores), s.Latent(name), nil)
			r2 += r * r
		}
		return r2
	}
	light, gaze := explained("light azimuth"), explained("gaze")
	t.Logf("3 components explain %.2f of the light's azimuth, %.2f of the gaze", light, gaze)
	if light < 0.6 || gaze > 0.05 {
		t.Errorf("3 components explain %.2f of the light's azimuth, %.2f of the gaze", light, gaze)
	}
}

// In a mirrored face, the latents that distinguish left and right change sign.
func TestMirroredFaces(t *testing.T) {
	rnd := random(1, streamFaces, 0)
	for range 50 {
		var f face
		for _, l := range latents {
			*l.of(&f) = l.mean + l.sd*truncatedNormal(rnd)
		}
		g := f
		for _, v := range []*float64{&g.lightAzimuth, &g.shiftX, &g.yaw, &g.roll, &g.gaze} {
			*v = -*v
		}
		a, b := newScene(&f, 32), newScene(&g, 32)
		for range 500 {
			x, y := 2*rnd.Float64()-1, 2*rnd.Float64()-1
			if v, w := a.brightness(x, y), b.brightness(-x, y); math.Abs(v-w) > 1e-9 || math.IsNaN(v) {
				t.Fatalf("(%v, %v) is %v, mirrored %v", x, y, v, w)
			}
		}
	}
}

// Single latents have the effects that their names suggest.
func TestLatentsOfFaces(t *testing.T) {
	s := faces(t, FacesOptions{N: 1000, Seed: 2})
	mean := func(top, bottom, left, right int) []float64 {
		out := make([]float64, 1000)
		for k := range out {
			for i := top; i < bottom; i++ {
				for j := left; j < right; j++ {
					out[k] += s.Images.At(k, 32*i+j) / float64((bottom-top)*(right-left))
				}
			}
		}
		return out
	}
	cheeks := mean(16, 22, 18, 26)
	left := mean(16, 22, 6, 14)
	for k := range cheeks {
		cheeks[k] -= left[k]
	}
	for _, c := range []struct {
		name  string
		got   []float64
		least float64
	}{
		{"light azimuth", cheeks, 0.7},
		{"background tone", mean(8, 22, 0, 2), 0.7},
		{"skin tone", mean(16, 22, 12, 20), 0.4},
		{"hair tone", mean(3, 6, 12, 20), 0.5},
	} {
		if r := stat.Correlation(s.Latent(c.name), c.got, nil); r < c.least {
			t.Errorf("%s: correlation %.2f", c.name, r)
		}
	}
	for k, l := range latents {
		m, sd := stat.MeanStdDev(s.Latent(s.Names[k]), nil)
		if l.chance == 0 && (math.Abs(m-l.mean) > 5*l.sd/math.Sqrt(1000) || math.Abs(sd/l.sd-0.955) > 0.12) {
			t.Errorf("%s: mean %v, deviation %v", l.name, m, sd)
		}
	}
	glasses := 0.0
	for _, v := range s.Latent("glasses") {
		if v > 0 {
			glasses++
		}
	}
	if glasses < 140 || glasses > 260 { // 200 ± 12.6
		t.Errorf("%v of 1000 with glasses", glasses)
	}
	if r := fmt.Sprint(panics.Value(func() { s.Latent("ears") })); !strings.HasPrefix(r, "synth: Latent") {
		t.Error(r)
	}
}

// The field has mean 0 and, on average, the requested standard deviation.
func TestField(t *testing.T) {
	rnd := random(1, streamFaces, 0)
	sum := 0.0
	for range 400 {
		f := field(24, 3, 0.5, rnd)
		mean, sq := 0.0, 0.0
		for _, v := range f {
			mean += v / 576
			sq += v * v / 576
		}
		if math.Abs(mean) > 1e-12 {
			t.Fatalf("mean %v", mean)
		}
		sum += sq / 400
	}
	if math.Abs(sum/0.25-1) > 0.1 { // with only a dozen waves, the mean square varies by half
		t.Errorf("mean square %v, want 0.25", sum)
	}
}

func TestFacesAreDeterministic(t *testing.T) {
	opt := FacesOptions{N: 40, Noise: 0.05, Seed: 7}
	a := faces(t, opt)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	b := faces(t, opt)
	if !mat.Equal(a.Images, b.Images) || !mat.Equal(a.Latents, b.Latents) {
		t.Error("the images depend on the number of processors")
	}
	opt.Seed++
	if c := faces(t, opt); mat.Equal(a.Images, c.Images) {
		t.Error("the images do not depend on the seed")
	}
	opt.Seed, opt.Noise = 7, 0
	c := faces(t, opt)
	if !mat.Equal(a.Latents, c.Latents) {
		t.Error("noise changes the latents")
	}
	var D mat.Dense
	D.Sub(a.Images, c.Images)
	if sd := mat.Norm(&D, 2) / math.Sqrt(40*1024); math.Abs(sd/0.05-1) > 0.05 { // some values are clipped
		t.Errorf("noise of %v", sd)
	}
	if lo, hi := mat.Min(a.Images), mat.Max(a.Images); lo < 0 || hi > 1 || hi-lo < 0.7 {
		t.Errorf("values from %v to %v", lo, hi)
	}
}

func TestFacesRefusals(t *testing.T) {
	for _, o := range []FacesOptions{
		{N: -1}, {N: 1 << 40}, {Size: 7}, {Size: -3}, {Size: 1000}, {Size: 128, N: 5000},
		{Noise: -1}, {Noise: math.Inf(1)}, {Noise: math.NaN()},
	} {
		if _, err := Faces(t.Context(), o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

func BenchmarkFaces(b *testing.B) {
	for b.Loop() {
		if _, err := Faces(b.Context(), FacesOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleFaces() {
	s, err := Faces(context.Background(), FacesOptions{N: 100, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	n, pixels := s.Images.Dims()
	_, latents := s.Latents.Dims()
	fmt.Println(n, pixels, latents, len(s.Latent("yaw")))
	// Output: 100 1024 34 100
}
