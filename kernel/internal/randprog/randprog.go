package randprog

import (
	"fmt"
	"go/format"
	"math/rand/v2"
)

// Options restrict what generated programs may contain.
type Options struct {
	// NoFuse keeps the compiler from computing x*y + z with one rounding, which cells do not do. The compiler
	// does this on some processors, but not on amd64.
	NoFuse bool
}

// A Program is the source of a package main with a function Run.
type Program struct {
	Seed   uint64
	Source string
}

// New returns the program for a seed. It panics if the program cannot be parsed, which would be a bug in this
// package.
func New(seed uint64, opt Options) Program {
	g := &gen{r: rand.New(rand.NewPCG(seed, 20)), opt: opt, byName: map[string]*goType{}, imports: map[string]bool{}, dumps: map[*goType]string{}}
	for _, t := range append([]*goType{boolType, float64Type, float32Type, complexType, stringType}, integers...) {
		g.intern(t)
	}
	raw := g.program()
	text, err := format.Source([]byte(raw))
	if err != nil {
		panic(fmt.Sprintf("randprog: seed %d: %v\n%s", seed, err, raw))
	}
	return Program{seed, string(text)}
}
