package lewicki

import (
	"testing"

	"overcomplete/kernel-helpers/ica"
)

func TestRecover(t *testing.T) {
	r := Recover(t.Context(), RecoveryOptions{Seeds: 6, Restarts: &ica.RestartOptions{Starts: 10}})
	if r.Success < 1 || r.MedianWorst > 0.1 {
		t.Errorf("success %g, worst angles %v", r.Success, r.Worst)
	}
	// A trial depends on its seed alone.
	one := Recover(t.Context(), RecoveryOptions{Seeds: 1, First: 3, Restarts: &ica.RestartOptions{Starts: 10}})
	if one.Worst[0] != r.Worst[3] {
		t.Errorf("seed 3 alone: %v, among others: %v", one.Worst[0], r.Worst[3])
	}
}

// TestRecoveryOfSparseSources checks what package ica promises: for 2 mixtures of 3 sources active 30% of the
// time, from random starts, at least 95% of 50 seeds are within 5 degrees.
func TestRecoveryOfSparseSources(t *testing.T) {
	if testing.Short() {
		t.Skip("50 trials")
	}
	r := Recover(t.Context(), RecoveryOptions{})
	if len(r.Worst) != 50 || r.Success < 0.95 {
		t.Errorf("success %g of %d, median worst angle %g", r.Success, len(r.Worst), r.MedianWorst)
	}
}
