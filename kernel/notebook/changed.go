package notebook

// ParameterChanges describes changed parameters: in the run that made the notebook's outputs, these parameters had
// other values than the notebook declares. Values that are set for a single run are in no cell, so the notebook's
// metadata record them.
type ParameterChanges struct {
	Cell   string            // id of the cell that declares the parameters
	Values map[string]string // Go source of the values, by the parameters' names
}

// The keys in the notebook's metadata.
const (
	keyChanged = "changed"
	keyCell    = "cell"
	keyValues  = "values"
)

// Changed returns the changed parameters, or nil if there are none.
func (n *Notebook) Changed() *ParameterChanges {
	m := n.own(keyChanged)
	values, _ := m[keyValues].(map[string]any)
	c := &ParameterChanges{Values: map[string]string{}}
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

// SetChanged replaces the changed parameters. A nil c removes them.
func (n *Notebook) SetChanged(c *ParameterChanges) {
	if c == nil {
		n.setOwn(keyChanged, nil)
		return
	}
	values := map[string]any{}
	for name, text := range c.Values {
		values[name] = text
	}
	n.setOwn(keyChanged, map[string]any{keyCell: c.Cell, keyValues: values})
}
