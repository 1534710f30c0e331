package ixengine

import (
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/google/pprof/profile"

	"overcomplete/kernel/engine"
)

// A cpuSample says where a sample was taken: in which node of the calling context tree, and with which stack.
type cpuSample struct {
	node  *node
	stack string // program counters
}

// cpuProfile builds a profile from the number of samples taken at each place; rate is the number of samples per second.
func (p *activeProfile) cpuProfile(rate int, counts map[cpuSample]int64) *engine.Profile {
	period := int64(time.Second) / int64(rate)
	b := newBuilder(period, &profile.ValueType{Type: "samples", Unit: "count"}, &profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	result := &engine.Profile{Profile: b.profile}
	for s, n := range counts {
		pcs := make([]uintptr, len(s.stack)/8)
		for i := range pcs {
			pcs[i] = uintptr(*(*uint64)(unsafe.Pointer(unsafe.StringData(s.stack[8*i:]))))
		}
		frames := framesOf(pcs)
		if s.node == nil || s.node == p.root {
			if slices.ContainsFunc(frames, func(f goFrame) bool {
				return strings.HasPrefix(f.function, "runtime.gcBgMarkWorker") || f.function == "runtime.bgsweep"
			}) {
				result.Collector += n
				b.add([]goFrame{{function: engine.CollectorFrame}}, n, n*period)
			} else {
				result.Outside += n
			}
			continue
		}
		b.add(append(slices.Clone(compiledFrames(frames)), s.node.frames()...), n, n*period)
	}
	return result
}
