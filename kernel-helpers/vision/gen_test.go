package vision

import (
	"testing"

	"overcomplete/kernel-helpers/internal/avogen/avogentest"
)

// The assembly in the package is what the generator writes.
func TestGenerated(t *testing.T) { avogentest.One(t, "vision", "threshold") }
