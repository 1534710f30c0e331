package synth

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// The kinds of sources that Mixtures mixes.
const (
	SourceSpeech = "speech" // Speech
	SourceTones  = "tones"  // a melody of plucked notes
	SourceNoise  = "noise"  // white Gaussian noise
)

// MixturesOptions configures Mixtures.
type MixturesOptions struct {
	Sources int // k, 1 to 64; 0 means 3, or the number that Kinds or Matrix requires
	Sensors int // m, 1 to 64; 0 means 2, or the number that Matrix requires
	// Kinds holds the kind of each source; nil means that all are SourceSpeech.
	Kinds []string
	// Matrix is the mixing matrix A, m × k, used unchanged; nil means see Mixture.A.
	Matrix *mat.Dense
	// Noise is the root mean square of the noise over all sensors, relative to the root mean square of A S; 0 means
	// none. The noise is white and Gaussian, with the same strength in every sensor.
	Noise   float64
	Rate    float64 // samples per second, 4000 to 200,000; 0 means 8000
	Seconds float64 // 0: 10
	Seed    uint64
}

// A Mixture holds X = A S + E, together with A, S and E. Each column of X, S and E is one sample in time.
type Mixture struct {
	X *mat.Dense // m × n: the sensor signals
	// A is m × k. If the options do not give A, its columns have norm 1. For two sensors, column j is (cos φ,
	// sin φ) with φ = (j+½)π/k. For one sensor, all entries are 1. For more sensors, columns are uniform on
	// the sphere, redrawn until no two columns have a cosine beyond ±0.9.
	A *mat.Dense
	S *mat.Dense // k × n: the sources, each with a root mean square of 1
	E *mat.Dense // m × n: the noise

	Rate   float64  // samples per second
	Kinds  []string // kind of each source
	Sounds []*Sound // ground truth of each speech source; nil for other sources
}

// Mixtures mixes sounds; see the package comment. The same options give the same mixture.
func Mixtures(opt MixturesOptions) (*Mixture, error) {
	opt, err := opt.complete()
	if err != nil {
		return nil, err
	}
	k, m := opt.Sources, opt.Sensors
	x := &Mixture{Rate: opt.Rate, Kinds: slices.Clone(opt.Kinds), Sounds: make([]*Sound, k)}
	n := int(math.Round(opt.Rate * opt.Seconds))
	if x.A, err = directions(opt); err != nil {
		return nil, err
	}
	x.S = mat.NewDense(k, n, nil)
	failed := make([]error, k)
	forEach(context.Background(), "Mixtures", k, func(j int) {
		rnd := random(opt.Seed, streamSources, j)
		s := x.S.RawRowView(j)
		switch opt.Kinds[j] {
		case SourceSpeech:
			x.Sounds[j], failed[j] = Speech(Options{Rate: opt.Rate, Seconds: opt.Seconds, Seed: rnd.Uint64()})
			if failed[j] == nil {
				copy(s, x.Sounds[j].Samples)
			}
		case SourceTones:
			melody(s, opt.Rate, rnd)
		case SourceNoise:
			for i := range s {
				s[i] = rnd.NormFloat64()
			}
		}
		if failed[j] == nil {
			unit(s)
		}
	})
	for j, err := range failed {
		if err != nil {
			return nil, fmt.Errorf("synth: Mixtures: source %d: %w", j, err)
		}
	}
	x.X = mat.NewDense(m, n, nil)
	x.X.Mul(x.A, x.S) // m × n = (m × k)(k × n)
	x.E = mat.NewDense(m, n, nil)
	if opt.Noise > 0 {
		strength := opt.Noise * mat.Norm(x.X, 2) / math.Sqrt(float64(m*n))
		for i := range m {
			rnd := random(opt.Seed, streamNoise, i)
			e := x.E.RawRowView(i)
			for t := range e {
				e[t] = rnd.NormFloat64()
			}
			unit(e)
			for t := range e {
				e[t] *= strength
			}
		}
		x.X.Add(x.X, x.E)
	}
	return x, nil
}

