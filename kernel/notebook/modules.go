package notebook

// A Lock holds the versions of other modules in the notebook's last run, as the texts of a go.mod and a go.sum.
// It is stored in the metadata.
type Lock struct{ Mod, Sum string }

// The keys in the notebook's metadata.
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
