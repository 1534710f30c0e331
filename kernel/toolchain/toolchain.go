// Package toolchain lists the versions of Go with which this project has been
// tried.
//
// The interpreter depends on internals of Go's runtime, which change with each version. A version newer than
// the tried ones may fail to link the interpreter, with an unhelpful message. So the tried versions are listed
// in one place, tried.txt, one per line, oldest first. make, CI, the generator in kernel/bind/gen and the
// doctor command read this file.
//
// If the installed Go is newer than the tried versions, make uses the newest version in the list. The command
// go build fails with a newer Go: this package then contains an undefined identifier, whose name says what to
// do. CONTRIBUTING.md explains how to add a new version.
package toolchain

import (
	_ "embed"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

//go:embed tried.txt
var tried string

// Tried returns the versions of Go with which the project has been tried, one for each minor version, oldest
// first. They have the form of GOTOOLCHAIN ("go1.26.8").
func Tried() []string { return strings.Fields(tried) }

// Newest returns the newest tried version.
func Newest() string {
	list := Tried()
	return list[len(list)-1]
}

var minor = regexp.MustCompile(`\bgo1\.(\d+)`)

// Minor returns the minor version of a Go version: 27 for "go1.27.0", "go1.27rc1" and "devel go1.27-abcdef".
// It returns 0 if there is none.
func Minor(version string) int {
	m := minor.FindStringSubmatch(version)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// Current returns the minor version of the Go version that built this program.
func Current() int { return Minor(runtime.Version()) }
