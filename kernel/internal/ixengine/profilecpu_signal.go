//go:build !js

package ixengine

import (
	"errors"
	"io"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
	"unsafe"

	"overcomplete/kernel/engine"
)

// readProfile is the runtime's function that returns records of the profiler. It is used because package
// runtime/pprof samples at only one rate and converts labels to strings.
//
//go:linkname readProfile runtime/pprof.readProfile
func readProfile() (data []uint64, tags []unsafe.Pointer, eof bool)

// cpuProfiler says whether the method cpu is using the profiler of processor time. A process has only one such
// profiler, and two readers of its samples would wait for each other forever. The lock is held while a profile starts,
// not while it runs.
var cpuProfiler struct {
	sync.Mutex
	cells bool // cpu has it
}

// startCPUProfile implements pprof.StartCPUProfile for cells. While the method cpu is using the profiler,
// startCPUProfile returns the error that pprof.StartCPUProfile returns during a profile of its own.
func startCPUProfile(w io.Writer) error {
	cpuProfiler.Lock()
	defer cpuProfiler.Unlock()
	if cpuProfiler.cells {
		return errors.New("cpu profiling already in use")
	}
	return pprof.StartCPUProfile(w)
}

// cpu starts a profile of processor time; rate is the number of samples per second. The returned function stops it and
// returns the profile. It is an error if the process is already being profiled, by another session or by
// pprof.StartCPUProfile.
func (p *activeProfile) cpu(rate int) (finish func() *engine.Profile, err error) {
	cpuProfiler.Lock()
	defer cpuProfiler.Unlock()
	if cpuProfiler.cells {
		return nil, errors.New("another profile is being taken")
	}
	// Only an attempt to start a profile shows whether package runtime/pprof is taking one.
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		return nil, errors.New("another profile is being taken, which pprof.StartCPUProfile started; pprof.StopCPUProfile() ends it")
	}
	pprof.StopCPUProfile()
	cpuProfiler.cells = true
	runtime.SetCPUProfileRate(rate)
	counts := map[cpuSample]int64{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.read(counts)
	}()
	return func() *engine.Profile {
		runtime.SetCPUProfileRate(0)
		<-done
		cpuProfiler.Lock()
		cpuProfiler.cells = false
		cpuProfiler.Unlock()
		return p.cpuProfile(rate, counts)
	}, nil
}

// read reads the profiler's samples until the profiler stops, and counts them in the given map.
func (p *activeProfile) read(counts map[cpuSample]int64) {
	first := true
	for {
		if runtime.GOOS == "darwin" { // reading does not block on macOS
			time.Sleep(100 * time.Millisecond)
		}
		data, tags, eof := readProfile()
		if first && len(data) >= 3 && len(tags) > 0 {
			data, tags, first = data[3:], tags[1:], false // skip the rate
		}
		for len(data) >= 3 && data[0] >= 3 && data[0] <= uint64(len(data)) && len(tags) > 0 {
			count, stack := int64(data[2]), data[3:data[0]]
			if count == 0 && len(stack) == 1 { // the record says how many samples were lost
				count, stack = int64(stack[0]), nil
			}
			n := nodeOf(tags[0])
			if n != nil && n.of != p {
				n = nil
			}
			data, tags = data[data[0]:], tags[1:]
			key := cpuSample{node: n}
			if len(stack) > 0 {
				key.stack = string(unsafe.Slice((*byte)(unsafe.Pointer(&stack[0])), 8*len(stack)))
			}
			counts[key] += count
		}
		if eof {
			return
		}
	}
}
