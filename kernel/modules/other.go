package modules

import (
	"runtime/debug"
	"sync"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// Other determines whether the user wants a different version of a package from the one that this program provides to
// cells. This is so if the ruling file or the pins ask for a newer or replaced version of the package's module. In
// this case, request is the module in the version that they ask for, and builtVersion is the version in this program.
// Otherwise request has an empty path. Other runs no command.
func (e *Env) Other(path string) (request Module, builtVersion string) {
	built := builtAs()
	mod, ok := longest(built, path)
	if !ok || isOwn(mod) || isKernelOnly(mod) {
		return Module{}, ""
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.off {
		return Module{}, ""
	}
	q, err := e.ruling.requirement(e.mod)
	if err != nil {
		return Module{}, "" // the go command will report the error
	}
	return q.requestedVersion(mod, built[mod])
}

// requestedVersion compares two versions of the module with the given path: the version that q requests, and built, the
// version in this program. If the requested version is newer, or is a replacement or local source that this program
// does not have, requestedVersion returns the module in the requested version, and a description of the built version.
// Otherwise the module that it returns has no path.
func (q *requirement) requestedVersion(mod string, built module.Version) (asked Module, have string) {
	have = built.String()
	if built.Path == mod {
		have = built.Version
	}
	version := q.requires[mod]
	to, replaced := q.replaces[module.Version{Path: mod, Version: version}]
	if !replaced {
		to, replaced = q.replaces[module.Version{Path: mod}]
	}
	switch {
	case q.local[mod] != "" && built.Path != q.local[mod]:
		return Module{Path: mod, Dir: q.local[mod], Local: true, Replace: q.local[mod]}, have
	case q.local[mod] != "" || version == "" && !replaced:
		return Module{}, ""
	case replaced && built != to:
		return Module{Path: mod, Version: to.Version, Replace: to.String()}, have
	case !replaced && built.Path == mod && semver.Compare(version, built.Version) > 0:
		return Module{Path: mod, Version: version}, have
	}
	return Module{}, ""
}

// builtAs returns, for each module's path, what is compiled into this program: the module itself with its
// version, or its replacement. A replacement by a folder has a path but no version.
var builtAs = sync.OnceValue(func() map[string]module.Version {
	as := map[string]module.Version{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return as
	}
	for _, m := range info.Deps {
		v := module.Version{Path: m.Path, Version: m.Version}
		if r := m.Replace; r != nil {
			v = module.Version{Path: r.Path, Version: r.Version}
			if v.Version == "(devel)" {
				v.Version = ""
			}
		}
		as[m.Path] = v
	}
	return as
})
