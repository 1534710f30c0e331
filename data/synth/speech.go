package synth

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// The kinds of segments.
const (
	Voiced   = "voiced"
	Unvoiced = "unvoiced"
	Silence  = "silence"
)

// A Segment is the ground truth for one part of a sound.
type Segment struct {
	Kind       string
	Start, End int           // samples [Start, End)
	Pitch      [2]float64    // Hz at the beginning and at the end, 0 unless voiced
	Formants   [2][3]float64 // Hz at the beginning and at the end; an unvoiced segment uses only [0][0]
	Gain       float64       // before the whole sound was scaled
	Modulation float64       // Hz
}

// A Sound is a generated signal and its ground truth.
type Sound struct {
	Samples  []float64 // root mean square 1
	Rate     float64   // samples per second
	Segments []Segment
}

// Options configures Speech.
type Options struct {
	Rate    float64 // samples per second, at least 4000; 0 means 8000
	Seconds float64 // 0: 10
	Seed    uint64
}

// vowels holds approximate formants of some vowels, in Hz (after G. Peterson, H. Barney, "Control methods
// used in a study of the vowels", 1952).
var vowels = [][3]float64{
	{270, 2290, 3010}, {390, 1990, 2550}, {530, 1840, 2480}, {660, 1720, 2410},
	{730, 1090, 2440}, {570, 840, 2410}, {300, 870, 2240}, {490, 1350, 1690},
}

// Speech generates a speech-like sound; see the package comment for its components. The same options give the
// same samples.
func Speech(opt Options) (*Sound, error) {
	if opt.Rate == 0 {
		opt.Rate = 8000
	}
	if opt.Seconds == 0 {
		opt.Seconds = 10
	}
	if !(opt.Rate >= 4000) || opt.Rate > 200_000 || !(opt.Seconds > 0) || opt.Seconds > 3600 {
		return nil, fmt.Errorf("synth: Speech: %v samples per second for %v seconds", opt.Rate, opt.Seconds)
	}
	n := int(math.Round(opt.Rate * opt.Seconds))
	if n < 2 || n > maxValues {
		return nil, fmt.Errorf("synth: Speech: %v seconds are %d samples, must be 2 to %d", opt.Seconds, n, maxValues)
	}
	rnd := rand.New(rand.NewPCG(opt.Seed, 0x5beec4))
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rnd.Float64() }
	s := &Sound{Samples: make([]float64, n), Rate: opt.Rate}
	for at := 0; at < n; {
		g := Segment{Start: at, Gain: math.Pow(10, between(-0.5, 0)), Modulation: between(2, 6)}
		var seconds float64
		switch u := rnd.Float64(); {
		case u < 0.6 || at == 0: // a sound never begins with silence, so its mean square is not 0
			g.Kind, seconds = Voiced, between(0.08, 0.35)
			g.Pitch[0] = between(90, 220)
			g.Pitch[1] = math.Min(220, math.Max(90, g.Pitch[0]*between(0.8, 1.2)))
			g.Formants = [2][3]float64{vowels[rnd.IntN(len(vowels))], vowels[rnd.IntN(len(vowels))]}
		case u < 0.85:
			g.Kind, seconds = Unvoiced, between(0.04, 0.15)
			g.Formants[0][0] = between(math.Min(1800, 0.4*opt.Rate), 0.45*opt.Rate)
			g.Gain *= 0.4
		default:
			g.Kind, seconds = Silence, between(0.03, 0.2)
			g.Gain, g.Modulation = 1e-3, 0
		}
		g.End = min(n, at+max(1, int(seconds*opt.Rate)))
		fill(s.Samples[g.Start:g.End], g, opt.Rate, rnd)
		s.Segments = append(s.Segments, g)
		at = g.End
	}
	sq := 0.0
	for _, v := range s.Samples {
		sq += v * v
	}
	scale := 1 / math.Sqrt(sq/float64(n))
	if math.IsInf(scale, 0) {
		return nil, errors.New("synth: Speech: the sound is silent; ask for more seconds")
	}
	for i := range s.Samples {
		s.Samples[i] *= scale
	}
	return s, nil
}

// fill writes the sound of segment g to the slice out, with a root mean square of g.Gain before the fades and the
// modulation are applied.
func fill(out []float64, g Segment, rate float64, rnd *rand.Rand) {
	n := len(out)
	switch g.Kind {
	case Voiced:
		phase := make([]float64, int(rate/2/math.Min(g.Pitch[0], g.Pitch[1]))+1)
		for h := range phase {
			phase[h] = 2 * math.Pi * rnd.Float64()
		}
		amp := make([]float64, len(phase))
		turn := 0.0 // phase of the fundamental, in radians
		for i := range out {
			u := float64(i) / float64(n)
			t := float64(i) / rate
			f0 := (g.Pitch[0] + u*(g.Pitch[1]-g.Pitch[0])) * (1 + 0.01*math.Sin(2*math.Pi*5*t))
			turn += 2 * math.Pi * f0 / rate
			if i%32 == 0 { // formants move slowly, so their gains are constant for 32 samples
				for h := range amp {
					f := float64(h+1) * f0
					amp[h] = 0
					if f < 0.48*rate {
						amp[h] = 1 / float64(h+1)
						for k := range 3 {
							F := g.Formants[0][k] + u*(g.Formants[1][k]-g.Formants[0][k])
							B, r := 60+F/20, f/F
							amp[h] /= math.Hypot(1-r*r, r*B/F)
						}
					}
				}
			}
			for h, a := range amp {
				if a != 0 {
					out[i] += a * math.Sin(float64(h+1)*turn+phase[h])
				}
			}
		}
	case Unvoiced:
		// A resonance with poles at radius 0.85.
		a1, a2 := 2*0.85*math.Cos(2*math.Pi*g.Formants[0][0]/rate), -0.85*0.85
		y1, y2 := 0.0, 0.0
		for i := range out {
			y := rnd.NormFloat64() + a1*y1 + a2*y2
			out[i], y1, y2 = y, y, y1
		}
	default:
		for i := range out {
			out[i] = rnd.NormFloat64()
		}
	}
	sq := 0.0
	for _, v := range out {
		sq += v * v
	}
	scale := 0.0
	if sq > 0 {
		scale = g.Gain / math.Sqrt(sq/float64(n))
	}
	edge := min(0.015*rate, float64(n)/2)
	start := 2 * math.Pi * rnd.Float64()
	for i := range out {
		e := scale
		if g.Kind != Silence {
			if d := math.Min(float64(i)+0.5, float64(n-i)-0.5); d < edge {
				e *= 0.5 - 0.5*math.Cos(math.Pi*d/edge)
			}
			e *= 1 + 0.4*math.Sin(2*math.Pi*g.Modulation*float64(i)/rate+start)
		}
		out[i] *= e
	}
}
