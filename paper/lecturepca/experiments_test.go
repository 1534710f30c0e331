package lecturepca

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/data"
	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/paper/internal/labtest"
	"overcomplete/paper/record"
)

// smokeLab returns a lab in a temporary folder, without real data.
func smokeLab(t *testing.T) *Lab {
	labtest.NoData(t)
	return &Lab{Lab: labtest.Smoke(t, Paper)}
}

func TestSmall(t *testing.T) {
	patience.SkipShort(t, "it runs the lecture's experiments")
	l := smokeLab(t)
	l.Manifold()
	l.Directions()
	l.Sphering()
	l.Example()
	l.Noisy()
	l.RotationStretch()
	if f := l.Forms(); len(f) != 4 {
		t.Errorf("%d forms", len(f))
	}
	l.Regression()
	labtest.Want(t, l.Lab, map[string]record.Verdict{
		"example-eigenvector-1": record.NotReproduced, // the slide's error
		"eigen-unique":          record.NotReproduced, // signs
		"svd-full-v":            record.NotReproduced, // arithmetic
		"noisy-eigenvector":     record.Unknown,
		"noisy-eigenvalue-1":    record.Unknown,
		"noisy-eigenvalue-2":    record.Unknown,
	})
}

func TestFaces(t *testing.T) {
	patience.SkipShort(t, "it decomposes faces")
	l := smokeLab(t)
	l.FaceGallery()
	l.Eigenfaces()
	l.Reconstructions()
	l.Shares()
	l.Identities()
	l.Denoise()
	s := l.Slider()
	if n := len(s.HTML()); n > 1_500_000 {
		t.Errorf("the slider has %d bytes", n)
	}
	l.Solvers()
	labtest.Want(t, l.Lab, map[string]record.Verdict{
		"share-100-lecture":  record.Unknown,
		"share-100-olivetti": record.Unknown,
	})
	for _, r := range l.Rows() {
		if r.ID == "share-100-lecture" && !strings.Contains(r.Reason, "OVERCOMPLETE_DATA") {
			t.Errorf("the reason does not say how to get the faces: %s", r.Reason)
		}
	}
}

