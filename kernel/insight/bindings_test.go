package insight_test

// The cells of the tests also import the library.
import (
	_ "overcomplete/cmd/overcomplete/bindings"
	_ "overcomplete/kernel/internal/bindings"
)
