package dap

import (
	"slices"

	"overcomplete/kernel/engine"
)

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
