package engine

import (
	"context"
	"regexp"
)

// A Tester runs functions of cells under package testing.
type Tester interface {
	// Test calls the function run as Call does. Before run hands a function of a cell to package testing, it
	// must wrap that function by calling the function guard, which returns a function of the same type. A
	// panic of a guarded function only fails the test, and a guarded function stops when the cell is stopped.
	// Subtests, cleanups, fuzz targets and bodies of parallel benchmarks are guarded too, although cells pass
	// them to package testing directly.
	//
	// Package testing takes the position of a message from Go's stack, which contains no cells. So each message of a
	// cell's function (from Log, Error, Skip and the like) begins with its position in the cell, such as In[3]:7,
	// between two PlaceMarks.
	Test(ctx context.Context, run func(guard func(f any) any)) error
}

// PlaceMark precedes and follows a position in a message; see Tester. It occurs nowhere else in a message.
const PlaceMark = "\x00"

// KernelFrame matches a message line that shows a call in the kernel's own code. Assertions of modules write such lines
// when they list the calls that led to a failure. The first group is what precedes the position: spaces, possibly with
// a label.
var KernelFrame = regexp.MustCompile(`(?m)^(.*\s)(?:\S*/)?(?:kernel/internal/(?:rt|ixengine|regcode|builtin|gotest)/\w+|goplus/ixgo@[^/\s]+/\w+|reflect/value|runtime/asm_\w+)\.(?:go|s):\d+[ \t]*(?:\n|$)`)
