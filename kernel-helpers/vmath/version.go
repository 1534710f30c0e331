package vmath

import (
	"fmt"
	"os"

	"overcomplete/internal/simd"
)

// An instructions is a set of instructions, in order of preference.
type instructions int

const (
	portable instructions = iota // no assembly
	avx2
	avx512
)

var names = [...]string{"go", "avx2", "avx512"}

// Variable is the environment variable that limits the instruction set.
const Variable = "OVERCOMPLETE_VMATH"

// inUse is what this process uses. Only tests change it.
var inUse = limit(os.Getenv(Variable), available())

// available is the best set that there is assembly for and that may be executed.
func available() instructions {
	switch {
	case simd.AVX512():
		return avx512
	case simd.AVX2():
		return avx2
	}
	return portable
}

// limit returns the best set up to the one that is called name ("" is no limit).
func limit(name string, best instructions) instructions {
	if name == "" {
		return best
	}
	for i, n := range names {
		if n == name {
			return min(instructions(i), best)
		}
	}
	panic(fmt.Sprintf("vmath: %s=%s: must be go, avx2 or avx512", Variable, name))
}

// Version returns the name of the version in use: "go", "avx2" or "avx512".
func Version() string { return names[inUse] }
