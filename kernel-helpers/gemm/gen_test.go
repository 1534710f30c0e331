package gemm

import (
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/internal/avogen/avogentest"
)

// TestGenerated checks that the package's assembly is what the generator writes.
func TestGenerated(t *testing.T) {
	if patience.RaceDetector {
		t.Skip("the same without the race detector")
	}
	avogentest.Current(t, "gemm")
}
