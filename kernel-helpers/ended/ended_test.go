package ended

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestString(t *testing.T) {
	seen := map[string]bool{}
	for s := Unknown; s <= Failed; s++ {
		if w := s.String(); w == "" || w != strings.ToLower(w) || strings.Contains(w, "Status") || seen[w] {
			t.Errorf("%d is %q", int(s), w)
		} else {
			seen[w] = true
		}
	}
	for s, want := range map[Status]string{
		Converged: "converged", Done: "done", Diverged: "diverged", IterationLimit: "iteration limit",
		Interrupted: "interrupted", Failed: "failed", Failed + 1: "Status(16)", -1: "Status(-1)",
	} {
		if s.String() != want {
			t.Errorf("%d is %q, want %q", int(s), s, want)
		}
	}
}

// TestOrder checks that the maximum of several statuses is the worst status.
func TestOrder(t *testing.T) {
	if max(Converged, IterationLimit, NoProgress) != IterationLimit || max(Converged, Interrupted, IterationLimit) != Interrupted || max(Converged, NoProgress) != NoProgress {
		t.Error("max is not the worst")
	}
}

// TestNotConverged checks that every package reports missing convergence with the same error.
func TestNotConverged(t *testing.T) {
	if err := fmt.Errorf("pursuit: Lasso: 1 of 2 signals: %w", ErrNotConverged); !errors.Is(err, ErrNotConverged) || err.Error() != "pursuit: Lasso: 1 of 2 signals: not converged" {
		t.Error(err)
	}
}

// TestAccept checks that Accept drops only missing convergence, not an interruption.
func TestAccept(t *testing.T) {
	other := errors.New("nmf: A(2, 1) is NaN")
	for _, c := range []struct{ err, want error }{
		{nil, nil},
		{ErrNotConverged, nil},
		{fmt.Errorf("nmf: Fit: %w", ErrNotConverged), nil},
		{other, other},
		{context.Canceled, context.Canceled},
	} {
		if got := Accept(c.err); got != c.want {
			t.Errorf("of %v: %v", c.err, got)
		}
	}
}

func TestMissed(t *testing.T) {
	if err := Missed("a: F", "models", []Status{Converged, Settled, Stopped}); err != nil {
		t.Errorf("none was missed, and the error is %v", err)
	}
	err := Missed("a: F", "models", []Status{NoProgress, Converged, IterationLimit, NoProgress})
	if !errors.Is(err, ErrNotConverged) || err.Error() != "a: F: not converged: 3 of 4 models, iteration limit" {
		t.Errorf("the error is %v", err)
	}
}
