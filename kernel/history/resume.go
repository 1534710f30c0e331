package history

import (
	"os"
	"slices"
)

// A State holds everything that another program needs to continue a session's history.
type State struct {
	Dir     string
	Session int
	Written int     // size of the session's file in bytes
	Own     []Entry // the session's cells
}

// State returns the state of h. At most one program may continue from a State.
func (h *History) State() State {
	h.mu.Lock()
	defer h.mu.Unlock()
	return State{Dir: h.dir, Session: h.session, Written: h.written, Own: slices.Clone(h.own)}
}

// Resume continues a session that another program has begun. If the session's file no longer exists, the
// history continues in memory.
func Resume(st State) *History {
	h := New(st.Dir)
	if st.Session < 1 {
		return h
	}
	h.session, h.written, h.own = st.Session, st.Written, st.Own
	for _, e := range h.own {
		h.held += len(e.Source) + len(e.Output)
	}
	if h.dir != "" {
		if f, err := os.OpenFile(h.path(h.session), os.O_WRONLY|os.O_APPEND, 0); err == nil {
			h.file = f
		}
	}
	return h
}
