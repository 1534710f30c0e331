package provision

import "overcomplete/kernel/internal/modcache"

// A versionSource is an Env that can say where the versions of modules come from; see modules.Env.Versions.
type versionSource interface {
	Versions() (file, mod string, rules bool)
}

// Hint returns advice for a cell that uses a package of the given name without importing it. Hint knows the
// packages of modules that the notebook requires and some widely used packages. It returns "" if it does not
// know the name. It uses no network.
func (p *Provider) Hint(name string) string {
	e, err := p.env()
	if err != nil {
		return ""
	}
	v, ok := e.(versionSource)
	if !ok {
		return ""
	}
	if p.view == nil {
		p.view = modcache.NewView(modcache.Open(""), v.Versions)
	}
	return p.view.Hint(name)
}
