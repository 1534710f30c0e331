// Package toolchain knows with which versions of Go this project was tried.
//
// The interpreter reaches into Go's runtime, which changes with each version: a Go
// that is newer than those tried may fail to link it, with a message that helps
// nobody. So what was tried stands in one place, tried.txt, a version a line, oldest
// first; make, CI, the generator of kernel/bind/gen and the doctor read it. make takes the
// newest of them where the Go at hand is newer, and this package does not compile
// there, so that 'go build' fails with a name that says what to do. CONTRIBUTING.md tells
// how a new version comes in.
package toolchain