// complete fills in the defaults and returns an error for impossible options.
func (o MixturesOptions) complete() (MixturesOptions, error) {
	if o.Rate == 0 {
		o.Rate = 8000
	}
	if o.Seconds == 0 {
		o.Seconds = 10
	}
	rows, columns := 0, 0
	if o.Matrix != nil {
		rows, columns = o.Matrix.Dims()
	}
	for _, v := range []int{columns, len(o.Kinds), 3} {
		if o.Sources == 0 {
			o.Sources = v
		}
	}
	for _, v := range []int{rows, 2} {
		if o.Sensors == 0 {
			o.Sensors = v
		}
	}
	fail := func(format string, a ...any) (MixturesOptions, error) {
		return o, fmt.Errorf("synth: Mixtures: "+format, a...)
	}
	switch {
	case o.Sources < 1 || o.Sources > 64 || o.Sensors < 1 || o.Sensors > 64:
		return fail("%d sources in %d sensors, must be 1 to 64 of each", o.Sources, o.Sensors)
	case o.Kinds != nil && len(o.Kinds) != o.Sources:
		return fail("%d kinds for %d sources", len(o.Kinds), o.Sources)
	case o.Matrix != nil && (rows != o.Sensors || columns != o.Sources):
		return fail("a matrix of %d × %d for %d sensors and %d sources", rows, columns, o.Sensors, o.Sources)
	case !(o.Noise >= 0 && o.Noise <= 1e6):
		return fail("noise %v, must be from 0 to a million", o.Noise)
	case !(o.Rate >= 4000 && o.Rate <= 200_000) || !(o.Seconds*o.Rate >= 2) || o.Seconds > 3600:
		return fail("%v samples per second for %v seconds", o.Rate, o.Seconds)
	case o.Rate*o.Seconds*float64(2*o.Sensors+2*o.Sources) > maxValues:
		return fail("%d sources in %d sensors for %v seconds at %v samples per second are more than %d numbers", o.Sources, o.Sensors, o.Seconds, o.Rate, maxValues)
	}
	if o.Kinds == nil {
		o.Kinds = slices.Repeat([]string{SourceSpeech}, o.Sources)
	}
	for j, kind := range o.Kinds {
		if kind != SourceSpeech && kind != SourceTones && kind != SourceNoise {
			return fail("source %d is of the unknown kind %q", j, kind)
		}
	}
	return o, nil
}

// directions returns a copy of opt.Matrix. If opt.Matrix is nil, it returns a mixing matrix (m × k) as described at
// Mixture.A.
func directions(opt MixturesOptions) (*mat.Dense, error) {
	m, k := opt.Sensors, opt.Sources
	A := mat.NewDense(m, k, nil)
	if opt.Matrix != nil {
		for i := range m {
			for j := range k {
				v := opt.Matrix.At(i, j)
				if !finite.Is(v) {
					return nil, fmt.Errorf("synth: Mixtures: entry %d, %d of the matrix is %v", i, j, v)
				}
				A.Set(i, j, v)
			}
		}
		return A, nil
	}
	rnd := random(opt.Seed, streamMatrix, 0)
	for j := range k {
		for try := 0; ; try++ {
			if try == 10_000 {
				return nil, fmt.Errorf("synth: Mixtures: no room for %d directions in %d dimensions", k, m)
			}
			a := direction(m, j, k, rnd)
			if m > 2 && isTooClose(A, a, j) {
				continue
			}
			A.SetCol(j, a)
			break
		}
	}
	return A, nil
}

// direction returns column j (of k columns) of the mixing matrix: a vector of norm 1 in m dimensions.
func direction(m, j, k int, rnd *rand.Rand) []float64 {
	switch m {
	case 1:
		return []float64{1}
	case 2:
		sin, cos := math.Sincos((float64(j) + 0.5) * math.Pi / float64(k))
		return []float64{cos, sin}
	}
	a := make([]float64, m)
	norm := 0.0
	for i := range a {
		a[i] = rnd.NormFloat64()
		norm = math.Hypot(norm, a[i])
	}
	for i := range a {
		a[i] /= norm
	}
	return a
}

// isTooClose reports whether the cosine between the vector a and any of the first j columns of A is above 0.9 in
// absolute value. All these vectors have norm 1.
func isTooClose(A *mat.Dense, a []float64, j int) bool {
	for c := range j {
		dot := 0.0
		for i, v := range a {
			dot += v * A.At(i, c)
		}
		if math.Abs(dot) > 0.9 {
			return true
		}
	}
	return false
}

// melody fills s with notes of a pentatonic scale on 220 Hz over two octaves,
// 0.12 to 0.5 s each. A note has four harmonics of amplitude 1/h², rises within
// 10 ms and decays with a time constant of 0.25 s.
func melody(s []float64, rate float64, rnd *rand.Rand) {
	steps := [...]float64{0, 2, 4, 7, 9, 12, 14, 16, 19, 21, 24} // semitones
	for at := 0; at < len(s); {
		f := 220 * math.Pow(2, steps[rnd.IntN(len(steps))]/12)
		end := min(len(s), at+int(rate*(0.12+0.38*rnd.Float64())))
		loud := 0.5 + 0.5*rnd.Float64()
		for i := at; i < end; i++ {
			t := float64(i-at) / rate
			up := 0.5 - 0.5*math.Cos(math.Pi*min(1, t/0.01))
			down := min(1, float64(end-i)/(0.005*rate)) // avoids a click at the end
			for h := 1.0; h <= 4 && h*f < 0.48*rate; h++ {
				s[i] += loud * up * down * math.Exp(-t/0.25) / (h * h) * math.Sin(2*math.Pi*h*f*t)
			}
		}
		at = end
	}
}

// unit scales v to a root mean square of 1, unless all values are 0.
func unit(v []float64) {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	if sum == 0 {
		return
	}
	scale := 1 / math.Sqrt(sum/float64(len(v)))
	for i := range v {
		v[i] *= scale
	}
}
