package dap

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"overcomplete/kernel/engine"
)

// frames assigns numbers to the frames of stopped goroutines.
type frames struct {
	next  int
	known map[int]engine.DebugFrame // frames by number
	given map[place]int
}

// A place is the position of a frame in its stack.
type place struct{ goroutine, depth int }

// number returns the number of the given frame, which is at the place p. Until fresh or drop is called, a place keeps
// its number.
func (f *frames) number(p place, frame engine.DebugFrame) int {
	if f.known == nil {
		f.known, f.given = map[int]engine.DebugFrame{}, map[place]int{}
	}
	n := f.given[p]
	if n == 0 {
		f.next++
		n = f.next
		f.given[p] = n
	}
	f.known[n] = frame
	return n
}

// fresh causes each frame to get a new number when its number is next requested. Old numbers remain valid. JupyterLab
// requests variables again only if the numbers of frames change.
func (f *frames) fresh() { clear(f.given) }

// drop forgets all frames, so that their numbers are no longer valid.
func (f *frames) drop() {
	clear(f.given)
	clear(f.known)
}

// errGone is the answer to a request about an earlier stop.
var errGone = errors.New("this belongs to an earlier stop, about which nothing is known anymore")

// frame returns the ID of the frame with number n. It returns 0, which means no frame, if n is 0.
func (a *Adapter) frame(n int) (engine.FrameID, error) {
	if n == 0 {
		return 0, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	f, ok := a.frames.known[n]
	if !ok {
		return 0, errGone
	}
	return f.ID, nil
}

func (a *Adapter) threads(request) (object, error) {
	d, err := a.attached()
	if err != nil {
		return nil, err
	}
	list := []object{}
	for _, g := range d.Goroutines() {
		name := cmp.Or(g.Name, fmt.Sprintf("goroutine %d", g.ID))
		if g.State != "" && !g.Held {
			name += " (" + g.State + ")"
		}
		list = append(list, object{"id": g.ID, "name": name})
	}
	return object{"threads": list}, nil
}

func (a *Adapter) stackTrace(r request) (object, error) {
	var args struct {
		Thread int `json:"threadId"`
		Start  int `json:"startFrame"`
		Levels int `json:"levels"`
	}
	if err := r.read(&args); err != nil {
		return nil, err
	}
	d, err := a.attached()
	if err != nil {
		return nil, err
	}
	stack, err := d.Stack(args.Thread)
	if err != nil {
		return nil, err
	}
	lo := min(max(args.Start, 0), len(stack))
	hi := min(lo+maxPage, len(stack))
	if args.Levels > 0 {
		hi = min(lo+args.Levels, hi)
	} else {
		hi = min(lo+pageSize, hi) // limits an endless recursion, for a front end that does not ask for pages
	}
	list := []object{}
	for i := lo; i < hi; i++ {
		list = append(list, a.stackFrame(place{args.Thread, i}, stack[i]))
	}
	return object{"stackFrames": list, "totalFrames": len(stack)}, nil
}

// stackFrame returns the frame f, which is at the place p, in the protocol's form. It makes the source of the frame
// available to source requests.
func (a *Adapter) stackFrame(p place, f engine.DebugFrame) object {
	// JupyterLab needs a source for each frame; it does not open a source without a path.
	source := object{"name": "compiled code", "path": "", "sourceReference": 0, "presentationHint": "deemphasize"}
	switch {
	case f.Source != "":
		source = object{"name": f.Cell, "path": a.note(f.Source), "sourceReference": 0}
	case f.File != "":
		a.mu.Lock()
		a.files[f.File] = true
		a.mu.Unlock()
		source = object{"name": filepath.Base(f.File), "path": f.File, "sourceReference": 0}
	}
	a.mu.Lock()
	n := a.frames.number(p, f)
	a.mu.Unlock()
	return object{"id": n, "name": cmp.Or(f.Func, f.Cell, "compiled code"), "line": f.Line, "column": max(f.Col, 1), "source": source}
}

// goOn answers a continue request. It ignores the request's threadId, because JupyterLab does not send the id of the
// thread that stopped, and because all goroutines continue together.
func (a *Adapter) goOn(request) (object, error) {
	d, err := a.attached()
	if err != nil {
		return nil, err
	}
	if err := d.Continue(0, engine.NoStep); err != nil {
		return nil, err
	}
	return object{"allThreadsContinued": true}, nil
}

var steps = map[string]engine.Step{"next": engine.StepOver, "stepIn": engine.StepIn, "stepOut": engine.StepOut}

// step answers the requests next, stepIn and stepOut. The goroutine that the front end names takes the step. If that
// goroutine is not stopped, the goroutine that stopped last takes it.
func (a *Adapter) step(r request) (object, error) {
	var args struct {
		Thread int `json:"threadId"`
	}
	if err := r.read(&args); err != nil {
		return nil, err
	}
	d, err := a.attached()
	if err != nil {
		return nil, err
	}
	goroutine := 0
	for _, g := range d.Goroutines() {
		if g.ID == args.Thread && g.Held {
			goroutine = g.ID
		}
	}
	if goroutine == 0 {
		s, ok := a.lastStop(0)
		if !ok {
			return nil, engine.ErrNotHeld
		}
		goroutine = s.Goroutine
	}
	return nil, d.Continue(goroutine, steps[r.Command])
}

// lastStop returns the current stop of the given goroutine or, if goroutine is 0, the latest stop of all goroutines.
// It returns false if there is no such stop.
func (a *Adapter) lastStop(goroutine int) (stop, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := len(a.held) - 1; i >= 0; i-- {
		if goroutine == 0 || a.held[i].Goroutine == goroutine {
			return a.held[i], true
		}
	}
	return stop{}, false
}

func (a *Adapter) pause(request) (object, error) {
	d, err := a.attached()
	if err != nil {
		return nil, err
	}
	d.Pause()
	return nil, nil
}

func (a *Adapter) exceptionInfo(r request) (object, error) {
	var args struct {
		Thread int `json:"threadId"`
	}
	if err := r.read(&args); err != nil {
		return nil, err
	}
	s, ok := a.lastStop(args.Thread)
	if !ok || s.Reason != "panic" {
		return nil, errors.New("this goroutine has not stopped at a panic")
	}
	return object{"exceptionId": "panic", "description": s.Text, "breakMode": "always",
		"details": object{"message": s.Text, "typeName": "panic"}}, nil
}

// source returns the text of a cell, or of a source file that occurred in a stack sent to a front end. It reads no
// other file.
func (a *Adapter) source(r request) (object, error) {
	var args struct {
		Source struct {
			Path string `json:"path"`
		} `json:"source"`
	}
	if err := r.read(&args); err != nil {
		return nil, err
	}
	a.mu.Lock()
	text, known := a.cells.texts[args.Source.Path]
	file := a.files[args.Source.Path]
	a.mu.Unlock()
	switch {
	case known:
	case file:
		data, err := os.ReadFile(args.Source.Path)
		if err != nil {
			return nil, err
		}
		text = string(data)
	default:
		return nil, fmt.Errorf("there is no source %.200q in this session", args.Source.Path)
	}
	return object{"content": text, "mimeType": "text/x-go"}, nil
}

// modules lists the packages' source files that occurred in stacks sent to front ends.
func (a *Adapter) modules(request) (object, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := []object{}
	for _, file := range sortedNames(a.files) {
		list = append(list, object{"id": len(list), "name": filepath.Base(file), "path": file})
	}
	return object{"modules": list, "totalModules": len(list)}, nil
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
