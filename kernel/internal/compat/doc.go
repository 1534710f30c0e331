// Package compat contains only a test, which runs the same cells in this kernel and in gophernotes 0.7.5 and
// compares their output.
//
// The folder gophernotes is a module of its own, which fixes the versions of gophernotes and of the toolchain
// that it needs: built with a version of Go that has types.Alias (1.23 and later), it panics when it starts.
// "make gophernotes" builds bin/gophernotes with go1.21.13, which the go command gets as a module. Without
// that program the test is skipped.
package compat
