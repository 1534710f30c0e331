//go:build go1.28 && !untried

package toolchain

// The compiler prints the name. -tags untried builds all the same, to try a new Go.
const _ = this_Go_is_newer_than_those_that_were_tried__run_make_or_set_GOTOOLCHAIN_to_go1_27_0
