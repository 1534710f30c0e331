package ixengine

import (
	"fmt"
	"go/token"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/goplus/ixgo"

	"overcomplete/internal/module"
	"overcomplete/kernel/engine"
)

// A crash reports to a cell that a panic has ended one of its goroutines.
type crash struct{ err *engine.Error }

// newGoroutine returns a goroutine that the calling goroutine is about to start at pos.
func (s *Session) newGoroutine(pos token.Pos) *goroutine {
	parent := s.stop.self()
	g := &goroutine{run: s.stop.runOf(parent)}
	p := s.ctx.FileSet.Position(pos)
	g.cell, g.line = p.Filename, p.Line
	g.source, _ = s.sources.line(p.Filename, p.Line)
	s.stop.add(g, parent)
	return g
}

// runOf returns the cellRun to which g belongs. If g is nil, the goroutine was started by compiled code and belongs to
// the running cell. If no cell is running, runOf returns a new run that has ended.
func (s *stopper) runOf(g *goroutine) *cellRun {
	if g != nil {
		return g.run
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil {
		return s.current
	}
	return &cellRun{ended: true, crashes: make(chan crash, 1)}
}

// runGoroutine calls body in the calling goroutine, as g, with a root frame for its calls. A panic is reported to the
// cell or, if the cell has ended, to Options.Background.
func (s *Session) runGoroutine(g *goroutine, interp *ixgo.Interp, body func(root *frame)) {
	defer s.stop.leave(g)
	s.tellEnd(g, s.runBody(g, interp, body))
}

// goroutineEnded is the event that is reported when an error has ended a goroutine that outlived its cell.
const goroutineEnded = "a goroutine of an earlier cell ended"

// background reports e, an error of code that no running cell waits for, and what happened (the event).
func (s *Session) background(event string, e *engine.Error) {
	if s.opt.Background != nil {
		s.opt.Background(event, e)
	}
}

// tellEnd reports err, the error that ended g, to g's cell or, if the cell has ended, to Options.Background. It does
// nothing if err is nil or g was interrupted.
func (s *Session) tellEnd(g *goroutine, err *engine.Error) {
	if err == nil || err.Kind == engine.Interrupted {
		return
	}
	if len(err.Frames) == 0 && g.line > 0 { // the panic arose entirely in compiled code
		err.Frames = []engine.Frame{{Cell: g.cell, Line: g.line, Source: g.source}}
	}
	if !s.report(g, err) {
		s.background(goroutineEnded, err)
	}
}

// report passes a panic of g to its cell. It returns false if the cell has ended.
func (s *Session) report(g *goroutine, err *engine.Error) bool {
	s.stop.mu.Lock()
	defer s.stop.mu.Unlock()
	if err.Message == g.why && g.why != stackOverflow {
		return true // the whole cell was stopped, and reports that itself
	}
	if g.run.ended {
		return false
	}
	select {
	case g.run.crashes <- crash{err}:
	default: // another goroutine reported first
	}
	return true
}

// runBody calls body and returns the error that ended it, or nil.
func (s *Session) runBody(g *goroutine, interp *ixgo.Interp, body func(root *frame)) (err *engine.Error) {
	root := new(frame)
	setField(unsafe.Pointer(root), layout.interp, interp)
	g.root = root
	s.stop.enter(g)
	debug.SetPanicOnFault(true) // a bad address made with package unsafe is an error of the cell
	defer func() {
		if p := recover(); p != nil {
			own := isOwnFault(p)
			if own && ofNilEmbedded(p) {
				p, own = nilPointer, false
			}
			if err = s.panicked(p, root); own {
				err.Hints = []string{reportFault}
			}
			if err.Message == stackOverflow { // compiled code, such as package fmt, may have recovered the first panic
				inner := s.crossings.ofStop(stackOverflow)
				if n := min(len(inner), len(err.Frames)); n == 0 || !slices.Equal(inner[:n], err.Frames[:n]) {
					err.Frames = join(inner, err.Frames)
				}
			}
		}
	}()
	s.stop.heed(g) // the goroutine may have been asked to stop before it began
	body(root)
	if why := s.stop.stopped(g); why != "" { // compiled code, such as package fmt, has recovered the panic that stopped g
		return s.valueError(stopSignal{why}, s.crossings.ofStop(why))
	}
	return nil
}

// innermost returns the frame of the innermost call below root.
func innermost(root *frame) *frame {
	for {
		callee := field[*frame](unsafe.Pointer(root), layout.callee)
		// Frames are reused. A frame that has returned, or that another call is using, is not below root.
		if callee == nil || field[int](unsafe.Pointer(callee), layout.ipc) == -1 ||
			field[*frame](unsafe.Pointer(callee), layout.caller) != root {
			return root
		}
		root = callee
	}
}

// Goroutines lists the goroutines that cells have started and that have not ended; see engine.Session.
func (s *Session) Goroutines() []engine.Goroutine {
	s.stop.mu.Lock()
	var list []*goroutine
	told, gids := map[*goroutine]bool{}, map[*goroutine]uint64{}
	for g := range s.stop.all {
		if !g.isLeft() {
			continue // do not list the running cell itself
		}
		list = append(list, g)
		told[g], gids[g] = g.why != "", g.gid
	}
	s.stop.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b *goroutine) int { return a.id - b.id })
	doing := compiledWork()
	var out []engine.Goroutine
	for _, g := range list {
		out = append(out, engine.Goroutine{
			ID: g.id, Cell: g.cell, Line: g.line, Source: strings.TrimSpace(g.source),
			Since: g.since, State: s.state(g, doing[gids[g]]), Stopping: told[g],
		})
	}
	return out
}

