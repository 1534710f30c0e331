// Package toolchain lists the versions of Go with which this project has been
// tried.
//
// The interpreter reaches into Go's runtime, which changes with each version: a version newer than those tried
// may fail to link it, with an unhelpful message. So the tried versions are in one place, tried.txt, one per
// line, oldest first. make, CI, the generator in kernel/bind/gen and the doctor command read it. If the
// installed Go is newer, make uses the newest version in the list, and this package does not compile, so that
// 'go build' fails on an identifier that says what to do. CONTRIBUTING.md explains how to add a new version.
package toolchain
