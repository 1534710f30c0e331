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

// Tried returns the versions that all of this was tried with, as GOTOOLCHAIN takes
// them ("go1.26.8"), oldest first, one for each minor version.
func Tried() []string { return strings.Fields(tried) }

// Newest returns the newest of Tried.
func Newest() string {
	list := Tried()
	return list[len(list)-1]
}

var minor = regexp.MustCompile(`\bgo1\.(\d+)`)

// Minor is 27 for "go1.27.0", "go1.27rc1" and "devel go1.27-abcdef", 0 for what
// names no version.
func Minor(version string) int {
	m := minor.FindStringSubmatch(version)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// Current returns the minor version of the Go that this program was built with.
func Current() int { return Minor(runtime.Version()) }