// state describes, for display, what g is doing. work says what g is doing in compiled code.
func (s *Session) state(g *goroutine, work work) string {
	if w := g.wait.Load(); w != nil {
		if p := s.ctx.FileSet.Position(w.pos); p.IsValid() {
			return fmt.Sprintf("waits in %s, %s line %d", w.what, p.Filename, p.Line)
		}
		return "waits in " + w.what
	}
	switch {
	case work.function == "":
		return "running"
	case work.state == "running" || work.state == "runnable":
		return "runs " + work.function
	}
	return fmt.Sprintf("waits in %s (%s)", work.function, work.state)
}

// A work says what a goroutine is doing in compiled code.
type work struct {
	state    string // as reported by the runtime, for example "chan receive"
	function string // function called by the cell's code; "" while the cell's own code runs
}

var goroutineHeader = regexp.MustCompile(`^goroutine (\d+)[^\[]*\[([^\],]*)`)

// compiledWork returns the work of each goroutine, by the runtime's goroutine id. It reads the stacks of all
// goroutines.
func compiledWork() map[uint64]work {
	all := map[uint64]work{}
	for id, text := range stacks() {
		m := goroutineHeader.FindStringSubmatch(text)
		all[id] = work{m[2], calledFunction(text)}
	}
	return all
}

// stacks returns the stacks of all goroutines by id, in the runtime's format.
func stacks() map[uint64]string {
	buf := make([]byte, 256<<10)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) || len(buf) >= 64<<20 {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 4*len(buf))
	}
	all := map[uint64]string{}
	for text := range strings.SplitSeq(string(buf), "\n\n") {
		if m := goroutineHeader.FindStringSubmatch(text); m != nil {
			id, _ := strconv.ParseUint(m[1], 10, 64)
			all[id] = text
		}
	}
	return all
}

