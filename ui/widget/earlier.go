package widget

import "sync/atomic"

// earlierFunc holds the function that was passed to SetEarlier.
var earlierFunc atomic.Pointer[func() map[string]string]

// SetEarlier sets a function that returns the controls saved in the notebook's file: for each model id, the HTML that
// shows the control without a kernel. The function may be slow, and must not panic. If the function is nil, there are
// no saved controls. Kernels call SetEarlier.
//
// The controls come from an earlier kernel. A front end that opens the notebook with a new kernel does not know them,
// and would show an error in their place. So when the front end asks the kernel for the states of all controls, the
// answer includes the saved ones.
func SetEarlier(saved func() map[string]string) {
	if saved == nil {
		earlierFunc.Store(nil)
		return
	}
	earlierFunc.Store(&saved)
}

// addEarlier adds the controls that exist only in the notebook's file to the states of the open models. Each is added
// as a label that shows the control's saved HTML.
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

// stateOf returns the state of one model in the form that the answer to a request for all states requires.
func stateOf(state map[string]any) map[string]any {
	return map[string]any{
		"model_name": state["_model_name"], "model_module": state["_model_module"],
		"model_module_version": state["_model_module_version"], "state": state,
	}
}
