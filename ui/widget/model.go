package widget

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"sync"

	"overcomplete/ui/comm"
)

// A model is the front ends' view of a control: its state, and the comms through which front ends receive
// changes.
type model struct {
	kind kind
	// arrived is called at once with the changes made by a front end; the function that it returns runs
	// later, between cells. The lock is not held during the call.
	arrived func(state map[string]json.RawMessage) (then func())
	// event is called for a custom message, such as a click.
	event func(name string) (then func())

	mu       sync.Mutex
	state    map[string]any // without the entries that fullState adds
	children []*model
	view     *model     // the box that shows the model with its play button; nil if the model is shown alone
	linked   bool       // front ends keep the values of the two children equal
	comm     *comm.Comm // nil until a front end needs to show the control
	manager  *comm.Manager
	areas    areas        // the areas that show the output of callbacks
	links    []*comm.Comm // comms of layout and style
	pages    []*comm.Comm // comms of our own pages that show the model, see pages.go
	layout   string       // comm ids, once the comms are open
	style    string
}

// order is a lock that is held from the moment a state is read or changed until the message about it has been
// sent, so that the last message to a front end has the current state. All models share one lock, because
// some messages concern several models. A model's mu is held only briefly, so that a loop that reads a slider
// does not wait for a front end.
var order sync.Mutex

// open holds, by id, the models that front ends know.
var open struct {
	sync.Mutex
	models map[string]*model
}

// shown returns the model that front ends show in place of m: a box with m and its play button, or m itself if it has
// no play button.
func (m *model) shown() *model {
	if m.view != nil {
		return m.view
	}
	return m
}

// show opens the comms of m and of the models that it contains, in the order that the front end needs, and
// returns the id of m. It returns "" if no front end is served.
func (m *model) show() string {
	manager := comm.Current()
	if manager == nil {
		return ""
	}
	var ids []string
	for _, c := range m.children {
		ids = append(ids, "IPY_MODEL_"+c.show())
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.comm != nil && m.manager == manager {
		return m.comm.ID
	}
	m.manager = manager
	m.links, m.layout, m.style = nil, "", ""
	link := func(state map[string]any) string {
		c, err := manager.Open(target, "", map[string]any{"state": state, "buffer_paths": []string{}}, map[string]any{"version": protocolVersion})
		if err != nil {
			return ""
		}
		c.Receive(func(msg comm.Message) func() {
			if method(msg) == "request_state" {
				c.Answer(msg, update(state)) // this state never changes
			}
			return nil
		})
		m.links = append(m.links, c)
		remember(c.ID, &model{state: state, comm: c})
		return c.ID
	}
	m.layout = link(entries(base, "LayoutModel", base, "LayoutView"))
	if m.kind.style != "" {
		style := entries(controls, m.kind.style, base, "StyleView")
		if m.kind.wide {
			style["description_width"] = "initial"
		}
		m.style = link(style)
	}
	if len(ids) > 0 {
		m.state["children"] = ids
	}
	if m.linked {
		state := entries(controls, "LinkModel", controls, "")
		state["_view_name"] = nil
		state["source"], state["target"] = []string{ids[0], "value"}, []string{ids[1], "value"}
		link(state)
	}
	c, err := manager.Open(target, "", map[string]any{"state": m.fullState(), "buffer_paths": []string{}}, map[string]any{"version": protocolVersion})
	if err != nil {
		return ""
	}
	m.comm = c
	c.Receive(func(msg comm.Message) func() { return m.receive(c, msg) })
	remember(c.ID, m)
	return c.ID
}

func remember(id string, m *model) {
	open.Lock()
	defer open.Unlock()
	if open.models == nil {
		open.models = map[string]*model{}
	}
	open.models[id] = m
}

// find returns the model with the given id, or nil if there is none.
func find(id string) *model {
	open.Lock()
	defer open.Unlock()
	return open.models[id]
}

// put changes an entry of the state without notifying front ends.
func (m *model) put(key string, v any) {
	m.mu.Lock()
	m.state[key] = v
	m.mu.Unlock()
}

// fullState returns the complete state that a front end needs. The caller must hold m.mu.
func (m *model) fullState() map[string]any {
	s := map[string]any{}
	if m.kind.model != "" {
		module := m.kind.module()
		s = entries(module, m.kind.model, module, m.kind.view)
	}
	maps.Copy(s, m.state)
	if m.layout != "" {
		s["layout"] = "IPY_MODEL_" + m.layout
	}
	if m.style != "" {
		s["style"] = "IPY_MODEL_" + m.style
	}
	return s
}

// stateNow is like fullState, for callers that do not hold m.mu.
func (m *model) stateNow() map[string]any {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.fullState()
}

// update returns an ipywidgets message that sets the given entries of a model's state.
func update(state map[string]any) map[string]any {
	return map[string]any{"method": "update", "state": state, "buffer_paths": []string{}}
}

// set changes part of the state and sends the change to all front ends.
func (m *model) set(changes map[string]any) {
	order.Lock()
	defer order.Unlock()
	m.mu.Lock()
	maps.Copy(m.state, changes)
	m.mu.Unlock()
	m.tell(changes, nil)
}

// tell sends the changes to every front end, or, if the given comm is not nil, to every front end but the one with that
// comm. The caller must hold the package's lock (order).
func (m *model) tell(changes map[string]any, but *comm.Comm) {
	m.mu.Lock()
	to, pages := m.comm, slices.Clone(m.pages)
	m.mu.Unlock()
	if to != nil && to != but {
		to.Send(update(changes))
	}
	for _, p := range pages {
		if p != but && to != nil {
			p.Send(map[string]any{"id": to.ID, "state": changes})
		}
	}
}

// id returns the comm's id, or "" if no front end has shown m.
func (m *model) id() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.comm == nil {
		return ""
	}
	return m.comm.ID
}

