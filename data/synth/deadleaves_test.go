package synth

import (
	"fmt"
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/internal/patience"
)

// The list of leaves reproduces the image: each sample has the gray of the first leaf in the list that
// contains the sample's center.
func TestLeavesAreTheImage(t *testing.T) {
	for _, opt := range []LeavesOptions{
		{Size: 40, Seed: 1},
		{Size: 33, RMin: 0.5, RMax: 130, Oversample: 1, Seed: 2},
		{Size: 40, RMin: 2, RMax: 12, Elongation: 6, Oversample: 3, Seed: 3},
	} {
		l := leaves(t, opt)
		over := opt.Oversample
		if over == 0 {
			over = 2
		}
		for i := range opt.Size {
			for j := range opt.Size {
				want := 0.0
				for s := range over * over {
					y := float64(i) + (float64(s/over)+0.5)/float64(over)
					x := float64(j) + (float64(s%over)+0.5)/float64(over)
					found := false
					for _, f := range l.Visible {
						sin, cos := math.Sincos(f.Angle)
						long := (cos*(x-f.X) + sin*(y-f.Y)) / (f.Radius * math.Sqrt(f.Aspect))
						short := (cos*(y-f.Y) - sin*(x-f.X)) / (f.Radius / math.Sqrt(f.Aspect))
						if long*long+short*short <= 1 {
							want += f.Gray / float64(over*over)
							found = true
							break
						}
					}
					if !found {
						t.Fatalf("%+v: nothing covers (%v, %v)", opt, x, y)
					}
				}
				if got := l.Image.At(i, j); math.Abs(got-want) > 1e-6 { // samples are float32
					t.Fatalf("%+v: pixel %d, %d is %v, want %v", opt, i, j, got, want)
				}
			}
		}
		if l.Fallen < len(l.Visible) {
			t.Errorf("%d visible of %d", len(l.Visible), l.Fallen)
		}
	}
}

// fall draws radii with the density (S + 2r)² r⁻³ between RMin and RMax. Among leaves with centers
// in a small window, the density is r⁻³.
func TestRadiiFollowThePowerLaw(t *testing.T) {
	opt := LeavesOptions{Size: 100, RMin: 2, RMax: 50, Elongation: 1}
	rnd := random(5, streamLeaves, 0)
	const n = 2_000_000
	edges := []float64{2, 2.5, 3.2, 4.2, 6, 10, 50}
	var count [6]float64
	all := 0.0
	for range n {
		l := fall(opt, rnd)
		if l.Radius < 2 || l.Radius > 50 {
			t.Fatalf("radius %v", l.Radius)
		}
		if l.X < 0 || l.X > 100 || l.Y < 0 || l.Y > 100 { // outside the window in which all radii are treated alike
			continue
		}
		for k := range count {
			if l.Radius < edges[k+1] {
				count[k]++
				all++
				break
			}
		}
	}
	for k, c := range count {
		want := (math.Pow(edges[k], -2) - math.Pow(edges[k+1], -2)) / (math.Pow(2, -2) - math.Pow(50, -2))
		if sd := math.Sqrt(want * (1 - want) / all); math.Abs(c/all-want) > 4.5*sd {
			t.Errorf("radii %v to %v: %.5f of all, want %.5f ± %.5f", edges[k], edges[k+1], c/all, want, sd)
		}
	}
}

// slope fits a line to the logarithm of the power against the logarithm of the frequency, between lo and hi
// (cycles per pixel). The power is averaged over directions and images.
func slope(images []*mat.Dense, lo, hi float64) float64 {
	n, _ := images[0].Dims()
	fft := fourier.NewCmplxFFT(n)
	bins := make([]float64, n)
	count := make([]float64, n)
	for _, image := range images {
		mean := mat.Sum(image) / float64(n*n)
		c := make([]complex128, n*n)
		hann := func(i int) float64 { return 0.5 - 0.5*math.Cos(2*math.Pi*(float64(i)+0.5)/float64(n)) }
		for i := range n {
			for j := range n {
				c[i*n+j] = complex((image.At(i, j)-mean)*hann(i)*hann(j), 0)
			}
			fft.Coefficients(c[i*n:(i+1)*n], c[i*n:(i+1)*n])
		}
		col := make([]complex128, n)
		for j := range n {
			for i := range n {
				col[i] = c[i*n+j]
			}
			fft.Coefficients(col, col)
			for i := range n {
				f := math.Hypot(float64(min(i, n-i)), float64(min(j, n-j)))
				k := int(f + 0.5)
				bins[k] += math.Pow(cmplx.Abs(col[i]), 2)
				count[k]++
			}
		}
	}
	var sx, sy, sxx, sxy, m float64
	for k := 1; k < n; k++ {
		f := float64(k) / float64(n)
		if f < lo || f > hi {
			continue
		}
		x, y := math.Log(f), math.Log(bins[k]/count[k])
		w := 1 / float64(k) // equal weight per octave
		sx, sy, sxx, sxy, m = sx+w*x, sy+w*y, sxx+w*x*x, sxy+w*x*y, m+w
	}
	return (m*sxy - sx*sy) / (m*sxx - sx*sx)
}

