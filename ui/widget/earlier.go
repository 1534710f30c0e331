package widget

import "sync/atomic"

// earlier is what SetEarlier set.
var earlier atomic.Pointer[func() map[string]string]

// SetEarlier makes saved tell which controls the notebook's file has, by their model ids, with their
// HTML, in which nothing moves; nil makes it tell none. saved may be slow, and must not panic.
// Kernels call SetEarlier.
//
// A front end that opens a notebook under a new kernel knows nothing of these controls, and would
// show an error in their place. It asks the kernel for all states, and gets what was saved.
func SetEarlier(saved func() map[string]string) {
	if saved == nil {
		earlier.Store(nil)
		return
	}
	earlier.Store(&saved)
}

// addEarlier adds to the states those of controls that only the file has.
func addEarlier(states map[string]any, saved map[string]string) {
	for id, html := range saved {
		if states[id] != nil {
			continue
		}
		state := entries(controls, htmlLabel.model, controls, htmlLabel.view)
		state["value"], state["layout"], state["style"] = html, nil, nil
		states[id] = stateOf(state)
	}
}

// stateOf is a state in the form in which all are asked for.
func stateOf(state map[string]any) map[string]any {
	return map[string]any{
		"model_name": state["_model_name"], "model_module": state["_model_module"],
		"model_module_version": state["_model_module_version"], "state": state,
	}
}
