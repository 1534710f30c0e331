package modules

import (
	"context"

	"overcomplete/kernel/bind"
	"overcomplete/kernel/engine"
)

// Outside returns a list of the packages of other modules that the user's own packages import. The user's own packages
// are those with the given paths, and the local packages that these need. The list is in the go command's order, and
// leaves out packages that cells of this program can already import.
func (e *Env) Outside(ctx context.Context, paths []string, say func(string)) ([]engine.Source, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	if err := e.isOff(paths[0]); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	_, all, err := e.resolve(ctx, paths, pureGo, say)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, p := range all {
		if !p.local() {
			continue
		}
		for _, q := range p.imports() {
			wanted[q] = true
		}
	}
	var list []engine.Source
	for _, p := range all {
		if wanted[p.ImportPath] && !p.Standard && p.Module != nil && !p.local() && bind.Name(p.ImportPath) == "" {
			list = append(list, p.source())
		}
	}
	return list, nil
}
