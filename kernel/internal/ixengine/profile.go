package ixengine

import (
	"cmp"
	"errors"
	"go/token"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/google/pprof/profile"
	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"

	"overcomplete/internal/module"
	"overcomplete/kernel/engine"
)

// Profiles of cells. Go's profiler sees the engine's functions, not the cell's. But each goroutine has a label, a
// pointer that each of its samples carries and that goroutines started by it inherit. Programs that are built for a
// profile keep the label pointing to the current node of a calling context tree. The node stands for the line that
// runs and the lines that called it. The interpreter's instructions are wrapped for this, and register code has ops
// of its own (fast_profile.go). Compiled functions appear on Go's stack, above the engine.
//
// Programs that are not built for a profile are not changed.

// An activeProfile is a profile in progress.
type activeProfile struct {
	session *Session
	kind    engine.ProfileKind
	root    *node
	over    atomic.Bool // the profile has ended; its programs that still run behave as if they were not profiled
	begin   time.Time
	noLabel unsafe.Pointer // register code stores labels here once the profile is over

	mu     sync.Mutex
	start  time.Time // time at which the cell's first line began
	places map[profileLine]*profileLine
	nodes  []*node // nodes of lines, by id
}

// Profile profiles a call of run(), which executes a cell; see engine.Profiler.
func (s *Session) Profile(kind engine.ProfileKind, rate int, run func() error) (*engine.Profile, error) {
	p := &activeProfile{session: s, kind: kind, begin: time.Now(), places: map[profileLine]*profileLine{}}
	p.root = &node{mark: ours, of: p}
	p.nodes = []*node{p.root}
	begin, defaultRate := p.cpu, engine.DefaultCPURate
	if kind == engine.HeapProfile {
		begin, defaultRate = p.heap, engine.DefaultHeapRate
	}
	rate = cmp.Or(rate, defaultRate)
	if !s.profiled.CompareAndSwap(nil, p) {
		return nil, errors.New("another profile is being taken")
	}
	defer s.profiled.Store(nil)
	defer p.over.Store(true)
	finish, err := begin(rate)
	if err != nil {
		return nil, err
	}
	used := processorTime()
	err = run()
	end := time.Now()
	used = processorTime() - used
	result := finish()
	result.Kind, result.Rate, result.Line = kind, rate, s.sources.line
	if measuresProcessor {
		result.Processor = time.Duration(used)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.start.IsZero() {
		result.Took = end.Sub(p.start)
	}
	result.Profile.TimeNanos, result.Profile.DurationNanos = p.start.UnixNano(), int64(result.Took)
	return result, err
}

// instrument wraps instructions of f, so that the profile records each line that f reaches and each call that f makes.
// fn is the interpreter's form of f.
func (p *activeProfile) instrument(f *ssa.Function, fn unsafe.Pointer) {
	instrs := field[[]instruction](fn, layout.instrs)
	var line *profileLine
	block := -1
	for i, in := range field[[]ssa.Instruction](fn, layout.ssaInstrs) {
		if in == nil || in.Block() == nil || i >= len(instrs) {
			continue
		}
		if b := in.Block(); b.Index != block {
			block, line = b.Index, nil
		}
		switch in := in.(type) {
		case *ssa.Return:
			instrs[i] = leaveFunction(instrs[i])
			continue
		case *ssa.Call:
			if _, is := in.Call.Value.(*ssa.Builtin); is {
				instrs[i] = p.through(instrs[i])
			} else {
				instrs[i] = p.aroundCall(instrs[i])
			}
		case *ssa.Go, *ssa.RunDefers:
			instrs[i] = p.aroundCall(instrs[i])
		case *ssa.Jump, *ssa.If, *ssa.Phi, *ssa.DebugRef:
		default:
			instrs[i] = p.through(instrs[i])
		}
		if at := p.lineOf(f, i, in); at != nil && at != line {
			line = at
			instrs[i] = p.atLine(at, instrs[i])
		}
	}
}

// lineOf returns the line of a cell that contains the i-th instruction of f, or nil if there is no such line.
func (p *activeProfile) lineOf(f *ssa.Function, i int, in ssa.Instruction) *profileLine {
	at := p.session.ctx.FileSet.Position(posOf(f, i, in))
	if at.Line == 0 {
		return nil
	}
	if _, known := p.session.sources.line(at.Filename, at.Line); !known {
		return nil
	}
	return p.place(profileLine{profileName(f), at.Filename, at.Line})
}

// posOf returns the position of the i-th instruction of f. An instruction without a position (the test of a
// range loop, a jump) gets the position of the next instruction with a position, in its block or a following
// block, because register code may begin at the first of these instructions and execute them all. The
// position of a phi is its variable's declaration and is ignored. The stop check at the beginning of f is
// ignored too.
func posOf(f *ssa.Function, i int, in ssa.Instruction) token.Pos {
	after := token.NoPos
	if i == 0 {
		after = f.Pos()
	}
	first := slices.Index(in.Block().Instrs, in)
	blocks, seen := []*ssa.BasicBlock{in.Block()}, map[*ssa.BasicBlock]bool{}
	for len(blocks) > 0 {
		b := blocks[0]
		blocks = blocks[1:]
		if seen[b] {
			continue
		}
		seen[b] = true
		for _, next := range b.Instrs[max(first, 0):] {
			if _, is := next.(*ssa.Phi); !is && next.Pos() > after {
				return next.Pos()
			}
		}
		first = 0
		blocks = append(blocks, b.Succs...)
	}
	return after
}

// profileName returns the name of a function as it appears in tracebacks.
func profileName(f *ssa.Function) string {
	name := funcName(strings.ReplaceAll(f.String(), "$", ".func"))
	if rest, ok := strings.CutPrefix(name, "(*main."); ok {
		return "(*" + rest
	}
	if rest, ok := strings.CutPrefix(name, "(main."); ok {
		return strings.Replace(rest, ").", ".", 1)
	}
	return name
}

// atLine returns an instruction that records that execution reaches the given line, and then runs old.
func (p *activeProfile) atLine(at *profileLine, old instruction) instruction {
	begin := p.beginning(at)
	return func(fr *frame) {
		begin()
		old(fr)
	}
}

// beginning returns a function that records that execution reaches the given line.
func (p *activeProfile) beginning(at *profileLine) func() {
	var last latest
	return func() {
		if p.over.Load() {
			return
		}
		now := p.current()
		if now.place == at {
			return
		}
		setLabel(unsafe.Pointer(last.line(now.callerOf(at), at)))
	}
}

// aroundCall returns a call instruction that records that the current line makes the call, and then runs old.
func (p *activeProfile) aroundCall(old instruction) instruction {
	old = p.through(old)
	return func(fr *frame) {
		if p.over.Load() {
			old(fr)
			return
		}
		now := p.current()
		setLabel(unsafe.Pointer(now.calling()))
		old(fr)
		setLabel(unsafe.Pointer(now))
	}
}

// leaveFunction returns a return instruction that resets the goroutine's label, so that later work of
// compiled code that called the function is not credited to the function.
func leaveFunction(old instruction) instruction {
	return func(fr *frame) {
		old(fr)
		leftFunction()
	}
}

func leftFunction() {
	if n := nodeOf(label()); n == nil {
		return
	} else if n.of.over.Load() {
		setLabel(nil)
	} else if n.place != nil {
		setLabel(unsafe.Pointer(n.parent))
	}
}

// current returns the node that the calling goroutine has in p's tree, or the root if it has none.
func (p *activeProfile) current() *node {
	if n := nodeOf(label()); n != nil && n.of == p {
		return n
	}
	return p.root // a goroutine of compiled code, or a goroutine with labels of its own
}

// replaceForProfile instruments a program if a profile is in progress.
func (s *Session) replaceForProfile(interp *ixgo.Interp) {
	p := s.profiled.Load()
	if p == nil {
		return
	}
	for f, fn := range field[map[*ssa.Function]unsafe.Pointer](unsafe.Pointer(interp), layout.funcs) {
		p.instrument(f, fn)
	}
}

// A builder builds a profile in pprof's format.
type builder struct {
	profile   *profile.Profile
	functions map[[2]string]*profile.Function
	locations map[goFrame]*profile.Location
	samples   map[string]*profile.Sample
}

// A goFrame is a frame of a profile.
type goFrame struct {
	function, file string
	line           int
}

func newBuilder(period int64, types ...*profile.ValueType) *builder {
	return &builder{
		profile:   &profile.Profile{SampleType: types, PeriodType: types[len(types)-1], Period: period},
		functions: map[[2]string]*profile.Function{}, locations: map[goFrame]*profile.Location{}, samples: map[string]*profile.Sample{},
	}
}

func (b *builder) location(f goFrame) *profile.Location {
	if l := b.locations[f]; l != nil {
		return l
	}
	key := [2]string{f.function, f.file}
	fn := b.functions[key]
	if fn == nil {
		fn = &profile.Function{ID: uint64(len(b.functions) + 1), Name: f.function, SystemName: f.function, Filename: f.file}
		b.functions[key] = fn
		b.profile.Function = append(b.profile.Function, fn)
	}
	l := &profile.Location{ID: uint64(len(b.locations) + 1), Line: []profile.Line{{Function: fn, Line: int64(f.line)}}}
	b.locations[f] = l
	b.profile.Location = append(b.profile.Location, l)
	return l
}

// add adds the given values to the sample with the given frames, which begin with the innermost frame.
func (b *builder) add(frames []goFrame, values ...int64) {
	var key []byte
	var list []*profile.Location
	for _, f := range frames {
		l := b.location(f)
		key = append(key, byte(l.ID), byte(l.ID>>8), byte(l.ID>>16))
		list = append(list, l)
	}
	s := b.samples[string(key)]
	if s == nil {
		s = &profile.Sample{Location: list, Value: make([]int64, len(values))}
		b.samples[string(key)] = s
		b.profile.Sample = append(b.profile.Sample, s)
	}
	for i, v := range values {
		s.Value[i] += v
	}
}

// compiledFrames selects, from the given frames of a goroutine, the frames of the compiled function that a cell called,
// and of the functions that this function called. The argument and the result begin with the innermost frame. The
// result is empty if the cell called no compiled function: the innermost frames are then the interpreter's own work.
func compiledFrames(frames []goFrame) []goFrame {
	end := slices.IndexFunc(frames, func(f goFrame) bool { return isInterpreter(f.function) })
	if end < 0 {
		end = len(frames)
	}
	for end > 0 && isRuntime(frames[end-1].function) {
		end--
	}
	if end > 0 && strings.HasPrefix(frames[end-1].function, "sync.") { // the interpreter's pools use sync; a cell's own calls of sync take no time
		return nil
	}
	// Frames of package reflect at the top usually belong to calls back into a cell.
	begin := end
	for begin > 0 && !strings.HasPrefix(frames[begin-1].function, "reflect.") {
		begin--
	}
	return frames[begin:end]
}

func isInterpreter(function string) bool {
	for _, prefix := range []string{"github.com/goplus/", "github.com/visualfc/", "github.com/timandy/", module.Package("kernel/internal/ixengine."), module.Package("kernel/internal/regcode."), module.Package("kernel/internal/rt.")} {
		if strings.HasPrefix(function, prefix) {
			return true
		}
	}
	return false
}

func isRuntime(function string) bool {
	return strings.HasPrefix(function, "runtime.") || strings.HasPrefix(function, "runtime/pprof.runtime_") || strings.HasPrefix(function, "internal/") || strings.HasPrefix(function, "reflect.") ||
		!strings.Contains(function, ".") // an assembly function
}

func framesOf(pcs []uintptr) (list []goFrame) {
	if len(pcs) == 0 {
		return nil
	}
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if f.Function != "" {
			list = append(list, goFrame{f.Function, f.File, f.Line})
		}
		if !more {
			return list
		}
	}
}
