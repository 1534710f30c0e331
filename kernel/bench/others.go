package main

import (
	"runtime"
	"time"
)

// An otherRow is a row of the second table, which has the measurements without a compiled counterpart. Its turner field
// maps a kind of kernel to the participant that runs the measurement, or to nil if that kernel does not take part.
type otherRow struct {
	name   string
	unit   string
	rounds int
	goal   goal
	gonb   bool // GoNB can take part
	turner func(k kind) (turner, error)
}

// others returns the rows of the second table, except the cost of a call (perCall).
func others(quick bool) []otherRow {
	few := func(n int) int {
		if quick {
			return max(n/4, 2)
		}
		return n
	}
	list := []otherRow{
		{"an empty cell", "ms", few(31), noWorse, true, emptyCells},
		{"start to the first answer", "ms", few(9), noWorse, true, firstAnswer},
		{"the first cell after the start", "ms", few(9), noWorse, true, firstCell},
	}
	if runtime.GOOS == "linux" { // which has /proc
		list = append(list, otherRow{"resident memory after the first cell", "MB", few(9), noWorse, true, memory})
	}
	for _, l := range oneTimeLoops {
		list = append(list, otherRow{"a loop that runs once: " + l.name, "ms", few(60), noWorse, false, l.turner})
	}
	for _, l := range hotLoops {
		list = append(list, otherRow{"interrupt of a hot loop: " + l.name, "ms", few(20), goal{most: 30}, false, l.turner})
	}
	return list
}

// measureOther measures one row of the second table with all kernels that can take part.
func (k kinds) measureOther(o otherRow) Result {
	var e entries
	enter := func(k *kind) *side {
		if k == nil {
			return new(side)
		}
		t, err := o.turner(*k)
		return e.add(t, err, o.rounds)
	}
	cell, before, python, gonb := enter(k.cell), enter(k.before), enter(k.ipykernel), new(side)
	if o.gonb {
		gonb = enter(k.gonb)
	}
	e.run(o.rounds, time.Hour)
	return Result{
		Name: o.name, Unit: o.unit, goal: o.goal, Fault: e.fault(),
		Cell: cell.figure(), CellFirst: cell.first, Before: before.figure(),
		Python: python.figure(), GoNB: gonb.figure(), GoNBFirst: gonb.first,
	}
}

// kernelTurner is a turner that takes all its turns in one kernel.
type kernelTurner struct {
	*process
	f func(p *process) (float64, error)
}

func (t kernelTurner) turn() (string, float64, error) {
	x, err := t.f(t.process)
	return "", x, err
}

// withOneKernel starts a kernel and returns a turner that calls f with the kernel in each turn.
func withOneKernel(k kind, f func(p *process) (float64, error)) (turner, error) {
	p, err := start(k)
	if err != nil {
		return nil, err
	}
	return kernelTurner{p, f}, nil
}

// turnFunc is a turner that starts a new kernel in each turn.
type turnFunc func() (float64, error)

func (f turnFunc) turn() (string, float64, error) {
	x, err := f()
	return "", x, err
}

func (turnFunc) close() {}

// perCall returns, for each program that mostly calls a closure of the cell from compiled code, a row with the time of
// one call. This is the program's time divided by the number of calls.
func perCall(programs []Result) []Result {
	var list []Result
	for _, r := range programs {
		p := programNamed(r.Name)
		if p.calls == nil || r.Size == 0 {
			continue
		}
		each := func(ms float64) float64 { return ms * 1e6 / float64(p.calls(r.Size)) }
		list = append(list, Result{
			Name: "a call of a cell's closure by " + r.Name, Unit: "ns", goal: goal{most: 100},
			Cell: each(r.Cell), Go: each(r.Go), Before: each(r.Before), Fault: r.Fault,
		})
	}
	return list
}

func programNamed(name string) program {
	for _, p := range rows {
		if p.name == name {
			return p
		}
	}
	return program{}
}
