// Package compat contains only a test, which runs the same cells in this kernel and in gophernotes 0.7.5 and
// compares their output.
//
// The folder gophernotes is a separate module, which pins the versions of gophernotes and of the toolchain.
// If gophernotes is built with a version of Go that has types.Alias (1.23 and later), it panics when it
// starts. "make gophernotes" builds bin/gophernotes with go1.21.13, which the go command downloads as a
// module. The test is skipped if that program is missing.
package compat
