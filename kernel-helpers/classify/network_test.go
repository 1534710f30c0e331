package classify

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
)

func TestNetworkGradient(t *testing.T) {
	X, y := blobs(23, 4, 3, 1, 1)
	for _, act := range []Activation{Tanh, ReLU} {
		m := NewNetwork(4, 7, 3, act, 5)
		for j := range m.B1 {
			m.B1[j] = 0.1 * float64(j%3)
		}
		f := func() float64 { f, _ := m.Gradient(X, y, 0.2); return f }
		_, g := m.Gradient(X, y, 0.2)
		grads := g.parameters()
		for p, theta := range m.parameters() {
			for j := range theta {
				near(t, fmt.Sprintf("activation %d, parameter %d %d", act, p, j), grads[p][j], derivative(&theta[j], f), 1e-7)
			}
		}
		loss, dX := m.InputGradient(X, y)
		plain, _ := m.Gradient(X, y, 0)
		near(t, "loss", loss, plain, 1e-14)
		for i := range 23 {
			for j := range 4 {
				near(t, "dX", dX.At(i, j), derivative(&X.RawRowView(i)[j], func() float64 { f, _ := m.Gradient(X, y, 0); return f }), 1e-7)
			}
		}
	}
}

// TestNetworkXOR checks that a network learns XOR, which no linear machine can.
func TestNetworkXOR(t *testing.T) {
	X := random(400, 2, 1, 8)
	y := make([]int, 400)
	for i := range y {
		if X.At(i, 0)*X.At(i, 1) > 0 {
			y[i] = 1
		}
	}
	linear, err := FitMaxent(t.Context(), X, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a := Accuracy(linear.Predict(X), y); a > 0.65 {
		t.Errorf("a linear machine has accuracy %v", a)
	}
	for _, o := range []NetworkOptions{{Activation: Tanh, Rate: 0.01}, {Rate: 0.01}, {SGD: true}, {SGD: true, Activation: Tanh, Rate: 0.1}} {
		o.Hidden, o.Batch, o.Epochs, o.Patience, o.Seed = 20, 20, 100, 30, 2
		m, err := FitNetwork(t.Context(), X, y, &o)
		if err != nil {
			t.Fatal(err)
		}
		if a := Accuracy(m.Predict(X), y); a < 0.95 {
			t.Errorf("%+v: accuracy %v after %d epochs", o, a, m.Epochs)
		}
		if len(m.Validation) != m.Epochs || len(m.History) != m.Epochs || m.Best < 1 || m.Best > m.Epochs {
			t.Errorf("best %d of %d epochs", m.Best, m.Epochs)
		}
		for _, e := range m.Validation {
			if e < m.Validation[m.Best-1] {
				t.Errorf("epoch %d is not the best", m.Best)
			}
		}
		again, err := FitNetwork(t.Context(), X, y, &o)
		if err != nil || !mat.Equal(again.W1, m.W1) || !mat.Equal(again.W2, m.W2) {
			t.Error("the same seed gave another network")
		}
	}
}

func TestNetworkEnds(t *testing.T) {
	X, y := blobs(60, 3, 2, 1, 1)
	V, vy := blobs(30, 3, 2, 1, 2)
	m, err := FitNetwork(t.Context(), X, y, &NetworkOptions{ValidX: V, ValidY: vy, Patience: 3, Epochs: 500, Rate: 0.01})
	if err != nil || m.Status != ended.EarlyStop || m.Epochs != m.Best+3 {
		t.Errorf("%v, %v, best %d of %d", err, m.Status, m.Best, m.Epochs)
	}
	// Fit must keep the weights with the lowest validation error.
	near(t, "validation error", ErrorRate(m.Predict(V), vy), m.Validation[m.Best-1], 0)
	m, err = FitNetwork(t.Context(), X, y, &NetworkOptions{NoValidation: true, Epochs: 7})
	if err != nil || m.Status != ended.Done || m.Best != 7 || len(m.Validation) != 0 {
		t.Errorf("%v, %v, best %d", err, m.Status, m.Best)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = FitNetwork(ctx, X, y, &NetworkOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err = FitNetwork(t.Context(), X, y, &NetworkOptions{SGD: true, Rate: 1e200, NoValidation: true}); err == nil {
		t.Error("divergence passed over")
	}
	if _, err = FitNetwork(t.Context(), X, y, &NetworkOptions{Momentum: 1}); err == nil {
		t.Error("momentum 1 accepted")
	}
}
