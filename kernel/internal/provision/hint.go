package provision

import "overcomplete/kernel/internal/modcache"

// versioned is an Env that knows the source of its versions; see modules.Env.
type versioned interface {
	Versions() (file, mod string, rules bool)
}

// Hint returns advice for a cell that uses a package called name without importing it: it knows the modules
// that the notebook requires and some widely used ones. It returns "" if it knows nothing, and uses no
// network.
func (p *Provider) Hint(name string) string {
	e, err := p.env()
	if err != nil {
		return ""
	}
	v, ok := e.(versioned)
	if !ok {
		return ""
	}
	if p.view == nil {
		p.view = modcache.NewView(modcache.Open(""), v.Versions)
	}
	return p.view.Hint(name)
}
