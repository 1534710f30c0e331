// Package toolchain lists the versions of Go with which this project has been
// tried.
//
// The interpreter depends on internals of Go's runtime, which change with each version. A version newer than
// the tried ones may fail to link the interpreter, with an unhelpful message. So the tried versions are listed
// in one place, tried.txt, one per line, oldest first. make, CI, the generator in kernel/bind/gen and the
// doctor command read this file.
//
// If the installed Go is newer than the tried versions, make uses the newest version in the list. The command
// go build fails with such a Go: this package then contains an undefined identifier, whose name says what to
// do. CONTRIBUTING.md explains how to add a new version.
package toolchain
