//go:build go1.28 && !untried

package toolchain

// The compiler's error message contains this name. The build tag untried skips this check, in order to try a
// new version of Go.
const _ = this_Go_is_newer_than_those_that_were_tried__run_make_or_set_GOTOOLCHAIN_to_go1_27_0
