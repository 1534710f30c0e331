package lecturepca

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/paper/lab"
)

func TestAutoencoderGradient(t *testing.T) {
	X := cloud(30, 6)
	S, err := pca.Scatter(X)
	lab.Check(err)
	S.ScaleSym(1.0/30, S)
	A, B := gaussian(6, 2, 3), gaussian(6, 2, 4)
	loss, dA, dB := AutoencoderLoss(S, A, B)
	// Check against the definition.
	Xc := subtractMean(X)
	var Z, R mat.Dense
	Z.Mul(Xc, A)
	R.Mul(&Z, B.T())
	want := math.Pow(distance(Xc, &R), 2) / 60
	if math.Abs(loss-want) > 1e-12*want {
		t.Errorf("loss %v, by the definition %v", loss, want)
	}
	for name, p := range map[string][2]*mat.Dense{"A": {A, dA}, "B": {B, dB}} {
		for i := range 6 {
			for j := range 2 {
				x := p[0].At(i, j)
				const h = 1e-5
				p[0].Set(i, j, x+h)
				up, _, _ := AutoencoderLoss(S, A, B)
				p[0].Set(i, j, x-h)
				down, _, _ := AutoencoderLoss(S, A, B)
				p[0].Set(i, j, x)
				if fd := (up - down) / (2 * h); math.Abs(fd-p[1].At(i, j)) > 1e-7*(1+math.Abs(fd)) {
					t.Errorf("∂L/∂%s(%d, %d) = %v, by differences %v", name, i, j, p[1].At(i, j), fd)
				}
			}
		}
	}
	// The quartic along a line.
	P, Q := gaussian(6, 2, 5), gaussian(6, 2, 6)
	c := lineQuartic(S, A, B, P, Q)
	for _, s := range []float64{0, 0.3, -1.2, 2} {
		var a, b mat.Dense
		a.Scale(s, P)
		a.Add(&a, A)
		b.Scale(s, Q)
		b.Add(&b, B)
		want, _, _ := AutoencoderLoss(S, &a, &b)
		got := c[0] + s*(c[1]+s*(c[2]+s*(c[3]+s*c[4])))
		if math.Abs(got-want) > 1e-10*(1+want) {
			t.Errorf("at %v the quartic is %v, L %v", s, got, want)
		}
	}
}

