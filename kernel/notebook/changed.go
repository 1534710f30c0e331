package notebook

// Changed says which parameters had other values when a notebook's outputs were made than
// the notebook itself gives them. It stands in the metadata: the cell that sets them for one
// run is not kept in a notebook that is to be run again.
type Changed struct {
	Cell   string            // id of the cell that declares the parameters
	Values map[string]string // code for the values, by the parameters' names
}

// The keys of the metadata.
const (
	keyOwn     = "overcomplete"
	keyChanged = "changed"
	keyCell    = "cell"
	keyValues  = "values"
)

// Changed reads what was changed; nil if nothing was.
func (n *Notebook) Changed() *Changed {
	own, _ := n.Metadata[keyOwn].(map[string]any)
	m, _ := own[keyChanged].(map[string]any)
	values, _ := m[keyValues].(map[string]any)
	c := &Changed{Values: map[string]string{}}
	c.Cell, _ = m[keyCell].(string)
	for name, v := range values {
		if text, ok := v.(string); ok {
			c.Values[name] = text
		}
	}
	if len(c.Values) == 0 {
		return nil
	}
	return c
}

// SetChanged replaces what Changed reads; nil takes it out.
func (n *Notebook) SetChanged(c *Changed) {
	own, _ := n.Metadata[keyOwn].(map[string]any)
	if c == nil {
		delete(own, keyChanged)
		return
	}
	if own == nil {
		own = map[string]any{}
		if n.Metadata == nil {
			n.Metadata = map[string]any{}
		}
		n.Metadata[keyOwn] = own
	}
	values := map[string]any{}
	for name, text := range c.Values {
		values[name] = text
	}
	own[keyChanged] = map[string]any{keyCell: c.Cell, keyValues: values}
}