// The power of natural images falls as f^−(2−η) with η near 0.2 (D. Ruderman, A. Bialek, 1994: 0.19). Disks
// of equal size are the control: beyond a frequency of one over the radius, their power falls as f⁻³, like
// that of any sharp edges.
func TestPowerFallsLikeThatOfNaturalImages(t *testing.T) {
	patience.SkipShort(t, "it measures the spectra of many images")
	var power, single []*mat.Dense
	for seed := range uint64(12) {
		power = append(power, leaves(t, LeavesOptions{Seed: seed}).Image)
		single = append(single, leaves(t, LeavesOptions{RMin: 40, RMax: 40.5, Seed: seed}).Image)
	}
	s, c := slope(power, 0.02, 0.25), slope(single, 0.05, 0.25)
	t.Logf("slope %.2f, of disks of one size %.2f", s, c)
	if s < -2.6 || s > -1.6 {
		t.Errorf("the power falls with slope %v", s)
	}
	if c > -2.75 || c < -3.3 {
		t.Errorf("that of disks of one size with slope %v", c)
	}
	// The slope is the same in two pairs of octaves, so no scale stands out.
	low, high := slope(power, 0.015, 0.06), slope(power, 0.06, 0.24)
	t.Logf("lower octaves %.2f, higher %.2f", low, high)
	if math.Abs(low-high) > 0.5 {
		t.Errorf("slopes %v and %v", low, high)
	}
}

func TestLeavesAreDeterministic(t *testing.T) {
	a, b, c := leaves(t, LeavesOptions{Seed: 1}), leaves(t, LeavesOptions{Seed: 1}), leaves(t, LeavesOptions{Seed: 2})
	if !mat.Equal(a.Image, b.Image) || mat.Equal(a.Image, c.Image) {
		t.Error("the image is not a function of the seed")
	}
	if lo, hi := mat.Min(a.Image), mat.Max(a.Image); lo < 0 || hi > 1 || hi-lo < 0.8 {
		t.Errorf("values from %v to %v", lo, hi)
	}
}

func TestLeavesRefusals(t *testing.T) {
	for _, o := range []LeavesOptions{
		{Size: -1}, {Size: 1 << 20}, {RMin: -1}, {RMin: 0.1}, {RMin: 5, RMax: 5}, {RMin: math.NaN()},
		{RMax: math.Inf(1)}, {Elongation: 0.5}, {Elongation: math.NaN()}, {Oversample: 5}, {Oversample: -1},
	} {
		if _, err := DeadLeaves(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

func patches(t *testing.T, image *mat.Dense, removeMean bool) *mat.Dense {
	t.Helper()
	X, err := Patches(image, 3, 200, removeMean, 1)
	if err != nil {
		t.Fatal(err)
	}
	return X
}

func TestPatches(t *testing.T) {
	image := mat.NewDense(5, 7, nil)
	for k := range 35 {
		image.Set(k/7, k%7, float64(k))
	}
	X := patches(t, image, false)
	seen := map[float64]bool{}
	for k := range 200 {
		row := X.RawRowView(k)
		seen[row[0]] = true
		for i, v := range row {
			if v != row[0]+float64(i/3*7+i%3) {
				t.Fatalf("row %d is no patch: %v", k, row)
			}
		}
	}
	if len(seen) != 3*5 { // 200 draws of 15: the probability that one never occurs is 15·(14/15)²⁰⁰ = 1.5e-5
		t.Errorf("%d of 15 places", len(seen))
	}
	Y := patches(t, image, true)
	for k := range 200 {
		sum := 0.0
		for i, v := range Y.RawRowView(k) {
			sum += v
			if want := float64(i/3*7+i%3) - 8; math.Abs(v-want) > 1e-9 {
				t.Fatalf("row %d without its mean: %v", k, Y.RawRowView(k))
			}
		}
		if math.Abs(sum) > 1e-9 {
			t.Fatalf("row %d has sum %v", k, sum)
		}
	}
	image.Set(4, 6, math.Inf(1))
	if _, err := Patches(image, 3, 1, false, 1); err == nil {
		t.Error("an infinite pixel is accepted")
	}
	for _, bad := range [][2]int{{0, 1}, {6, 1}, {3, 0}, {3, -1}, {5, 1 << 40}} {
		if s := fmt.Sprint(panics.Value(func() { Patches(image, bad[0], bad[1], false, 1) })); !strings.HasPrefix(s, "synth: Patches") {
			t.Errorf("%v: %s", bad, s)
		}
	}
}

func ExampleDeadLeaves() {
	l, err := DeadLeaves(LeavesOptions{Size: 128, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	X, err := Patches(l.Image, 8, 1000, true, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	n, d := X.Dims()
	fmt.Println(n, d, l.Fallen > len(l.Visible))
	// Output: 1000 64 true
}
