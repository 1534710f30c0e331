package jupyter

// The cells of the tests also import the library.
import _ "overcomplete/cmd/overcomplete/bindings"
