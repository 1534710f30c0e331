package main

import (
	"fmt"
	"os"
	"runtime"

	"overcomplete/kernel/internal/bench/programs"
)

// compiledProgram is a turner that runs a program as compiled Go, in this process.
type compiledProgram struct {
	run func(n int) string
	n   int
}

func newCompiled(p program, n int) (turner, error) {
	run := programs.Compiled[p.folder]
	if run == nil {
		return nil, fmt.Errorf("programs.Compiled has no %q", p.folder)
	}
	return compiledProgram{run, n}, nil
}

func (c compiledProgram) turn() (text string, ms float64, err error) {
	defer func() {
		if r := recover(); r != nil { // a panic must not crash the process that runs the kernels
			err = fmt.Errorf("compiled Go panics: %v", r)
		}
	}()
	runtime.GC() // collect the garbage of other programs first
	w := startWatch(os.Getpid())
	text = c.run(c.n)
	return text, w.ms(), nil
}

func (compiledProgram) close() {}
