package engine

import (
	"time"

	"github.com/google/pprof/profile"
)

// A ProfileKind is what a profile measures.
type ProfileKind string

// The kinds of profile.
const (
	CPUProfile  ProfileKind = "cpu"  // processor time
	HeapProfile ProfileKind = "heap" // allocated memory, freed or not
)

// A Profiler is a Session that can attribute time or memory to the lines of cells.
type Profiler interface {
	// Profile calls run, which runs a cell with Run, and returns its profile. The frames of samples are lines
	// of cells and, inside them, the functions of compiled packages that they call. A function that calls
	// itself, directly or indirectly, is one frame. rate is samples per second of each busy processor, or for
	// memory bytes between samples; 0 stands for DefaultCPURate or DefaultHeapRate. The profile is not nil even
	// if run fails. Only code declared or composed during run is measured by lines; goroutines of earlier cells
	// are not in the profile.
	Profile(kind ProfileKind, rate int, run func() error) (*Profile, error)
}

// The default rates of profiles: samples per second, and bytes between samples.
const (
	DefaultCPURate  = 250
	DefaultHeapRate = 16 << 10
)

// A Profile is a profile of a cell.
type Profile struct {
	Kind ProfileKind
	Rate int
	// Profile is in the form of package pprof. Samples of a CPUProfile have a count and nanoseconds, those of a
	// HeapProfile a count and bytes. A frame in a cell has the cell's name as its file.
	Profile *profile.Profile
	// Line returns the text of a line of a cell or of a package that runs from source; ok is false for the file of
	// compiled code.
	Line func(file string, line int) (text string, ok bool)
	Took time.Duration // from the cell's first line to its end
	// Processor is the processor time that the process used meanwhile, 0 if unknown. The samples of a
	// CPUProfile should add up to it.
	Processor time.Duration
	// Outside is the number of samples of a CPUProfile that belong to no line: the kernel's own work. Collector
	// is the number of those of the garbage collector; in the profile they have the frame CollectorFrame.
	Outside, Collector int64
}

// CollectorFrame is the name of the frame of the garbage collector.
const CollectorFrame = "garbage collector"
