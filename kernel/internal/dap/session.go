package dap

import (
	"slices"

	"overcomplete/kernel/engine"
)

// jupyterLab is the clientID of JupyterLab and Notebook 7.
const jupyterLab = "jupyterlab"

// capabilities returns the body of the reply to an initialize request: what this debugger supports.
func capabilities() object {
	return object{
		"supportsConfigurationDoneRequest":  true,
		"supportsConditionalBreakpoints":    true,
		"supportsHitConditionalBreakpoints": true,
		"supportsLogPoints":                 true,
		"supportsEvaluateForHovers":         true,
		"supportsClipboardContext":          true,
		"supportsSetVariable":               true,
		"supportsSetExpression":             true,
		"supportsExceptionInfoRequest":      true,
		"supportsDelayedStackTraceLoading":  true,
		"supportsModulesRequest":            true,
		"supportsCancelRequest":             true,
		"exceptionBreakpointFilters": []object{ // JupyterLab's menu shows the field filter, VS Code's list shows the field label
			{"filter": uncaughtPanics, "label": "Uncaught Panics", "default": false,
				"description": "Stop at a panic that no function of a cell recovers."},
			{"filter": allPanics, "label": "All Panics", "default": false,
				"description": "Stop at each panic, even if it is recovered."},
		},
	}
}

func (a *Adapter) initialize(r request) (object, error) {
	var args struct {
		ClientID any `json:"clientID"`
	}
	if err := r.read(&args); err != nil {
		return nil, err
	}
	if _, err := a.attachable(); err != nil {
		return nil, err
	}
	a.mu.Lock()
	a.client, _ = args.ClientID.(string)
	a.mu.Unlock()
	return capabilities(), nil
}

// attach starts debugging. If a front end is already debugging, other front ends join it.
func (a *Adapter) attach(request) (object, error) {
	s, err := a.attachable()
	if err != nil {
		return nil, err
	}
	a.attaching.Lock()
	defer a.attaching.Unlock()
	if _, err := a.attached(); err != nil {
		a.mu.Lock()
		a.round++
		round := a.round
		a.mu.Unlock()
		d := s.Attach(func(e engine.DebugEvent) { a.handleEvent(round, e) })
		a.mu.Lock()
		a.debug = d
		a.mu.Unlock()
		if a.ctx.Err() != nil { // Close may have been called before
			d.Detach()
		}
	}
	a.tell("initialized", nil) // when JupyterLab gets this event, it offers to stop at panics
	return nil, nil
}

// disconnect ends debugging for all front ends; stopped code continues.
func (a *Adapter) disconnect(request) (object, error) {
	d, err := a.attached()
	if err != nil {
		return nil, nil // no front end is debugging, so there is nothing to disconnect
	}
	d.Detach()
	a.mu.Lock()
	a.debug = nil
	a.round++
	a.released()
	clear(a.set)
	a.globals = nil
	a.mu.Unlock()
	a.tell("terminated", nil)
	return nil, nil
}

// debugInfo returns the state of the debugger: whether it is on, how paths are computed from texts, the breakpoints,
// and the stopped goroutines. It is the first request of a front end, and also works while the debugger is off.
func (a *Adapter) debugInfo(request) (object, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	breakpoints := []object{}
	for _, path := range sortedNames(a.set) {
		breakpoints = append(breakpoints, object{"source": path, "breakpoints": a.set[path]})
	}
	stopped := []int{}
	for _, s := range a.held {
		stopped = append(stopped, s.Goroutine)
	}
	slices.Sort(stopped)
	return object{
		"isStarted":      a.debug != nil,
		"hashMethod":     hashMethod,
		"hashSeed":       hashSeed,
		"tmpFilePrefix":  a.cells.prefix,
		"tmpFileSuffix":  pathSuffix,
		"breakpoints":    breakpoints,
		"stoppedThreads": stopped,
		"richRendering":  true,
		"exceptionPaths": []string{},
		"copyToGlobals":  false, // false, because copyToGlobals cannot declare a variable, and JupyterLab would not report that
	}, nil
}

// A stop is an event at which a goroutine stopped; the other goroutines are stopped together with it.
type stop struct {
	engine.DebugEvent
}

// reasons translates the engine's reasons to the protocol's reasons.
var reasons = map[string]string{"breakpoint": "breakpoint", "step": "step", "pause": "pause", "panic": "exception"}

// handleEvent handles an event of the engine. round is the number of the attachment to which the event belongs; events
// of earlier attachments are ignored. handleEvent must neither block nor call the engine.
func (a *Adapter) handleEvent(round int, e engine.DebugEvent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if round != a.round {
		return
	}
	switch e.Reason {
	case "log":
		a.tell("output", object{"category": "console", "output": e.Log + "\n"})
	case "continued":
		a.released()
	case "ended": // other goroutines of the ended cell may still be stopped
	default:
		reason := reasons[e.Reason]
		if reason == "" {
			reason = e.Reason
		}
		a.held = append(slices.DeleteFunc(a.held, func(s stop) bool { return s.Goroutine == e.Goroutine }), stop{e})
		a.frames.fresh()
		body := object{"reason": reason, "threadId": e.Goroutine, "allThreadsStopped": true, "preserveFocusHint": false}
		if e.Text != "" {
			body["text"], body["description"] = e.Text, e.Text
		}
		if len(e.Breakpoints) > 0 {
			body["hitBreakpointIds"] = e.Breakpoints
		}
		a.tell("stopped", body)
	}
}

// released forgets the stops, with their frames and the lists of variables that belong to them, and tells the front
// ends that the stopped goroutines continue. The caller holds a.mu.
func (a *Adapter) released() {
	a.table.dropHeld()
	a.frames.drop()
	for _, s := range a.held {
		a.tell("continued", object{"threadId": s.Goroutine, "allThreadsContinued": true})
	}
	a.held = nil
}
