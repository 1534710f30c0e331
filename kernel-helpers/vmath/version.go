package vmath

import (
	"fmt"
	"os"
)

// instructions is an instruction set. Higher values are preferred.
type instructions int

// Variable is the environment variable that limits the instruction set.
const Variable = "OVERCOMPLETE_VMATH"

// inUse is the instruction set in use. Only tests change it.
var inUse = limit(os.Getenv(Variable), available())

// limit returns the instruction set with the given name, but nothing higher than best. An empty name means no limit.
func limit(name string, best instructions) instructions {
	if name == "" {
		return best
	}
	for i, n := range names {
		if n == name {
			return min(instructions(i), best)
		}
	}
	panic(fmt.Sprintf("vmath: %s=%s: must be one of %v", Variable, name, names))
}

// Version returns the name of the version in use: "go", "avx2", "avx512" or "neon", and in
// WebAssembly "go" or "simd128".
func Version() string { return names[inUse] }
