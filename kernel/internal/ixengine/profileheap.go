package ixengine

import (
	"bytes"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"overcomplete/internal/module"
	"overcomplete/kernel/engine"
)

// Memory profiles. The runtime records the stack of about one allocation in every MemProfileRate bytes, without
// labels. So the node's number is encoded in the stack: each digit is a function that calls the function of the
// next digit.

// through wraps old in an instruction that runs it inside calls of the functions digit0 to digit15. Their frames on the
// stack encode the number of the current node, so the runtime's records of allocations show the node. If p is not a
// profile of allocations, the result is old itself.
func (p *activeProfile) through(old instruction) instruction {
	if p.kind != engine.HeapProfile {
		return old
	}
	return func(fr *frame) {
		if p.over.Load() {
			old(fr)
			return
		}
		n := p.current()
		if n.place == nil && n.parent != nil {
			n = n.parent
		}
		digits[n.id>>12&15](n.id, 8, old, fr)
	}
}

// A digit is one of the functions digit0 to digit15, whose frames on the stack spell a number in hexadecimal. The frame
// of the function stands for one digit. The function then calls the function for the next digit, which consists of the
// four bits of number at the bit offset shift. After the last digit, shift is negative, and the function executes the
// instruction in.
type digit = func(number uint32, shift int, in instruction, fr *frame)

var digits [16]digit

func init() { // not in the declaration, because the functions refer to digits
	digits = [16]digit{digit0, digit1, digit2, digit3, digit4, digit5, digit6, digit7, digit8, digit9, digit10, digit11, digit12, digit13, digit14, digit15}
}

func nextDigit(number uint32, shift int, in instruction, fr *frame) {
	if shift < 0 {
		in(fr)
		return
	}
	digits[number>>shift&15](number, shift-4, in, fr)
}

//go:noinline
func digit0(n uint32, shift int, in instruction, fr *frame) { nextDigit(n, shift, in, fr) }

//go:noinline
func digit1(n uint32, shift int, in instruction, fr *frame) { nextDigit(n, shift, in, fr) }

//go:noinline
func digit2(n uint32, shift int, in instruction, fr *frame) { nextDigit(n, shift, in, fr) }

//go:noinline
func digit3(n uint32, shift int, in instruction, fr *frame) { nextDigit(n, shift, in, fr) }

//go:noinline
func digit4(n uint32, shift int, in instruction, fr *frame) { nextDigit(n, shift, in, fr) }

//go:noinline
func digit5(n uint32, shift int, in instruction, fr *frame) { nextDigit(n, shift, in, fr) }

//go:noinline
func digit6(n uint32, shift int, in instruction, fr *frame) { nextDigit(n, shift, in, fr) }

//go:noinline
func digit7(n uint32, shift int, in instruction, fr *frame) { nextDigit(n, shift, in, fr) }

//go:noinline
func digit8(n uint32, shift int, in instruction, fr *frame) { nextDigit(n, shift, in, fr) }

//go:noinline
func digit9(n uint32, shift int, in instruction, fr *frame) { nextDigit(n, shift, in, fr) }

//go:noinline
func digit10(n uint32, shift int, in instruction, fr *frame) { nextDigit(n, shift, in, fr) }

//go:noinline
func digit11(n uint32, shift int, in instruction, fr *frame) { nextDigit(n, shift, in, fr) }

//go:noinline
func digit12(n uint32, shift int, in instruction, fr *frame) { nextDigit(n, shift, in, fr) }

//go:noinline
func digit13(n uint32, shift int, in instruction, fr *frame) { nextDigit(n, shift, in, fr) }

//go:noinline
func digit14(n uint32, shift int, in instruction, fr *frame) { nextDigit(n, shift, in, fr) }

//go:noinline
func digit15(n uint32, shift int, in instruction, fr *frame) { nextDigit(n, shift, in, fr) }

// heap starts a profile of allocations; there is about one sample for every rate bytes. The returned
// function stops it and returns the profile. The error is always nil.
func (p *activeProfile) heap(rate int) (finish func() *engine.Profile, err error) {
	old := runtime.MemProfileRate
	runtime.MemProfileRate = rate
	before := allocations() // allocations uses the rate to scale the samples, those of earlier profiles too
	return func() *engine.Profile {
		after := allocations() // with the same rate as before
		runtime.MemProfileRate = old
		return p.heapProfile(int64(rate), before, after)
	}, nil
}

// allocations returns the runtime's profile of all allocations so far.
func allocations() *profile.Profile {
	for range 3 { // the runtime's profile is two collections old
		runtime.GC()
	}
	var b bytes.Buffer
	if err := pprof.Lookup("allocs").WriteTo(&b, 0); err != nil {
		return &profile.Profile{}
	}
	all, err := profile.Parse(&b)
	if err != nil {
		return &profile.Profile{}
	}
	return all
}

// heapProfile returns a profile of the allocations made between two profiles of the runtime: start is the
// earlier one, and end is the later one.
func (p *activeProfile) heapProfile(rate int64, start, end *profile.Profile) *engine.Profile {
	p.mu.Lock()
	nodes := p.nodes
	p.mu.Unlock()
	b := newBuilder(rate, &profile.ValueType{Type: "alloc_objects", Unit: "count"}, &profile.ValueType{Type: "alloc_space", Unit: "bytes"})
	add := func(all *profile.Profile, sign int64) {
		for _, s := range all.Sample {
			frames := profileFrames(s)
			id, ok := numberOn(frames)
			if !ok || int(id) >= len(nodes) || len(s.Value) < 2 {
				continue
			}
			b.add(append(slices.Clone(compiledFrames(frames)), nodes[id].frames()...), sign*s.Value[0], sign*s.Value[1])
		}
	}
	add(end, 1)
	add(start, -1)
	b.profile.Sample = slices.DeleteFunc(b.profile.Sample, func(s *profile.Sample) bool { return s.Value[1] <= 0 || len(s.Location) == 0 })
	return &engine.Profile{Profile: b.profile}
}

// profileFrames returns the frames of a sample, innermost first.
func profileFrames(s *profile.Sample) (list []goFrame) {
	for _, l := range s.Location {
		for _, line := range l.Line {
			list = append(list, goFrame{line.Function.Name, line.Function.Filename, int(line.Line)})
		}
	}
	return list
}

var digitPrefix = module.Package("kernel/internal/ixengine.digit")

// numberOn returns the innermost number that frames of the functions digit0 to digit15 encode in a stack. ok is false
// if there is no such number.
func numberOn(frames []goFrame) (number uint32, ok bool) {
	shift := 0
	for _, f := range frames {
		text, is := strings.CutPrefix(f.function, digitPrefix)
		if !is {
			continue
		}
		d := 0
		for _, c := range text {
			if c < '0' || c > '9' {
				return 0, false
			}
			d = 10*d + int(c-'0')
		}
		number |= uint32(d) << shift
		if shift += 4; shift == 16 {
			return number, true
		}
	}
	return 0, false
}
