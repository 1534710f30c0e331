package dap

import (
	"maps"
	"slices"

	"overcomplete/kernel/engine"
)

// A table gives numbers to references. Front ends receive the number of a reference, and ask for its variables with
// this number. Numbers are not reused.
type table struct {
	next    int
	entries map[int]*reference
}

// A reference stands for a list of variables that a front end can request, such as the variables of a scope or the
// fields of a struct.
type reference struct {
	load   func() (container, error) // loads the variables; nil if inside is set
	inside container
	frame  engine.FrameID // frame for evaluations
	// session is set if the reference belongs to the session, not to a stop.
	session bool
}

// add adds a reference and returns its number.
func (t *table) add(r *reference) int {
	if t.entries == nil {
		t.entries = map[int]*reference{}
	}
	t.next++
	t.entries[t.next] = r
	return t.next
}

// dropHeld drops the references that belong to a stop.
func (t *table) dropHeld() {
	maps.DeleteFunc(t.entries, func(_ int, r *reference) bool { return !r.session })
}

// dropSession drops the references that belong to the session.
func (t *table) dropSession() {
	maps.DeleteFunc(t.entries, func(_ int, r *reference) bool { return r.session })
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
