package stale

// meanings maps names to their meanings (see write): the names that a cell defines, or those that it has read. It is a
// short slice, stored for each cell of a session; maps would double the memory per cell.
type meanings []meaning

type meaning struct {
	name string
	*write
}

// lookup returns the meaning of a name, or nil if m has none.
func (m meanings) lookup(name string) *write {
	for _, x := range m {
		if x.name == name {
			return x.write
		}
	}
	return nil
}

// set sets the meaning of a name.
func (m *meanings) set(name string, w *write) {
	for i, x := range *m {
		if x.name == name {
			(*m)[i].write = w
			return
		}
	}
	*m = append(*m, meaning{name, w})
}
