package insight_test

// The tests' cells import the library too.
import (
	_ "overcomplete/cmd/overcomplete/bindings"
	_ "overcomplete/kernel/internal/bindings"
)
