package notebook

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
