package synth

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
)

func rms(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x * x
	}
	return math.Sqrt(s / float64(len(v)))
}

func TestSpeech(t *testing.T) {
	s := speech(t, Options{Seconds: 20, Seed: 3})
	if len(s.Samples) != 160_000 || math.Abs(rms(s.Samples)-1) > 1e-9 {
		t.Fatalf("%d samples, root mean square %v", len(s.Samples), rms(s.Samples))
	}
	if b := speech(t, Options{Seconds: 20, Seed: 3}); !slices.Equal(s.Samples, b.Samples) {
		t.Error("not the same twice")
	}
	if b := speech(t, Options{Seconds: 20, Seed: 4}); slices.Equal(s.Samples, b.Samples) {
		t.Error("the seed does not matter")
	}
	at := 0
	count := map[string]int{}
	var quiet, loud float64
	for _, g := range s.Segments {
		if g.Start != at || g.End <= g.Start {
			t.Fatalf("segment %+v begins at %d", g, at)
		}
		at = g.End
		count[g.Kind]++
		switch part := s.Samples[g.Start:g.End]; g.Kind {
		case Silence:
			quiet = math.Max(quiet, rms(part))
		case Voiced:
			loud = math.Max(loud, rms(part))
		}
	}
	if at != len(s.Samples) || count[Voiced] < 20 || count[Unvoiced] < 5 || count[Silence] < 5 {
		t.Errorf("ends at %d, %v", at, count)
	}
	if quiet > 0.01*loud {
		t.Errorf("silence %v, voice %v", quiet, loud)
	}
}

// The recorded pitch is in the signal: the spectrum of a long voiced segment with a steady pitch has its
// strongest peaks at multiples of the pitch.
func TestPitch(t *testing.T) {
	s := speech(t, Options{Seconds: 60, Seed: 8})
	tested := 0
	for _, g := range s.Segments {
		if g.Kind != Voiced || g.End-g.Start < 2048 || math.Abs(g.Pitch[1]/g.Pitch[0]-1) > 0.03 {
			continue
		}
		n := 2048
		x := make([]float64, n)
		for i := range x {
			x[i] = s.Samples[g.Start+i] * (0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/float64(n)))
		}
		c := fourier.NewFFT(n).Coefficients(nil, x)
		best := 0
		for k := 1; k < len(c); k++ {
			if cmplx.Abs(c[k]) > cmplx.Abs(c[best]) || best == 0 {
				best = k
			}
		}
		h := float64(best) * s.Rate / float64(n) / ((g.Pitch[0] + g.Pitch[1]) / 2)
		if off := math.Abs(h - math.Round(h)); off > 0.05*math.Max(1, h)+0.05 || math.Round(h) < 1 {
			t.Errorf("the strongest peak is at %.2f times the pitch %v", h, g.Pitch)
		}
		tested++
	}
	if tested < 3 {
		t.Errorf("only %d segments tested", tested)
	}
}

func TestSpeechRefusals(t *testing.T) {
	for _, o := range []Options{{Rate: 100}, {Seconds: -1}, {Rate: math.NaN()}, {Seconds: 1e-9}, {Rate: 200_000, Seconds: 3600}} {
		if _, err := Speech(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

func ExampleSpeech() {
	s, err := Speech(Options{Rate: 8000, Seconds: 1, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	X := Frames(s.Samples, 64, 32, true)
	r, c := X.Dims()
	fmt.Println(len(s.Samples), r, c, s.Segments[0].Kind)
	// Output: 8000 64 249 voiced
}
