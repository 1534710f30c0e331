package main

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"time"

	"overcomplete/kernel/internal/bench/programs"
)

// gonbRounds is the number of turns that GoNB gets after the first. GoNB compiles in each turn. Compiling takes most of
// the turn's time, and takes about the same time in all rows.
const gonbRounds = 2

// measure runs a program in all kernels that can take part, in CPython and as compiled Go, and returns the program's
// row.
func (k kinds) measure(p program, quick bool, rounds int, budget time.Duration) Result {
	n := p.n
	if quick {
		n = p.quick
	}
	var e entries
	inKernel := func(k *kind, rounds int) *side {
		if k == nil {
			return new(side)
		}
		t, err := newCells(*k, p, n)
		return e.add(t, err, rounds)
	}
	cell, before, gonb, inPython := inKernel(k.cell, rounds), inKernel(k.before, rounds), new(side), new(side)
	if p.pythonPeer() {
		gonb = inKernel(k.gonb, gonbRounds)
		if k.python != "" {
			t, err := newPython(k.python, p, n)
			inPython = e.add(t, err, rounds)
		}
	}
	t, err := newCompiled(p, n)
	inGo := e.add(t, err, rounds)
	e.run(rounds, budget)

	e.compare("the cell", cell, inGo, sameGo)
	e.compare("the earlier kernel", before, inGo, sameGo)
	e.compare("CPython", inPython, inGo, close9)
	e.compare("GoNB", gonb, inGo, sameGo)
	return Result{
		Name: p.name, Unit: "ms", Size: n, goal: p.goal, Checksum: inGo.text, Fault: e.fault(),
		Cell: cell.figure(), CellFirst: cell.first, Before: before.figure(),
		Python: inPython.figure(), Go: inGo.figure(), GoNB: gonb.figure(), GoNBFirst: gonb.first,
	}
}

// compare marks side s as failed if its output is wrong, that is, if same(s.text, inGo.text) is false. inGo is the side
// of compiled Go, and name is the name of s in the error.
func (e *entries) compare(name string, s, inGo *side, same func(a, b string) bool) {
	if s.turner != nil && s.err == nil && !same(s.text, inGo.text) {
		s.err = fmt.Errorf("%s shows %s, compiled Go %s", name, s.text, inGo.text)
		e.faults = append(e.faults, s.err)
	}
}

// pythonPeer reports whether the program has a Python version. If it has none, GoNB takes no part either: such a
// program serves only to measure calls, or imports a module that GoNB would have to fetch.
func (p program) pythonPeer() bool { return programs.HasPython(p.pythonSource()) }

func identical(a, b string) bool { return a == b }

// close9 reports whether two checksums agree to nine digits. Python's checksums need not agree more closely, because
// Python formats floats differently from Go, and its newer versions sum floats differently.
func close9(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return a == b || errX == nil && errY == nil && math.Abs(x-y) <= 1e-9*math.Max(math.Abs(x), math.Abs(y))
}

// sameGo reports whether a cell and compiled Go printed the same output. On amd64 the outputs must be identical. On
// other processors, where the Go compiler fuses multiplications and additions, nine digits must agree.
func sameGo(a, b string) bool {
	if runtime.GOARCH == "amd64" {
		return identical(a, b)
	}
	return close9(a, b)
}