func TestAutoencoder(t *testing.T) {
	X := cloud(200, 10)
	k := 3
	m := fit(t.Context(), X, nil)
	ae, err := FitAutoencoder(t.Context(), X, k, &AutoencoderOptions{Reference: mat.DenseCopyOf(m.Components.Slice(0, 10, 0, k))})
	if err != nil {
		t.Fatal(err)
	}
	if ae.Status != ended.Converged {
		t.Errorf("not converged after %d steps, gradient %g", len(ae.History)-1, ae.Gradient)
	}
	best := math.Pow(m.DiscardedLoss(k), 2) / 400
	if ae.Loss < best*(1-1e-10) || ae.Loss > best*(1+1e-8) {
		t.Errorf("loss %v, PCA's %v", ae.Loss, best)
	}
	for i := 1; i < len(ae.History); i++ {
		if ae.History[i] > ae.History[i-1]*(1+1e-12) {
			t.Errorf("step %d raised the loss", i)
		}
	}
	if a := ae.Angle[len(ae.Angle)-1]; a > 1e-4 {
		t.Errorf("the decoder is %g degrees from PCA's subspace", a)
	}
	if a := pca.LargestAngle(ae.A, m.Components.Slice(0, 10, 0, k)); a > 1e-4 {
		t.Errorf("the encoder is %g degrees from PCA's subspace", a)
	}
	// The decoder is another basis of the subspace: its columns are not the axes.
	if e := distance(gram(ae.B), mat.DenseCopyOf(mat.NewDiagDense(k, []float64{1, 1, 1}))); e < 1e-3 {
		t.Error("the decoder's columns are orthonormal: that is not to be expected")
	}
	if e := distance(ae.Inverse(ae.Transform(X)), m.Project(X, k)); e > 1e-5 {
		t.Errorf("outputs differ from PCA's by %g", e)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := FitAutoencoder(ctx, X, k, &AutoencoderOptions{}); err == nil {
		t.Error("a cancelled context gave no error")
	}
}

func near(got, want, tol float64) bool { return math.Abs(got-want) <= tol*math.Abs(want) }

// times returns s·X.
func times(s float64, X mat.Matrix) *mat.Dense {
	var Y mat.Dense
	Y.Scale(s, X)
	return &Y
}

func TestAutoencoderOfAnyScale(t *testing.T) {
	X := gaussian(30, 5, 1)
	one, err := FitAutoencoder(t.Context(), X, 2, nil)
	if err != nil || one.Status != ended.Converged {
		t.Fatal(one, err)
	}
	for _, s := range []float64{1e-150, 1e-100, 1e-8, 1e8, 1e100, 1e150} {
		ae, err := FitAutoencoder(t.Context(), times(s, X), 2, nil)
		if err != nil || ae.Status != ended.Converged {
			t.Errorf("%g: %v", s, err)
			continue
		}
		// Compare with PCA, and with scale 1.
		best := fit(t.Context(), X, nil).DiscardedLoss(2)
		if want := best * best / 60; !near(ae.Loss/s/s, want, 1e-8) || !near(ae.History[0]/s/s, one.History[0], 1e-9) {
			t.Errorf("%g: loss %v s², PCA's %v s²; at the start %v s², at scale 1 %v", s, ae.Loss/s/s, want, ae.History[0]/s/s, one.History[0])
		}
		if g := ae.Gradient / s / s; !(g <= 1e-8) {
			t.Errorf("%g: gradient %v s²", s, g)
		}
		if e := distance(times(1/s, ae.Inverse(ae.Transform(times(s, X)))), one.Inverse(one.Transform(X))); !(e < 1e-6) {
			t.Errorf("%g: outputs differ from scale 1's by %g", s, e)
		}
	}
	for s, want := range map[float64]string{1e-170: "underflow", 1e170: "overflow"} {
		if _, err := FitAutoencoder(t.Context(), times(s, X), 2, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%g: %v", s, err)
		}
	}
}

// A few steps are not enough: the error says so, and the network so far is usable.
func TestAutoencoderNotConverged(t *testing.T) {
	ae, err := FitAutoencoder(t.Context(), gaussian(60, 5, 8), 2, &AutoencoderOptions{MaxIterations: 3})
	if !errors.Is(err, ended.ErrNotConverged) || ae == nil || ae.Status != ended.IterationLimit || len(ae.History) != 4 || !(ae.Loss < ae.History[0]) {
		t.Fatal(ae, err)
	}
}

func TestAutoencoderRefuses(t *testing.T) {
	X := gaussian(10, 3, 1)
	for want, f := range map[string]func() (*LinearAutoencoder, error){
		"k is 0, must be from 1 to 3": func() (*LinearAutoencoder, error) { return FitAutoencoder(t.Context(), X, 0, nil) },
		"k is 4, must be from 1 to 3": func() (*LinearAutoencoder, error) { return FitAutoencoder(t.Context(), X, 4, nil) },
		"-1 steps": func() (*LinearAutoencoder, error) {
			return FitAutoencoder(t.Context(), X, 1, &AutoencoderOptions{MaxIterations: -1})
		},
		"the reference is 2×1": func() (*LinearAutoencoder, error) {
			return FitAutoencoder(t.Context(), X, 1, &AutoencoderOptions{Reference: gaussian(2, 1, 1)})
		},
		"no variance": func() (*LinearAutoencoder, error) {
			return FitAutoencoder(t.Context(), mat.NewDense(3, 2, nil), 1, nil)
		},
		"X is nil": func() (*LinearAutoencoder, error) { return FitAutoencoder(t.Context(), nil, 1, nil) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