// hasPages reports whether one of our own pages shows m.
func (m *model) hasPages() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.pages) > 0
}

// get returns one entry of the state.
func (m *model) get(key string) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state[key]
}

// method returns the method field of an ipywidgets message.
func method(msg comm.Message) string {
	var in struct {
		Method string `json:"method"`
	}
	json.Unmarshal(msg.Data, &in) // an unreadable message has no method
	return in.Method
}

// receive handles an ipywidgets message that has arrived on the comm c. If the returned function is not nil, it runs
// later, between cells.
func (m *model) receive(c *comm.Comm, msg comm.Message) (then func()) {
	var in struct {
		Method  string                     `json:"method"`
		State   map[string]json.RawMessage `json:"state"`
		Content struct {
			Event string `json:"event"`
		} `json:"content"`
	}
	if json.Unmarshal(msg.Data, &in) != nil {
		return nil
	}
	switch in.Method {
	case "update":
		then = m.change(in.State, c)
		m.echo(msg, in.State, c)
		return then
	case "request_state":
		order.Lock()
		defer order.Unlock()
		c.Answer(msg, update(m.stateNow()))
	case "custom":
		if m.event != nil {
			return m.event(in.Content.Event)
		}
	}
	return nil
}

// echo answers a front end's message by sending back the changes that the message contains. ipywidgets 8 uses this echo
// to recognize its own latest change, so that an earlier value does not overwrite a later one. Other windows on the
// same kernel share the comm and learn of the change only through the echo. If the control did not accept a value
// unchanged, echo also sends the accepted value, as an update.
//
// The environment variable JUPYTER_WIDGETS_ECHO turns echoes off, as in ipykernel.
func (m *model) echo(msg comm.Message, state map[string]json.RawMessage, c *comm.Comm) {
	order.Lock()
	defer order.Unlock()
	same, other := map[string]any{}, map[string]any{}
	m.mu.Lock()
	for key, sent := range state {
		v, ok := m.state[key]
		if !ok || m.arrived == nil {
			continue
		}
		same[key] = sent
		if !equal(sent, v) {
			other[key] = v
		}
	}
	m.mu.Unlock()
	if echoes() && len(same) > 0 {
		c.Answer(msg, map[string]any{"method": "echo_update", "state": same, "buffer_paths": []string{}})
	}
	if len(other) > 0 {
		c.Send(update(other))
	}
}

// equal reports whether raw is JSON with the same value as v.
func equal(raw json.RawMessage, v any) bool {
	var a, b any
	want, err := json.Marshal(v)
	return err == nil && json.Unmarshal(raw, &a) == nil && json.Unmarshal(want, &b) == nil && reflect.DeepEqual(a, b)
}

// change handles a change made in a front end, and sends the accepted values to the other front ends. The argument from
// is the comm of the front end that made the change. If the returned function is not nil, it runs later, between cells.
func (m *model) change(state map[string]json.RawMessage, from *comm.Comm) (then func()) {
	if m.arrived != nil {
		then = m.arrived(state)
	}
	order.Lock()
	defer order.Unlock()
	changes := map[string]any{}
	m.mu.Lock()
	for key := range state {
		// Send only changes that arrived has accepted; their values are now in the state.
		if v, ok := m.state[key]; ok {
			changes[key] = v
		}
	}
	m.mu.Unlock()
	if len(changes) > 0 {
		m.tell(changes, from)
	}
	return then
}

// close closes the comms, so front ends remove the control.
func (m *model) close() {
	m.mu.Lock()
	all := append(slices.Clone(m.links), m.comm)
	pages := m.pages
	m.comm, m.links, m.pages = nil, nil, nil
	m.mu.Unlock()
	for _, c := range all {
		if c != nil {
			c.Close()
			open.Lock()
			delete(open.models, c.ID)
			open.Unlock()
		}
	}
	for _, c := range pages {
		closeEmpty(c)
	}
}

// init registers the comm targets to which front ends open comms themselves. Every kernel that includes this package
// has these targets.
func init() {
	comm.Default(ownTarget, pageOpened)
	comm.Default(controlTarget, func(c *comm.Comm, _ comm.Message) func() {
		eight.Store(true)
		c.Receive(func(msg comm.Message) func() {
			if method(msg) == "request_states" {
				answerStates(c, msg)
			}
			return nil
		})
		return nil
	})
}

// answerStates answers a request for the states of all models, which a front end with ipywidgets 8 sends. It answers
// at once, or in another goroutine if the notebook's file must be read.
func answerStates(c *comm.Comm, msg comm.Message) {
	answer := func(earlier map[string]string) {
		order.Lock()
		defer order.Unlock()
		c.Answer(msg, states(earlier))
	}
	if look := earlierFunc.Load(); look != nil {
		go func() { answer((*look)()) }()
		return
	}
	answer(nil)
}

// states returns the answer to a request for all states. The answer has the states of the open models, and of the
// controls that exist only in the notebook's file. earlier holds the HTML of the controls in the file, by model id (see
// SetEarlier).
func states(earlier map[string]string) map[string]any {
	open.Lock()
	models := maps.Clone(open.models)
	open.Unlock()
	all := map[string]any{}
	for id, m := range models {
		all[id] = stateOf(m.stateNow())
	}
	addEarlier(all, earlier)
	return map[string]any{"method": "update_states", "states": all, "buffer_paths": []string{}}
}
