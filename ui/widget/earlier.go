package widget

import "sync/atomic"

// earlierFunc holds the function that was passed to SetEarlier.
var earlierFunc atomic.Pointer[func() map[string]string]

// SetEarlier sets the function that returns the controls saved in the notebook's file: their static HTML, by
// model id. If saved is nil, there are no saved controls. saved may be slow, and must not panic. Kernels call
// SetEarlier.
//
// A front end that opens a notebook with a new kernel does not know these controls, and would show an error
// in their place. So when it requests all states from the kernel, the reply includes the saved states.
func SetEarlier(saved func() map[string]string) {
	if saved == nil {
		earlierFunc.Store(nil)
		return
	}
	earlierFunc.Store(&saved)
}

// addEarlier adds the states of controls that exist only in the file.
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

// stateOf returns a state in the form used in the reply with all states.
func stateOf(state map[string]any) map[string]any {
	return map[string]any{
		"model_name": state["_model_name"], "model_module": state["_model_module"],
		"model_module_version": state["_model_module_version"], "state": state,
	}
}
