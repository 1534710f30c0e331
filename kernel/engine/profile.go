package engine

import (
	"time"

	"github.com/google/pprof/profile"
)

// A ProfileKind says what a profile measures.
type ProfileKind string

// The kinds of profile.
const (
	CPUProfile  ProfileKind = "cpu"  // processor time
	HeapProfile ProfileKind = "heap" // memory that is allocated, whether it is freed again or not
)

// A Profiler is a Session that can say which lines of cells take the time or the memory.
type Profiler interface {
	// Profile calls run, which runs a cell with Run, and returns the profile of it. Samples have the lines
	// of cells as frames, callers outside, with functions of compiled packages that they call inside. A function
	// that calls itself, directly or by way of others, is one frame. rate is samples a second of each processor that
	// is busy, or for memory bytes between samples; 0 stands for DefaultCPURate or DefaultHeapRate.
	// The profile is not nil, also when run fails. Only what is declared or composed during run is
	// measured by lines: what runs in goroutines of earlier cells is not in the profile.
	Profile(kind ProfileKind, rate int, run func() error) (*Profile, error)
}

// The rates of profiles: samples a second, and bytes between samples.
const (
	DefaultCPURate  = 250
	DefaultHeapRate = 16 << 10
)

// A Profile is a profile of a cell.
type Profile struct {
	Kind ProfileKind
	Rate int
	// Profile is in the form of package pprof. The samples of a CPUProfile have a number and
	// nanoseconds, those of a HeapProfile a number and bytes. A frame in a cell has the cell's name as its
	// file.
	Profile *profile.Profile
	// Line returns the text of a line of a cell or of a package that runs from source; ok is false for the file of
	// compiled code.
	Line func(file string, line int) (text string, ok bool)
	Took time.Duration // from the cell's first line to its end
	// Processor is the time that the process has used of the processors meanwhile, 0 where that is not known. The
	// samples of a CPUProfile should account for it.
	Processor time.Duration
	// Outside is the number of samples of a CPUProfile that belong to no line: the kernel's own work. Collector
	// is the number of those of the garbage collector, which are in the profile under a frame of that name.
	Outside, Collector int64
}

// CollectorFrame is the name of the frame of the garbage collector.
const CollectorFrame = "garbage collector"
