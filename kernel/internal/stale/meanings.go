package stale

// meanings are what a cell means by names, or what the names meant that it has read. They are few, and held for each
// cell of a session: maps would double the memory that a cell takes.
type meanings []meaning

type meaning struct {
	name string
	*write
}

// of returns the meaning of a name, nil if there is none.
func (m meanings) of(name string) *write {
	for _, x := range m {
		if x.name == name {
			return x.write
		}
	}
	return nil
}

// set gives a name a meaning in place of the one that it had.
func (m *meanings) set(name string, w *write) {
	for i, x := range *m {
		if x.name == name {
			(*m)[i].write = w
			return
		}
	}
	*m = append(*m, meaning{name, w})
}
