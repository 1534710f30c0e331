package synth

import (
	"fmt"
	"math"
	"math/cmplx"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func TestMixtures(t *testing.T) {
	given := mat.NewDense(2, 2, []float64{3, -1, 0, 2})
	for _, opt := range []MixturesOptions{
		{Seconds: 2, Seed: 1},
		{Sources: 4, Sensors: 3, Seconds: 1, Noise: 0.3, Seed: 2},
		{Kinds: []string{SourceSpeech, SourceTones, SourceNoise}, Sensors: 1, Seconds: 3, Noise: 0.1, Seed: 3},
		{Matrix: given, Rate: 16000, Seconds: 1, Noise: 2, Seed: 4},
	} {
		x := mixture(t, opt)
		m, k := x.A.Dims()
		n := int(x.Rate * opt.Seconds)
		for _, d := range []struct {
			M    *mat.Dense
			r, c int
		}{{x.X, m, n}, {x.S, k, n}, {x.E, m, n}} {
			if r, c := d.M.Dims(); r != d.r || c != d.c {
				t.Fatalf("%+v: %d × %d instead of %d × %d", opt, r, c, d.r, d.c)
			}
		}
		var AS, sum mat.Dense
		AS.Mul(x.A, x.S)
		sum.Add(&AS, x.E)
		if !mat.EqualApprox(&sum, x.X, 1e-12) {
			t.Errorf("%+v: X is not A S + E", opt)
		}
		if got := mat.Norm(x.E, 2) / mat.Norm(&AS, 2); math.Abs(got-opt.Noise) > 1e-9 {
			t.Errorf("%+v: noise of %v", opt, got)
		}
		for j := range k {
			if r := rms(x.S.RawRowView(j)); math.Abs(r-1) > 1e-9 {
				t.Errorf("source %d has a root mean square of %v", j, r)
			}
			if norm := mat.Norm(x.A.ColView(j), 2); opt.Matrix == nil && math.Abs(norm-1) > 1e-12 {
				t.Errorf("column %d has norm %v", j, norm)
			}
			if isSpeech := x.Kinds[j] == SourceSpeech; (x.Sounds[j] != nil) != isSpeech {
				t.Errorf("source %d is %s, its sound %v", j, x.Kinds[j], x.Sounds[j])
			} else if isSpeech && !floatsClose(x.Sounds[j].Samples, x.S.RawRowView(j)) {
				t.Errorf("source %d is not its sound", j)
			}
			for l := range j { // rows of S are different sounds
				if r := stat.Correlation(x.S.RawRowView(j), x.S.RawRowView(l), nil); math.Abs(r) > 0.25 {
					t.Errorf("sources %d and %d have correlation %v", j, l, r)
				}
			}
		}
		if opt.Matrix != nil {
			x.A.Set(0, 0, 9)
			if given.At(0, 0) != 3 {
				t.Error("the result shares memory with the given matrix")
			}
		}
	}
}

func floatsClose(a, b []float64) bool {
	for i, v := range a {
		if math.Abs(v-b[i]) > 1e-9 {
			return false
		}
	}
	return len(a) == len(b)
}

// Directions in the plane are as documented; other directions are far enough apart.
func TestDirections(t *testing.T) {
	A := mixture(t, MixturesOptions{Sources: 4, Seconds: 0.1}).A
	for j := range 4 {
		phi := (float64(j) + 0.5) * math.Pi / 4
		if math.Abs(A.At(0, j)-math.Cos(phi)) > 1e-12 || math.Abs(A.At(1, j)-math.Sin(phi)) > 1e-12 {
			t.Errorf("column %d is %v", j, mat.Col(nil, j, A))
		}
	}
	for seed := range uint64(20) {
		A := mixture(t, MixturesOptions{Sources: 8, Sensors: 3, Kinds: slices.Repeat([]string{SourceNoise}, 8), Seconds: 0.1, Seed: seed}).A
		for j := range 8 {
			for l := range j {
				if c := mat.Dot(A.ColView(j), A.ColView(l)); math.Abs(c) > 0.9 {
					t.Errorf("columns %d and %d have the cosine %v", j, l, c)
				}
			}
		}
	}
	if _, err := Mixtures(MixturesOptions{Sources: 64, Sensors: 3, Seconds: 0.1}); err == nil {
		t.Error("64 directions in 3 dimensions are found 25 degrees apart")
	}
}

// The strongest frequency of a melody is a note of the scale.
func TestMelody(t *testing.T) {
	const rate, n = 8000, 800 // one note lasts at least 0.12 s
	for seed := range 20 {
		s := make([]float64, n)
		melody(s, rate, random(uint64(seed), streamSources, 0))
		padded := append(s, make([]float64, 15*n)...)
		c := fourier.NewFFT(len(padded)).Coefficients(nil, padded)
		best := 0
		for k := range c {
			if cmplx.Abs(c[k]) > cmplx.Abs(c[best]) {
				best = k
			}
		}
		steps := 12 * math.Log2(float64(best)*rate/float64(len(padded))/220)
		off := math.Inf(1)
		for _, v := range []float64{0, 2, 4, 7, 9, 12, 14, 16, 19, 21, 24} {
			off = min(off, math.Abs(steps-v))
		}
		if off > 0.3 {
			t.Errorf("the strongest frequency is %.2f semitones above 220 Hz", steps)
		}
	}
}

func TestMixturesAreDeterministic(t *testing.T) {
	opt := MixturesOptions{Kinds: []string{SourceSpeech, SourceTones, SourceNoise}, Sensors: 3, Seconds: 0.5, Noise: 0.1, Seed: 1}
	a := mixture(t, opt)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	b := mixture(t, opt)
	if !mat.Equal(a.X, b.X) || !mat.Equal(a.A, b.A) {
		t.Error("the mixture depends on the number of processors")
	}
	opt.Seed++
	if c := mixture(t, opt); mat.Equal(a.S, c.S) || mat.Equal(a.A, c.A) || mat.Equal(a.E, c.E) {
		t.Error("the mixture does not depend on the seed")
	}
}

func TestMixturesRefusals(t *testing.T) {
	for _, o := range []MixturesOptions{
		{Sources: -1}, {Sources: 65}, {Sensors: -1}, {Sensors: 65}, {Kinds: []string{"birds"}}, {Kinds: []string{}},
		{Sources: 2, Kinds: []string{SourceNoise}}, {Sensors: 3, Matrix: mat.NewDense(2, 2, nil)},
		{Sources: 3, Matrix: mat.NewDense(2, 2, nil)}, {Matrix: mat.NewDense(1, 1, []float64{math.NaN()})},
		{Noise: -1}, {Noise: math.NaN()}, {Rate: 100}, {Rate: math.NaN()}, {Rate: math.Inf(1)},
		{Seconds: -1}, {Seconds: 1e-9}, {Seconds: math.NaN()}, {Seconds: 1e9}, {Seconds: 3600, Sources: 64},
	} {
		if _, err := Mixtures(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

func ExampleMixtures() {
	m, err := Mixtures(MixturesOptions{Sources: 3, Sensors: 2, Seconds: 1, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", mat.Formatted(m.A))
	// Output:
	// ⎡ 0.866   0.000  -0.866⎤
	// ⎣ 0.500   1.000   0.500⎦
}
