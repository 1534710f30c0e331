package goprogram

import (
	_ "overcomplete/cmd/overcomplete/bindings" // the types of the library
	_ "overcomplete/kernel/internal/bindings"
)