// calledFunction returns the compiled function that interpreted code has called, given the text of a goroutine's stack.
// It returns "" if interpreted code has called no compiled function. If that function has called other compiled
// functions, the result is still the function that interpreted code called.
func calledFunction(stack string) string {
	last := ""
	for i, line := range strings.Split(stack, "\n") {
		if i == 0 || strings.HasPrefix(line, "\t") {
			continue // a header or a file line
		}
		name := line
		if k := strings.LastIndexByte(line, '('); k > 0 {
			name = line[:k]
		}
		switch {
		case strings.HasPrefix(name, "github.com/goplus/ixgo.") || strings.HasPrefix(name, module.Package("kernel/internal/rt.")):
			return last
		case strings.HasPrefix(name, module.Package("kernel/internal/ixengine.(*")) || strings.HasPrefix(name, "created by"):
			return "" // the session's own code for waiting and counting
		case strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "reflect.") || strings.HasPrefix(name, "internal/"):
		default:
			last = name
		}
	}
	return ""
}

// StopGoroutine ends a goroutine of an earlier cell; see engine.Session.
func (s *Session) StopGoroutine(id int) error {
	s.stop.mu.Lock()
	var g *goroutine
	for o := range s.stop.all {
		if o.id == id && o.isLeft() {
			g = o
		}
	}
	if g == nil {
		s.stop.mu.Unlock()
		return fmt.Errorf("there is no goroutine %d", id)
	}
	s.stop.tell(g, interrupted)
	s.stop.raise(1)
	s.stop.mu.Unlock()
	left := newReprieve(s.opt.Grace)
	ended := waitEnd(g, &left)
	s.stop.settle()
	if ended {
		return nil
	}
	for _, o := range s.Goroutines() {
		if o.ID == id {
			return fmt.Errorf("goroutine %d was asked to stop, but %s: it ends when that returns", id, o.State)
		}
	}
	return nil
}

// Start runs f in a goroutine of the caller's cell; see engine.Session.
func (s *Session) Start(f func()) (stop func()) {
	parent := s.stop.self()
	run := s.stop.runOf(parent)
	g := &goroutine{run: run, cell: run.cell, source: "a call by compiled code"}
	s.stop.add(g, parent)
	go s.runGoroutine(g, nil, func(*frame) { f() })
	// If the goroutine has already ended by itself, there is nothing to stop.
	return func() { _ = s.StopGoroutine(g.id) }
}

// StopGoroutines ends all goroutines that earlier cells left running; see engine.Session.
func (s *Session) StopGoroutines() {
	if !s.running.TryLock() {
		return
	}
	defer s.running.Unlock()
	s.stop.mu.Lock()
	var list []*goroutine
	for g := range s.stop.all {
		s.stop.tell(g, interrupted)
		list = append(list, g)
	}
	for _, r := range s.stop.recent {
		s.stop.endContext(r)
	}
	s.stop.recent = nil
	s.stop.raise(1)
	s.stop.mu.Unlock()
	left := newReprieve(2 * firstMoment)
	for _, g := range list {
		waitEnd(g, &left)
	}
	s.stop.settle()
}

// waitEnd waits for g to end. It reports whether g ended in time, before the reprieve was over.
func waitEnd(g *goroutine, left *reprieve) bool {
	for g.inBubble {
		if g.ended.Load() {
			return true
		}
		<-left.wait()
		if left.over() {
			return g.ended.Load()
		}
	}
	for {
		select {
		case <-g.done:
			return true
		case <-left.wait():
		}
		if left.over() {
			select {
			case <-g.done:
				return true
			default:
				return false
			}
		}
	}
}

// A reprieve is the time within which goroutines must end after they have been asked to stop. The time is divided into
// pieces that are counted one after the other. If the whole process stalls, for example on a sleeping or overloaded
// machine, the stall uses up only one piece, however long it is, and the goroutines still have the other pieces.
type reprieve struct {
	piece time.Duration
	left  int
}

func newReprieve(d time.Duration) reprieve {
	const pieces = 10
	return reprieve{d / pieces, pieces}
}

// wait returns a channel that becomes readable when the next piece of the time has passed. The caller must then call
// r.over, which counts the piece and reports whether it was the last.
func (r *reprieve) wait() <-chan time.Time {
	if r.left <= 0 {
		return time.After(0)
	}
	return time.After(r.piece)
}

func (r *reprieve) over() bool {
	r.left--
	return r.left <= 0
}
