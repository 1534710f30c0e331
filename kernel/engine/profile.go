package engine

import (
	"time"

	"github.com/google/pprof/profile"
)

// A ProfileKind is the quantity that a profile measures.
type ProfileKind string

// The kinds of profile.
const (
	CPUProfile  ProfileKind = "cpu"  // processor time
	HeapProfile ProfileKind = "heap" // allocated memory, including memory that has been freed
)

// A Profiler attributes time or memory to the lines of cells.
type Profiler interface {
	// Profile calls the function run, which runs a cell with Run, and returns the cell's profile. The frames of a
	// sample are lines of cells and the functions of compiled packages that these lines call. A function that calls
	// itself, directly or indirectly, is one frame. For CPUProfile the rate is the number of samples per second on each
	// busy processor; for HeapProfile it is the number of bytes between samples. A rate of 0 means DefaultCPURate or
	// DefaultHeapRate. The profile is not nil even if run fails. Only code that the interpreter compiles during the
	// call to run is measured line by line. Goroutines of earlier cells are not in the profile.
	Profile(kind ProfileKind, rate int, run func() error) (*Profile, error)
}

// The default rates of profiles: samples per second for CPUProfile, and bytes between samples for HeapProfile.
const (
	DefaultCPURate  = 250
	DefaultHeapRate = 16 << 10
)

// A Profile is a profile of a cell.
type Profile struct {
	Kind ProfileKind
	Rate int
	// Profile is in the format of package pprof. Samples of a CPUProfile have a count and nanoseconds, and
	// samples of a HeapProfile a count and bytes. A frame in a cell has the cell's name as its file.
	Profile *profile.Profile
	// Line returns the text of a line of a cell or of a package that runs from source. For lines of compiled
	// code the result ok is false.
	Line func(file string, line int) (text string, ok bool)
	Took time.Duration // from the cell's first line to its end
	// Processor is the processor time that the process used during the profile, or 0 if unknown. The samples of
	// a CPUProfile should add up to it.
	Processor time.Duration
	// Outside is the number of samples of a CPUProfile in the kernel's own work, which belongs to no line.
	// Collector is the number of samples in the garbage collector, which have the frame CollectorFrame.
	Outside, Collector int64
}

// CollectorFrame is the name of the garbage collector's frame.
const CollectorFrame = "garbage collector"
