package nmf

import (
	"testing"

	"overcomplete/kernel-helpers/internal/avogen/avogentest"
)

// The assembly for arm64 in the package is what the generator writes.
func TestGenerated(t *testing.T) { avogentest.NEON(t, "nmf") }
