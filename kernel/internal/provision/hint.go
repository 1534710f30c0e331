package provision

import "overcomplete/kernel/internal/modcache"

// versioned is an Env that says what gives its versions, see modules.Env.
type versioned interface {
	Versions() (file, mod string, rules bool)
}

// Hint returns what to do if a cell uses a package called name that it has not imported: it
// knows the modules that the notebook requires and some that are in wide use. It returns "" if
// it knows nothing, and uses no network.
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
