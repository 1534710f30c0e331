package lecturepca

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/internal/patience"
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
