package modules

import (
	"fmt"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// checkNotOlder returns an error if a pin would have no effect because its version is older than the version that every
// kernel is built with. It accepts requests for the newest version, whatever that version is.
func (e *Env) checkNotOlder(asks []getArg, pins []Module) error {
	own, err := kernelRequires()
	if err != nil {
		own = builtWith()
	}
	q, err := e.ruling.requirement(e.mod)
	if err != nil {
		return err
	}
	for i, p := range pins {
		have, ok := own[p.Path]
		if !ok || semver.Compare(p.Version, have) >= 0 || asks[i].newest() || q.replaced(p) {
			continue
		}
		return &Error{Kind: Conflict, What: p.Path,
			Text:   fmt.Sprintf("%s %s is built into this kernel, so an older version cannot be pinned", p.Path, have),
			Advice: "leave out the line, or replace the module in a go.mod beside the notebook",
		}
	}
	return nil
}

// newest reports whether the argument requests the newest version.
func (a getArg) newest() bool {
	return a.update || a.version == "" || a.version == "latest" || a.version == "upgrade"
}

// replaced reports whether the requirement replaces a module.
func (q *requirement) replaced(m Module) bool {
	_, any := q.replaces[modVersion(m.Path)]
	_, this := q.replaces[module.Version{Path: m.Path, Version: m.Version}]
	return any || this
}
