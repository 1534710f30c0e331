package nnls

import (
	"testing"

	"overcomplete/kernel-helpers/internal/avogen/avogentest"
)

// The package's arm64 assembly equals the generator's output.
func TestGenerated(t *testing.T) { avogentest.NEON(t, "nnls") }
