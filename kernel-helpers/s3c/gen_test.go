package s3c

import (
	"testing"

	"overcomplete/kernel-helpers/internal/avogen/avogentest"
)

// The assembly in the package is what the generator writes.
func TestGenerated(t *testing.T) { avogentest.Current(t, "s3c") }
