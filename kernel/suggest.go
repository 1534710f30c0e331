package kernel

// suggest returns what to do about a package called name that a cell uses without importing
// it, if it is not one that can be imported now; "" if nothing is known of it. It is called
// while a cell is checked, so nothing else uses k.modules.
func (k *Kernel) suggest(name string) string {
	if k.modules == nil {
		return ""
	}
	return k.modules.Hint(name)
}
