//go:build !js

package ixengine

import (
	"runtime"
	"time"
	"unsafe"

	"overcomplete/kernel/engine"
)

// readProfile is the runtime's function that returns records of the profiler. It is used because package
// runtime/pprof samples at only one rate and converts labels to strings.
//
//go:linkname readProfile runtime/pprof.readProfile
func readProfile() (data []uint64, tags []unsafe.Pointer, eof bool)

// cpu starts a profile of processor time, with rate samples per second. The returned function finish stops it
// and returns the profile.
func (p *activeProfile) cpu(rate int) (finish func() *engine.Profile) {
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
		return p.cpuProfile(rate, counts)
	}
}

// read reads the profiler's samples until the profiler stops, and counts them in counts.
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
