package ica

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// A Source is the distribution of one coefficient s. The coefficients of a mixture are drawn independently.
type Source interface {
	// Draw returns one coefficient.
	Draw(rng *rand.Rand) float64
	// LogDensity returns log p(s), or −Inf if the density is 0.
	LogDensity(s float64) float64
	// MeanAbs returns E|s|.
	MeanAbs() float64
	// String returns the name and the parameters of the distribution.
	String() string
}

// Laplacian is the distribution with density exp(−|s|/b)/(2b), where b = Scale (0 means 1).
type Laplacian struct{ Scale float64 }

func scaleOr1(b float64) float64 {
	if b == 0 {
		return 1
	}
	return b
}

// Draw implements Source.
func (l Laplacian) Draw(rng *rand.Rand) float64 {
	v := rng.ExpFloat64() * scaleOr1(l.Scale)
	if rng.Uint64()&1 == 0 {
		return -v
	}
	return v
}

// LogDensity implements Source.
func (l Laplacian) LogDensity(s float64) float64 {
	b := scaleOr1(l.Scale)
	return -math.Abs(s)/b - math.Log(2*b)
}

// MeanAbs implements Source.
func (l Laplacian) MeanAbs() float64 { return scaleOr1(l.Scale) }

// String implements Source.
func (l Laplacian) String() string { return fmt.Sprintf("Laplacian(%g)", scaleOr1(l.Scale)) }

// Exponential is the distribution with density exp(−s/b)/b for s >= 0, where b = Mean (0 means 1).
type Exponential struct{ Mean float64 }

// Draw implements Source.
func (e Exponential) Draw(rng *rand.Rand) float64 { return rng.ExpFloat64() * scaleOr1(e.Mean) }

// LogDensity implements Source.
func (e Exponential) LogDensity(s float64) float64 {
	if s < 0 {
		return math.Inf(-1)
	}
	b := scaleOr1(e.Mean)
	return -s/b - math.Log(b)
}

// MeanAbs implements Source.
func (e Exponential) MeanAbs() float64 { return scaleOr1(e.Mean) }

// String implements Source.
func (e Exponential) String() string { return fmt.Sprintf("exponential(%g)", scaleOr1(e.Mean)) }

// BernoulliLaplacian is the distribution of an s that is 0 with probability 1−P and otherwise
// Laplacian with scale b = Scale (0 means 1).
type BernoulliLaplacian struct {
	P     float64 // probability of being active, in [0, 1]
	Scale float64
}

// Draw implements Source.
func (l BernoulliLaplacian) Draw(rng *rand.Rand) float64 {
	if rng.Float64() >= l.P {
		return 0
	}
	return Laplacian{l.Scale}.Draw(rng)
}

// LogDensity implements Source. The density is with respect to Lebesgue measure plus a point mass at 0. So LogDensity
// returns log(1−P) at 0, and elsewhere log P plus the log density of the Laplacian.
func (l BernoulliLaplacian) LogDensity(s float64) float64 {
	if s == 0 {
		return math.Log1p(-l.P)
	}
	return math.Log(l.P) + Laplacian{l.Scale}.LogDensity(s)
}

// MeanAbs implements Source.
func (l BernoulliLaplacian) MeanAbs() float64 { return l.P * scaleOr1(l.Scale) }

// String implements Source.
func (l BernoulliLaplacian) String() string {
	return fmt.Sprintf("Laplacian(%g), active %g %%", scaleOr1(l.Scale), 100*l.P)
}

// GeneralizedGaussian is the distribution with density proportional to exp(−|s/a|^q), where q = Shape and a = Scale;
// 0 means 1 for both. q = 1 is the Laplacian and q = 2 the Gaussian distribution. With q below 1, the distribution is
// sparser than the Laplacian.
type GeneralizedGaussian struct{ Shape, Scale float64 }

// Draw implements Source: |s/a|^q has a gamma distribution of shape 1/q.
func (g GeneralizedGaussian) Draw(rng *rand.Rand) float64 {
	q := scaleOr1(g.Shape)
	v := scaleOr1(g.Scale) * math.Pow(gamma(1/q, rng), 1/q)
	if rng.Uint64()&1 == 0 {
		return -v
	}
	return v
}

// LogDensity implements Source.
func (g GeneralizedGaussian) LogDensity(s float64) float64 {
	q, a := scaleOr1(g.Shape), scaleOr1(g.Scale)
	lg, _ := math.Lgamma(1 / q)
	return math.Log(q) - math.Log(2*a) - lg - math.Pow(math.Abs(s)/a, q)
}

// MeanAbs implements Source.
func (g GeneralizedGaussian) MeanAbs() float64 {
	q := scaleOr1(g.Shape)
	l2, _ := math.Lgamma(2 / q)
	l1, _ := math.Lgamma(1 / q)
	return scaleOr1(g.Scale) * math.Exp(l2-l1)
}

// String implements Source.
func (g GeneralizedGaussian) String() string {
	return fmt.Sprintf("generalised Gaussian(shape %g, scale %g)", scaleOr1(g.Shape), scaleOr1(g.Scale))
}

// gamma draws from the gamma distribution of shape k and scale 1.
//
// Source: Marsaglia and Tsang, A simple method for generating gamma
// variables, ACM Trans. Math. Softw. 26 (2000).
func gamma(k float64, rng *rand.Rand) float64 {
	if k < 1 {
		return gamma(k+1, rng) * math.Pow(1-rng.Float64(), 1/k)
	}
	d := k - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-rng.Float64()) < 0.5*x*x+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// These streams of random numbers ensure that sources, noise and bases drawn with the same seed are
// independent.
const (
	streamSources = iota + 1
	streamNoise
	streamBasis
	streamPerturb
	streamBatch
	streamStart
	streamFastICA
)

func newRand(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }

// DrawSources returns S, n×p, with independent entries from src.
func DrawSources(src Source, n, p int, seed uint64) *mat.Dense {
	if src == nil {
		panic("ica: DrawSources: src is nil")
	}
	if n <= 0 || p <= 0 {
		panic(fmt.Sprintf("ica: DrawSources: n = %d, p = %d", n, p))
	}
	rng := newRand(seed, streamSources)
	d := make([]float64, n*p)
	// Draw sample by sample, so that the first samples do not depend on p.
	for k := range p {
		for i := range n {
			d[i*p+k] = src.Draw(rng)
		}
	}
	return mat.NewDense(n, p, d)
}
