package lecturesparse

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/pursuit"
	"overcomplete/paper/internal/labtest"
	"overcomplete/paper/record"
)

// smokeLab returns a lab in a temporary folder, without real data.
func smokeLab(t *testing.T) *Lab {
	labtest.NoData(t)
	return &Lab{Lab: labtest.Smoke(t, Paper)}
}

func TestRecovery(t *testing.T) {
	l := smokeLab(t)
	l.Rates()
	l.Coherence()
	l.Transition()
	labtest.Want(t, l.Lab, nil)
}

// On generated images the claim about natural ones is not examined.
func TestGabors(t *testing.T) {
	l := smokeLab(t)
	l.Gabors()
	labtest.Want(t, l.Lab, map[string]record.Verdict{
		"atoms-localized": record.Unknown, "atoms-oriented": record.Unknown,
		"atoms-bandpass": record.Unknown, "atoms-gabor": record.Unknown,
	})
}

func TestUnrolled(t *testing.T) {
	patience.SkipShort(t, "it trains unrolled steps")
	l := smokeLab(t)
	l.Unrolled()
	labtest.Want(t, l.Lab, nil)
}

func TestFeatures(t *testing.T) {
	patience.SkipShort(t, "it learns features")
	l := smokeLab(t)
	l.Features()
	labtest.Want(t, l.Lab, map[string]record.Verdict{
		"features-found": record.NotReproduced, // training is too short for 90 %
	})
}

func TestSuperposition(t *testing.T) {
	patience.SkipShort(t, "it trains for each sparsity")
	l := smokeLab(t)
	l.Superposition()
	l.Phases()
	labtest.Want(t, l.Lab, nil)
}

// The end of the path agrees with basis pursuit by linear programming: both find the same vectors.
func TestPursued(t *testing.T) {
	l := smokeLab(t)
	rng := rand.New(rand.NewPCG(1, 7))
	const d, n, draws = 12, 24, 20
	B := gaussian(rng, d, n)
	W := mat.NewDense(n, draws, nil)
	for j := range draws {
		W.SetCol(j, sparseVector(rng, n, 1+j/3).RawVector().Data)
	}
	found1 := l.pursue(B, W)
	yes := 0
	for j := range draws {
		var x mat.VecDense
		x.MulVec(B, W.ColView(j))
		r, err := pursuit.BasisPursuit(t.Context(), B, x.RawVector().Data, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := isFound(mat.NewVecDense(n, r.S), W.ColView(j)); found1[j] != want {
			t.Errorf("vector %d: %v, linear program %v", j, found1[j], want)
		}
		if found1[j] {
			yes++
		}
	}
	if yes == 0 || yes == draws {
		t.Errorf("%d of %d found: this compares nothing", yes, draws)
	}
}

// The atoms of spikes and waves have unit length, and both halves are orthonormal.
func TestSpikesAndWaves(t *testing.T) {
	const d = 16
	var G mat.Dense
	B := spikesAndWaves(d)
	G.Mul(B.T(), B)
	for i := range 2 * d {
		for j := range 2 * d {
			want := 0.0
			if i == j {
				want = 1
			} else if (i < d) != (j < d) {
				want = 1 / math.Sqrt(d)
			}
			if math.Abs(math.Abs(G.At(i, j))-want) > 1e-15 {
				t.Fatalf("atoms %d and %d: product %v", i, j, G.At(i, j))
			}
		}
	}
}

// The filter scales a wave by the factor of its formula.
func TestWhiten(t *testing.T) {
	const size, cycles = 32, 4
	im := mat.NewDense(size, size, nil)
	im.Apply(func(_, j int, _ float64) float64 { return 5 + math.Cos(2*math.Pi*cycles*float64(j)/size) }, im)
	out := whiten(im)
	f := float64(cycles) / size
	gain := f * math.Exp(-math.Pow(f/cutoff, 4))
	for _, j := range []int{0, 3, 9} {
		if want := gain * math.Cos(2*math.Pi*cycles*float64(j)/size) * size * size; math.Abs(out.At(7, j)-want) > 1e-9 {
			t.Errorf("pixel %d: %v, want %v", j, out.At(7, j), want)
		}
	}
}

func TestPatches(t *testing.T) {
	l := smokeLab(t)
	p := l.Patches()
	if r, _ := p.X.Dims(); r != p.Side*p.Side || !p.Data.Generated {
		t.Errorf("%d values, %v", r, p.Data)
	}
	if sd := stat.StdDev(p.X.RawMatrix().Data, nil); math.Abs(sd-1) > 1e-12 {
		t.Errorf("standard deviation %v", sd)
	}
}

// Every experiment ends soon when it is interrupted, and can be run again.
func TestStops(t *testing.T) {
	labtest.NoData(t)
	labtest.Stops(t, smokeLab, nil, nil)
}
