package synth

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// MusicOptions configures Music.
type MusicOptions struct {
	Genres  int     // 2 to 100; 0: 17
	Clips   int     // number of clips per genre; 0: 15
	Seconds float64 // length of each clip, at least 0.2; 0 means 10
	Rate    float64 // samples per second, 4000 to 48,000; 0 means 8000
	// Apart, 0 to 10, scales the differences between the genres; 0 means 1. It does not change the spread of clips
	// within a genre. A very small value makes all genres alike.
	Apart float64
	Seed  uint64
}

// Instruments returns the names of the timbres that all genres share. Genre.Instruments has a probability for each, in
// the same order, and Note.Instrument is an index into this list.
func Instruments() []string {
	out := make([]string, len(timbres))
	for i, t := range timbres {
		out[i] = t.name
	}
	return out
}

// A Genre holds the parameters of the distribution from which its clips are drawn.
type Genre struct {
	Tempo       float64       // median tempo in beats per minute
	Scale       []int         // semitones above the key, ascending from 0
	Instruments []float64     // probability of each instrument, sum 1
	Register    float64       // register of the melodies, in semitones above 220 Hz
	Density     float64       // probability of a melody note at each half beat
	Chords      float64       // loudness of the chords, relative to the melody
	Drums       [3][8]float64 // probability of kick, snare and hat at each half beat of a bar
	Percussion  float64       // loudness of the drums
	Noise       float64       // root mean square of the noise, relative to the music
	Slope       float64       // slope of the recording's spectrum in decibels per octave above 300 Hz
}

// A Note is one tone. Its partials are multiples of Pitch.
type Note struct {
	Start, Seconds float64
	Pitch          float64 // Hz
	Instrument     int
	Loudness       float64 // before the whole clip was scaled
}

// A Clip is one generated recording and its ground truth.
type Clip struct {
	Samples []float64 // root mean square 1
	Genre   int
	Tempo   float64 // beats per minute
	Key     int     // semitones above A, 0 to 11
	Voices  [3]int  // instruments of melody, chords and bass
	Noise   float64
	Slope   float64
	Notes   []Note // ordered by voice, without drums
}

// A MusicSet holds the clips of all genres, grouped by genre.
type MusicSet struct {
	Clips  []Clip // Genres × Clips recordings
	Genres []Genre
	Rate   float64
}