// TestOlivetti examines the claim about 100 axes on the real faces, if they are available.
func TestOlivetti(t *testing.T) {
	o, err := olivettiFaces()
	if errors.Is(err, data.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	n, d := o.X.Dims()
	m := fit(t.Context(), o.X, nil)
	if s := m.Explained(kept); n != 400 || d != Side*Side || s < 0.94 || s > 0.97 || o.Data.Generated {
		t.Errorf("%d × %d, %v: a share of %v in %d axes", n, d, o.Data, s, kept)
	}
}

func TestKin(t *testing.T) {
	patience.SkipShort(t, "it runs the lecture's experiments")
	l := smokeLab(t)
	l.Probabilistic()
	l.Autoencoder()
	l.EckartYoung()
	labtest.Want(t, l.Lab, nil)
}

// TestCost checks that times were measured, but not the times themselves, and checks the results that do not
// depend on times.
func TestCost(t *testing.T) {
	l := smokeLab(t)
	l.Cost()
	if r := l.Dual(); len(r) != 3 {
		t.Errorf("%d races", len(r))
	}
	if err := l.Finish(); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, r := range l.Rows() {
		if r.ID == "dual-same-axes" {
			seen++
			if r.Verdict != record.Reproduced {
				t.Errorf("%s: %v", r.ID, r.Measured)
			}
		}
		if strings.HasPrefix(r.ID, "cost-") {
			seen++
			if r.Verdict != record.Unknown {
				t.Errorf("%s: %v on matrices that are too small", r.ID, r.Measured)
			}
		}
	}
	if seen != 5 {
		t.Errorf("%d of 5 rows", seen)
	}
}

func TestMeasureCost(t *testing.T) {
	x := []float64{1, 2, 4, 8}
	if e := powerExponent(x, []float64{3, 24, 192, 1536}); math.Abs(e-3) > 1e-12 {
		t.Errorf("exponent %v", e)
	}
	patience.Try(t, func() string { // on a busy machine a sleep takes longer
		c := measureCost([]int{2, 8, 32}, func(n int) func() {
			return func() { time.Sleep(time.Duration(n) * time.Millisecond) }
		})
		if c.exponent < 0.6 || c.exponent > 1.3 {
			return fmt.Sprintf("sleeping has exponent %v: %v", c.exponent, c.seconds)
		}
		return ""
	})
}

func TestCompletions(t *testing.T) {
	fits, rounded := Completions()
	for _, c := range fits {
		// The eigenvalues, computed in another way.
		X := mat.NewDense(4, 2, nil)
		for i, r := range c.X {
			X.SetRow(i, r[:])
		}
		if c.Centred {
			X = subtractMean(X)
		}
		var svd mat.SVD
		svd.Factorize(X, mat.SVDNone)
		s := svd.Values(nil)
		if math.Abs(s[0]*s[0]-noisyFirst) > noisyFirstErr+1e-9 || math.Abs(s[1]*s[1]-noisySecond) > noisySecondErr+1e-9 {
			t.Errorf("%v has eigenvalues %v and %v", c, s[0]*s[0], s[1]*s[1])
		}
	}
	if len(fits) == 0 || rounded < len(fits) {
		t.Errorf("%d fits, %d with rounding", len(fits), rounded)
	}
	t.Log(fits, rounded)
}

func TestRoll(t *testing.T) {
	X, along, across := roll(200, 1)
	for i := range 200 {
		r := math.Hypot(X.At(i, 0), X.At(i, 2)) // = t
		arc := (r*math.Sqrt(1+r*r) + math.Asinh(r)) / 2
		from := 1.5 * math.Pi
		from = (from*math.Sqrt(1+from*from) + math.Asinh(from)) / 2
		if math.Abs(arc-from-along[i]) > 1e-9 || across[i] != X.At(i, 1) {
			t.Fatalf("point %d is at %v along, want %v", i, arc-from, along[i])
		}
	}
}

// Every experiment ends soon when it is interrupted, and can be run again.
func TestStops(t *testing.T) {
	labtest.NoData(t)
	labtest.Stops(t, smokeLab, nil, nil)
}

// cloud returns n normal points in d dimensions with different variances.
func cloud(n, d int) *mat.Dense {
	rng := rand.New(rand.NewPCG(2, 3))
	X := mat.NewDense(n, d, nil)
	X.Apply(func(_, j int, _ float64) float64 { return rng.NormFloat64() * float64(j+1) }, X)
	return X
}

// The lecture's Σ is not divided by n, so an eigenvalue is n times the variance along its axis.
func TestEigenvalueIsTimesN(t *testing.T) {
	const n, d = 40, 3
	X := cloud(n, d)
	var S mat.SymDense
	for j := range d {
		mean := stat.Mean(mat.Col(nil, j, X), nil)
		for i := range n {
			X.Set(i, j, X.At(i, j)-mean)
		}
	}
	S.SymOuterK(1, X.T())
	eig, err := pca.Eigen(&S, 0)
	if err != nil {
		t.Fatal(err)
	}
	var scores mat.Dense
	scores.Mul(X, eig.Vectors)
	for k, v := range eig.Values {
		if got := n * stat.PopVariance(mat.Col(nil, k, &scores), nil); math.Abs(got-v) > 1e-9*v {
			t.Errorf("axis %d: eigenvalue %.6f, n times the variance %.6f", k, v, got)
		}
	}
}

// W of probabilistic PCA is not unique: a rotation of z leaves the likelihood unchanged. So the notebook's formula
// holds up to a rotation.
func TestProbabilisticUpToRotation(t *testing.T) {
	X := cloud(50, 4)
	p, err := pca.FitProbabilistic(t.Context(), X, 2)
	if err != nil {
		t.Fatal(err)
	}
	sin, cos := math.Sincos(0.7)
	turned := *p
	turned.W = &mat.Dense{}
	turned.W.Mul(p.W, mat.NewDense(2, 2, []float64{cos, -sin, sin, cos}))
	if mat.EqualApprox(turned.W, p.W, 0.1) {
		t.Fatal("W was not turned")
	}
	if a, b := p.LogDensity(X), turned.LogDensity(X); math.Abs(a-b) > 1e-9*math.Abs(a) {
		t.Errorf("log density %.9f, turned %.9f", a, b)
	}
	turned.W.Scale(1.1, turned.W)
	if a, b := p.LogDensity(X), turned.LogDensity(X); !(b < a-1e-3) {
		t.Errorf("log density %.6f, and with a longer W %.6f", a, b)
	}
}
