package ixengine

// Cells of the tests import the library too.
import (
	_ "overcomplete/cmd/overcomplete/bindings"
	_ "overcomplete/kernel/internal/bindings"
)
