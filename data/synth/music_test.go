package synth

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
)

func TestMusic(t *testing.T) {
	opt := MusicOptions{Genres: 3, Clips: 4, Seconds: 2, Seed: 5}
	s := music(t, opt)
	if len(s.Clips) != 12 || len(s.Genres) != 3 || s.Rate != 8000 {
		t.Fatalf("%d clips, %d genres, rate %v", len(s.Clips), len(s.Genres), s.Rate)
	}
	for i, c := range s.Clips {
		if c.Genre != i/4 || len(c.Samples) != 16000 || math.Abs(rms(c.Samples)-1) > 1e-9 {
			t.Fatalf("clip %d: genre %d, %d samples, root mean square %v", i, c.Genre, len(c.Samples), rms(c.Samples))
		}
		quiet := 0
		for k := 0; k < len(c.Samples); k += 400 {
			if rms(c.Samples[k:k+400]) < 0.01 {
				quiet++
			}
		}
		if quiet > 0 {
			t.Errorf("clip %d: %d of 40 snippets are silent", i, quiet)
		}
	}
	before := runtime.GOMAXPROCS(1)
	again := music(t, opt)
	runtime.GOMAXPROCS(before)
	for i := range s.Clips {
		if !slices.Equal(s.Clips[i].Samples, again.Clips[i].Samples) {
			t.Fatalf("clip %d is not the same on one processor", i)
		}
	}
	opt.Seed++
	if slices.Equal(s.Clips[0].Samples, music(t, opt).Clips[0].Samples) {
		t.Error("the seed does not matter")
	}
}

// The listed notes are audible: while a note sounds there is more energy at its pitch than a quarter tone
// away.
func TestMusicPitch(t *testing.T) {
	s := music(t, MusicOptions{Genres: 5, Clips: 3, Seconds: 4, Seed: 2})
	tested, found := 0, 0
	for _, c := range s.Clips {
		for _, n := range c.Notes {
			from := int((n.Start + 0.05) * s.Rate)
			if n.Pitch < 150 || n.Loudness < 0.7 || n.Seconds < 0.25 || from+1600 > len(c.Samples) {
				continue
			}
			at := func(f float64) float64 {
				var z complex128
				for i, x := range c.Samples[from : from+1600] {
					h := 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/1600)
					z += complex(x*h, 0) * cmplx.Exp(complex(0, -2*math.Pi*f*float64(i)/s.Rate))
				}
				return cmplx.Abs(z)
			}
			tested++
			if f := n.Pitch; at(f) > at(f*1.06) && at(f) > at(f/1.06) {
				found++
			}
		}
	}
	if tested < 50 || float64(found) < 0.85*float64(tested) {
		t.Errorf("the pitch of %d notes of %d is in the spectrum", found, tested)
	}
}

// recognizedShare returns the share of recognized clips. It tests the last clip of each genre: the clip is
// recognized if its mean logarithmic spectrum is nearest to that of the other clips of its genre.
func recognizedShare(s *MusicSet, clips int) float64 {
	const n = 512
	f := fourier.NewFFT(n)
	spectrum := func(c Clip) []float64 {
		out := make([]float64, n/2+1)
		for k := 0; k+n <= len(c.Samples); k += n { // the same number of windows in every clip
			for i, z := range f.Coefficients(nil, slices.Clone(c.Samples[k:k+n])) {
				out[i] += math.Log(1e-3 + cmplx.Abs(z))
			}
		}
		return out
	}
	G := len(s.Genres)
	mean := make([][]float64, G)
	test := make([][]float64, G)
	for g := range G {
		mean[g] = make([]float64, n/2+1)
		for k := range clips - 1 {
			for i, v := range spectrum(s.Clips[g*clips+k]) {
				mean[g][i] += v / float64(clips-1)
			}
		}
		test[g] = spectrum(s.Clips[g*clips+clips-1])
	}
	right := 0
	for g := range G {
		best, least := -1, math.Inf(1)
		for h := range G {
			d := 0.0
			for i, v := range mean[h] {
				d += (v - test[g][i]) * (v - test[g][i])
			}
			if d < least {
				best, least = h, d
			}
		}
		if best == g {
			right++
		}
	}
	return float64(right) / float64(G)
}

// Genres can be distinguished, but not perfectly, and not at all if Apart is tiny.
func TestMusicGenres(t *testing.T) {
	apart := recognizedShare(music(t, MusicOptions{Genres: 20, Clips: 6, Seconds: 1, Seed: 3}), 6)
	alike := recognizedShare(music(t, MusicOptions{Genres: 20, Clips: 6, Seconds: 1, Seed: 3, Apart: 1e-6}), 6)
	if apart < 0.2 || apart > 0.95 || alike > 0.2 {
		t.Errorf("%v of the genres are recognised, %v if they are alike", apart, alike)
	}
	t.Log(apart, alike)
}

func TestMusicRefusals(t *testing.T) {
	for _, o := range []MusicOptions{{Genres: 1}, {Clips: -1}, {Seconds: -1}, {Rate: 100}, {Apart: math.NaN()}, {Seconds: math.Inf(1)}, {Seconds: 3600}} {
		if _, err := Music(t.Context(), o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

func ExampleMusic() {
	s, err := Music(context.Background(), MusicOptions{Genres: 2, Clips: 3, Seconds: 1, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := s.Clips[4]
	fmt.Println(len(s.Clips), len(c.Samples), c.Genre, len(Instruments()))
	// Output: 6 8000 1 8
}
