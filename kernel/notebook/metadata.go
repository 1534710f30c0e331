package notebook

// ParameterChanges describes changed parameters: in the run that made the notebook's outputs, these parameters had
// other values than the notebook declares. Values that are set for a single run are not in any cell, so the
// notebook's metadata record them.
type ParameterChanges struct {
	Cell   string            // id of the cell that declares the parameters
	Values map[string]string // Go source of the values, by the parameters' names
}

// The keys of ParameterChanges in the metadata.
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

// keyOwn is the key of this project's entry in the metadata.
const keyOwn = "overcomplete"

// own returns the value under a key of this project's metadata, or nil if there is none.
func (n *Notebook) own(key string) map[string]any {
	own, _ := n.Metadata[keyOwn].(map[string]any)
	m, _ := own[key].(map[string]any)
	return m
}

// setOwn stores a value in this project's metadata under a key. A nil value removes the key.
func (n *Notebook) setOwn(key string, value map[string]any) {
	own, _ := n.Metadata[keyOwn].(map[string]any)
	if value == nil {
		delete(own, key)
		return
	}
	if own == nil {
		own = map[string]any{}
		if n.Metadata == nil {
			n.Metadata = map[string]any{}
		}
		n.Metadata[keyOwn] = own
	}
	own[key] = value
}

// A Lock holds the versions of other modules in the notebook's last run, as the texts of a go.mod and a go.sum.
// It is stored in the metadata.
type Lock struct{ Mod, Sum string }

// The keys of a Lock in the metadata.
const (
	keyModules = "modules"
	keyMod     = "go.mod"
	keySum     = "go.sum"
)

// Lock returns the recorded versions, or nil if there are none.
func (n *Notebook) Lock() *Lock {
	m := n.own(keyModules)
	l := &Lock{}
	l.Mod, _ = m[keyMod].(string)
	l.Sum, _ = m[keySum].(string)
	if l.Mod == "" {
		return nil
	}
	return l
}

// SetLock replaces the recorded versions. A nil l removes them.
func (n *Notebook) SetLock(l *Lock) {
	if l == nil {
		n.setOwn(keyModules, nil)
		return
	}
	n.setOwn(keyModules, map[string]any{keyMod: l.Mod, keySum: l.Sum})
}
