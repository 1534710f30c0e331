package dap

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"overcomplete/kernel/engine"
)

// maxBreakpoints is the maximum number of breakpoints of a cell; maxText is the maximum size of a cell's text
// in bytes.
const (
	maxBreakpoints = 10_000
	maxText        = 8 << 20
)

// dumpCell answers the request that announces a cell: it records the cell's text and returns the cell's path.
func (a *Adapter) dumpCell(r request) (object, error) {
	var args struct {
		Code *string `json:"code"`
	}
	if err := r.read(&args); err != nil {
		return nil, err
	}
	if args.Code == nil {
		return nil, errors.New("dumpCell: the request has no code")
	}
	if len(*args.Code) > maxText {
		return nil, fmt.Errorf("dumpCell: the cell has more than %d bytes", maxText)
	}
	return object{"sourcePath": a.note(*args.Code)}, nil
}

// note records the text of a cell and returns its path.
func (a *Adapter) note(text string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.cells.note(text, func(path string) bool { return a.set[path] != nil })
}

// A sourceBreakpoint is a breakpoint in a front end's request.
type sourceBreakpoint struct {
	Line         int    `json:"line"`
	Condition    string `json:"condition"`
	HitCondition string `json:"hitCondition"`
	LogMessage   string `json:"logMessage"`
}

// breakpoint returns b as an engine.Breakpoint. If b is invalid, the result why gives the reason.
func (b sourceBreakpoint) breakpoint() (bp engine.Breakpoint, why string) {
	bp = engine.Breakpoint{Line: b.Line, Condition: strings.TrimSpace(b.Condition), Log: b.LogMessage}
	if b.HitCondition != "" {
		// Other debuggers write >= 3 to stop from the third hit on. Here the condition is the number alone.
		text := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(b.HitCondition), ">="))
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return bp, fmt.Sprintf("hit condition %.40q: write a number N to stop from the Nth time on", b.HitCondition)
		}
		bp.Hits = n
	}
	if b.Line < 1 {
		return bp, "line numbers begin at 1"
	}
	return bp, ""
}

// object returns b in the form that the reply to debugInfo needs. Execution stops at the given line, which may differ
// from b.Line.
func (b sourceBreakpoint) object(line int) object {
	m := object{"line": line}
	for name, text := range map[string]string{"condition": b.Condition, "hitCondition": b.HitCondition, "logMessage": b.LogMessage} {
		if text != "" {
			m[name] = text
		}
	}
	return m
}

func (a *Adapter) setBreakpoints(r request) (object, error) {
	var args struct {
		Source struct {
			Path string `json:"path"`
		} `json:"source"`
		Breakpoints []sourceBreakpoint `json:"breakpoints"`
		Lines       []int              `json:"lines"` // used by older front ends
	}
	if err := r.read(&args); err != nil {
		return nil, err
	}
	path := args.Source.Path
	if path == "" {
		return nil, errors.New("setBreakpoints: the request has no path of a source")
	}
	if args.Breakpoints == nil {
		for _, n := range args.Lines {
			args.Breakpoints = append(args.Breakpoints, sourceBreakpoint{Line: n})
		}
	}
	if len(args.Breakpoints) > maxBreakpoints {
		return nil, fmt.Errorf("a cell can have at most %d breakpoints", maxBreakpoints)
	}
	d, err := a.attached()
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	text, known := a.cells.texts[path]
	a.mu.Unlock()
	results := make([]object, len(args.Breakpoints))
	var asked []engine.Breakpoint
	var place []int // indexes into results, for each breakpoint of the engine
	for i, b := range args.Breakpoints {
		bp, why := b.breakpoint()
		if why == "" && !known {
			why = "no cell has this text: set the breakpoint again"
		}
		if why == "" {
			asked, place = append(asked, bp), append(place, i)
			continue
		}
		results[i] = object{"verified": false, "line": b.Line, "message": why, "source": object{"path": path}}
	}
	var set []object
	if known {
		for k, s := range d.SetBreakpoints(text, asked) {
			b, i := args.Breakpoints[place[k]], place[k]
			results[i] = object{"id": s.ID, "verified": s.Line > 0, "line": s.Line, "source": object{"path": path}}
			if s.Message != "" {
				results[i]["message"] = s.Message
			}
			if s.Line == 0 {
				results[i]["line"] = b.Line // JupyterLab expects a line even for an invalid breakpoint
				continue
			}
			set = append(set, b.object(s.Line))
		}
	}
	a.mu.Lock()
	if len(set) > 0 {
		a.set[path] = set
	} else {
		delete(a.set, path)
	}
	a.mu.Unlock()
	return object{"breakpoints": results}, nil
}

// setFunctionBreakpoints rejects each breakpoint in the request, with advice, because the debugger does not support
// function breakpoints. The request itself succeeds, because some front ends send it unprompted.
func (a *Adapter) setFunctionBreakpoints(r request) (object, error) {
	var args struct {
		Breakpoints []object `json:"breakpoints"`
	}
	if err := r.read(&args); err != nil {
		return nil, err
	}
	results := []object{}
	for range args.Breakpoints {
		results = append(results, object{"verified": false, "message": "set a breakpoint at the function's first line"})
	}
	return object{"breakpoints": results}, nil
}

// Names of the panic filters.
const (
	uncaughtPanics = "uncaught panics"
	allPanics      = "all panics"
)

func (a *Adapter) setExceptionBreakpoints(r request) (object, error) {
	var args struct {
		Filters []string `json:"filters"`
	}
	if err := r.read(&args); err != nil {
		return nil, err
	}
	filter := engine.NoPanics
	results := []object{}
	for _, f := range args.Filters {
		switch f {
		case allPanics:
			filter = engine.AllPanics
		case uncaughtPanics:
			filter = max(filter, engine.UncaughtPanics)
		default:
			results = append(results, object{"verified": false, "message": fmt.Sprintf("there is no exception filter called %.40q", f)})
			continue
		}
		results = append(results, object{"verified": true})
	}
	d, err := a.attached()
	if err != nil {
		return nil, err
	}
	d.SetPanics(filter)
	return object{"breakpoints": results}, nil
}
