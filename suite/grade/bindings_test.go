package grade

// The tests' cells import the library too.
import _ "overcomplete/cmd/overcomplete/bindings"
