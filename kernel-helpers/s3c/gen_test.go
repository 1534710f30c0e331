package s3c

import (
	"testing"

	"overcomplete/kernel-helpers/internal/avogen/avogentest"
)

// The package's assembly equals the generator's output.
func TestGenerated(t *testing.T) { avogentest.Current(t, "s3c") }
