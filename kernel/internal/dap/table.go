package dap

import (
	"maps"
	"slices"

	"overcomplete/kernel/engine"
)

// A table has what front ends refer to by numbers. Numbers are not used twice.
type table struct {
	next    int
	entries map[int]*reference
}

// A reference leads to variables.
type reference struct {
	load   func() (container, error) // nil when inside is there
	inside container
	frame  engine.FrameID // for evaluations
	// session says that it is of the session rather than of what is held.
	session bool
}

// add returns a number for a reference.
func (t *table) add(r *reference) int {
	if t.entries == nil {
		t.entries = map[int]*reference{}
	}
	t.next++
	t.entries[t.next] = r
	return t.next
}

// dropHeld forgets what belongs to a stop.
func (t *table) dropHeld() {
	maps.DeleteFunc(t.entries, func(_ int, r *reference) bool { return !r.session })
}

// dropSession forgets what belongs to the session.
func (t *table) dropSession() {
	maps.DeleteFunc(t.entries, func(_ int, r *reference) bool { return r.session })
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
