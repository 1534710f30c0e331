package features

import (
	"testing"

	"overcomplete/kernel-helpers/internal/avogen/avogentest"
)

// TestGenerated checks that the package's assembly is what the generator writes.
func TestGenerated(t *testing.T) { avogentest.One(t, "features", "decode") }