// Music generates clips of music-like sound, in genres. Each clip has a melody that walks on a scale, chords of three
// notes, a bass on the chord's root, drums and noise. Bars have four beats, and each bar has its own chord. A genre is
// a distribution over clips: over their tempo, instruments, register, loudness, noise and spectral slope. Genres
// overlap, and share scales and instruments. Two clips of a genre differ much more than two parts of a clip. No part
// of a clip is repeated, and nobody would mistake a clip for music.
//
// The same options give the same samples for any number of processors.
func Music(ctx context.Context, opt MusicOptions) (*MusicSet, error) {
	opt, err := opt.complete()
	if err != nil {
		return nil, err
	}
	s := &MusicSet{Rate: opt.Rate, Genres: make([]Genre, opt.Genres), Clips: make([]Clip, opt.Genres*opt.Clips)}
	for g := range s.Genres {
		s.Genres[g] = genre(opt.Apart, random(opt.Seed, streamGenres, g))
	}
	err = forEach(ctx, "Music", len(s.Clips), func(i int) {
		g := i / opt.Clips
		s.Clips[i] = play(&s.Genres[g], opt.Seconds, opt.Rate, random(opt.Seed, streamClips, i))
		s.Clips[i].Genre = g
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

const (
	streamGenres = 0x6e4e + iota
	streamClips
)

func (o MusicOptions) complete() (MusicOptions, error) {
	if o.Genres == 0 {
		o.Genres = 17
	}
	if o.Clips == 0 {
		o.Clips = 15
	}
	for _, d := range []struct {
		x *float64
		v float64
	}{{&o.Seconds, 10}, {&o.Rate, 8000}, {&o.Apart, 1}} {
		if *d.x == 0 {
			*d.x = d.v
		}
	}
	fail := func(format string, a ...any) (MusicOptions, error) {
		return o, fmt.Errorf("synth: Music: "+format, a...)
	}
	switch {
	case o.Genres < 2 || o.Genres > 100 || o.Clips < 1 || o.Clips > maxValues:
		return fail("%d genres of %d clips, must be 2 to 100 genres", o.Genres, o.Clips)
	case !(o.Rate >= 4000 && o.Rate <= 48_000):
		return fail("%v samples per second, must be from 4000 to 48000", o.Rate)
	case !(o.Seconds >= 0.2 && o.Seconds <= 3600):
		return fail("clips of %v seconds, must be from 0.2 to 3600", o.Seconds)
	case !(o.Apart >= 0 && o.Apart <= 10):
		return fail("Apart is %v, must be from 0 to 10", o.Apart)
	case float64(o.Genres)*float64(o.Clips)*o.Seconds*o.Rate > maxValues:
		return fail("%d genres of %d clips of %v seconds are more than %d samples", o.Genres, o.Clips, o.Seconds, maxValues)
	}
	return o, nil
}

// A timbre is a set of partials with a common envelope.
type timbre struct {
	name    string
	ratios  []float64 // ratios of the partials to the pitch
	amps    []float64
	attack  float64 // seconds
	decay   float64 // seconds to decay to 1/e; 0: no decay
	damp    float64 // extra decay of a partial with the ratio r after t seconds: e^(−damp (r−1) t)
	vibrato float64 // depth as a fraction of the pitch, at 5.5 Hz
}

var timbres = []timbre{
	{"organ", []float64{1, 2, 3, 4, 6, 8}, []float64{1, 0.9, 0.5, 0.6, 0.3, 0.3}, 0.01, 0, 0, 0},
	{"plucked string", []float64{1, 2, 3, 4, 5, 6, 7, 8}, []float64{1, 0.7, 0.5, 0.35, 0.25, 0.2, 0.15, 0.1}, 0.003, 0.6, 1.2, 0},
	{"bell", []float64{1, 2.76, 5.4, 8.93}, []float64{1, 0.6, 0.35, 0.15}, 0.002, 0.8, 0.4, 0},
	{"bowed string", []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, []float64{1, 0.6, 0.5, 0.4, 0.35, 0.25, 0.2, 0.2, 0.15, 0.1}, 0.09, 0, 0, 0.006},
	{"reed", []float64{1, 3, 5, 7, 9, 11}, []float64{1, 0.7, 0.5, 0.3, 0.2, 0.1}, 0.03, 0, 0, 0.002},
	{"brass", []float64{1, 2, 3, 4, 5, 6, 7}, []float64{0.5, 0.8, 1, 0.9, 0.6, 0.4, 0.2}, 0.05, 1.5, 0.2, 0.003},
	{"flute", []float64{1, 2, 3}, []float64{1, 0.25, 0.06}, 0.06, 0, 0, 0.005},
	{"piano", []float64{1, 2, 3, 4, 5, 6}, []float64{1, 0.5, 0.3, 0.25, 0.12, 0.06}, 0.003, 0.9, 0.5, 0},
}

var scales = [][]int{
	{0, 2, 4, 5, 7, 9, 11}, // major
	{0, 2, 3, 5, 7, 8, 10}, // minor
	{0, 2, 4, 7, 9},        // pentatonic
	{0, 3, 5, 6, 7, 10},    // blues
	{0, 1, 4, 5, 7, 8, 10}, // Phrygian with a major third
}

// genre draws a genre's parameters. They vary around values that all genres share; the argument apart scales this
// variation. The musical scale is drawn at random from a list.
func genre(apart float64, rnd *rand.Rand) Genre {
	z := func() float64 { return apart * truncatedNormal(rnd) }
	g := Genre{
		Tempo:       clamp(100*math.Exp(0.25*z()), 40, 220),
		Scale:       scales[rnd.IntN(len(scales))],
		Instruments: make([]float64, len(timbres)),
		Register:    clamp(7+6*z(), -12, 24),
		Density:     1 / (1 + math.Exp(-0.3-0.9*z())),
		Chords:      0.4 * math.Exp(0.5*z()),
		Percussion:  0.5 * math.Exp(1.2*z()),
		Noise:       0.06 * math.Exp(1.2*z()),
		Slope:       -2 + 2.5*z(),
	}
	sum := 0.0
	for i := range g.Instruments {
		g.Instruments[i] = math.Exp(1.8 * z())
		sum += g.Instruments[i]
	}
	for i := range g.Instruments {
		g.Instruments[i] /= sum
	}
	// The beat that all genres share: kick on 1 and 3, snare on 2 and 4, hat on all beats.
	for k, base := range [3][8]float64{{2, -2, -2, -2, 2, -2, -2, -2}, {-3, -3, 2, -3, -3, -3, 2, -3}, {0, 0, 0, 0, 0, 0, 0, 0}} {
		for i, b := range base {
			g.Drums[k][i] = 1 / (1 + math.Exp(-b-1.2*z()))
		}
	}
	return g
}

// play draws a clip of a genre.
func play(g *Genre, seconds, rate float64, rnd *rand.Rand) Clip {
	odds := distuv.NewCategorical(g.Instruments, rnd)
	c := Clip{
		Samples: make([]float64, int(math.Round(seconds*rate))),
		Tempo:   clamp(g.Tempo*math.Exp(0.12*truncatedNormal(rnd)), 40, 240),
		Key:     rnd.IntN(12),
		Noise:   g.Noise * math.Exp(0.4*truncatedNormal(rnd)),
		Slope:   g.Slope + 0.8*truncatedNormal(rnd),
	}
	for v := range c.Voices {
		c.Voices[v] = int(odds.Rand())
	}
	c.compose(g, seconds, rnd)
	for _, n := range c.Notes {
		n.add(c.Samples, rate, c.Slope, rnd)
	}
	unit(c.Samples)
	drums := make([]float64, len(c.Samples))
	c.drum(drums, g, rate, rnd)
	unit(drums)
	loud := g.Percussion * math.Exp(0.4*truncatedNormal(rnd))
	// A one-pole filter gives the noise the recording's slope at high frequencies.
	low, pole := 0.0, clamp(0.5-0.1*c.Slope, 0, 0.95)
	hiss := make([]float64, len(c.Samples))
	for i := range hiss {
		low = pole*low + rnd.NormFloat64()
		hiss[i] = low
	}
	unit(hiss)
	for i := range c.Samples {
		c.Samples[i] += loud*drums[i] + c.Noise*hiss[i]
	}
	unit(c.Samples)
	return c
}

// compose fills c.Notes with the notes of melody, chords and bass.
func (c *Clip) compose(g *Genre, seconds float64, rnd *rand.Rand) {
	half := 30 / c.Tempo // half a beat in seconds
	register := g.Register + 3*truncatedNormal(rnd)
	chords := g.Chords * math.Exp(0.4*truncatedNormal(rnd))
	density := clamp(g.Density+0.1*truncatedNormal(rnd), 0.1, 1)
	n := len(g.Scale)
	// pitch returns the frequency of a degree of the scale, in the octave nearest to the given frequency in
	// Hz.
	pitch := func(degree int, about float64) float64 {
		semitones := float64(c.Key + g.Scale[((degree%n)+n)%n])
		semitones += 12 * math.Round((about-semitones)/12)
		return 220 * math.Pow(2, semitones/12)
	}
	var voices [3][]Note
	degree, root := rnd.IntN(n), 0
	for step := 0; float64(step)*half < seconds; step++ {
		t := float64(step) * half
		in := step % 8 // position in the bar
		if in == 0 {
			root = rnd.IntN(n)
		}
		if rnd.Float64() < density || step == 0 { // the beginning is never silent
			degree += rnd.IntN(5) - 2
			voices[0] = append(voices[0], Note{t, half * (0.8 + 0.9*rnd.Float64()), pitch(degree, register+float64(degree%n)), c.Voices[0], 0.7 + 0.6*rnd.Float64()})
		}
		if in == 0 || in == 4 {
			for k := range 3 {
				voices[1] = append(voices[1], Note{t, 3.8 * half, pitch(root+2*k, register-8+4*float64(k)), c.Voices[1], chords})
			}
		}
		if in%2 == 0 && (in == 0 || rnd.Float64() < density) {
			voices[2] = append(voices[2], Note{t, 1.8 * half, pitch(root, -20), c.Voices[2], 0.7})
		}
	}
	c.Notes = slices.Concat(voices[0], voices[1], voices[2])
}

// add adds the note to the samples in out. The current value of each partial is a complex number, a phasor, which is
// multiplied by a factor at each sample. The factor sets the frequency and the decay; it is computed anew every 64
// samples.
func (n Note) add(out []float64, rate, slope float64, rnd *rand.Rand) {
	t := timbres[n.Instrument]
	from := int(n.Start * rate)
	to := min(len(out), from+int(n.Seconds*rate))
	release := 0.02 * rate
	for p, r := range t.ratios {
		f := n.Pitch * r
		if f > 0.48*rate {
			continue
		}
		a := n.Loudness * t.amps[p] * math.Pow(10, slope/20*math.Max(0, math.Log2(f/300)))
		fall := t.damp * (r - 1)
		if t.decay > 0 {
			fall += 1 / t.decay
		}
		sin, cos := math.Sincos(2 * math.Pi * rnd.Float64())
		x, y := a*cos, a*sin
		var u, v float64
		for i := from; i < to; i++ {
			if (i-from)%64 == 0 {
				s := float64(i-from) / rate
				w := f * (1 + t.vibrato*math.Sin(2*math.Pi*5.5*s))
				e := math.Exp(-fall / rate)
				v, u = math.Sincos(2 * math.Pi * w / rate)
				u, v = e*u, e*v
			}
			x, y = u*x-v*y, v*x+u*y
			g := min(1, float64(i-from)/(t.attack*rate), float64(to-i)/release)
			out[i] += g * y
		}
	}
}

// drum adds the sounds of kick, snare and hat to out.
func (c *Clip) drum(out []float64, g *Genre, rate float64, rnd *rand.Rand) {
	half := 30 / c.Tempo
	for step := 0; ; step++ {
		from := int(float64(step) * half * rate)
		if from >= len(out) {
			return
		}
		for k := range g.Drums {
			if rnd.Float64() > g.Drums[k][step%8] && (k > 0 || step > 0) { // the first kick is always played
				continue
			}
			length := [...]float64{0.15, 0.12, 0.04}[k] // seconds to decay to e^−5
			before := 0.0
			for i := from; i < min(len(out), from+int(length*rate)); i++ {
				t := float64(i-from) / rate
				e := math.Exp(-5 * t / length)
				x := rnd.NormFloat64()
				switch k {
				case 0: // a tone that falls from 130 to 50 Hz
					out[i] += 2 * e * math.Sin(2*math.Pi*(50*t+80*length/5*(1-e)))
				case 1:
					out[i] += 0.8 * e * (x + math.Sin(2*math.Pi*190*t))
				case 2: // high frequencies only
					out[i] += 0.5 * e * (x - before)
				}
				before = x
			}
		}
	}
}
