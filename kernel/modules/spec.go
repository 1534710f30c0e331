package modules

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"

	"overcomplete/kernel/internal/modcache"
)

// A programSpec describes a wanted program. Making a programSpec runs no command.
type programSpec struct {
	base     string            // hash of everything else that determines the program, such as environment settings
	requires map[string]string // versions by module
	packages []string          // sorted
	sum      string            // go.sum lines that the program must respect
}

// form is part of the hash. Changing it invalidates all cached programs.
const form = "1"

// programSpec returns the description of a program with the given packages in their fixed versions. The packages must
// be sorted. The second result holds the requirements of the ruling file and of the pins. The caller holds e.mu.
func (e *Env) programSpec(packages []string) (*programSpec, *requirement, error) {
	source, err := kernelSource.Key()
	if err != nil {
		return nil, nil, noSource(err)
	}
	if stale, err := e.stale(); err != nil || stale {
		return nil, nil, errors.Join(errStale, err)
	}
	q, err := e.ruling.requirement(e.mod)
	if err != nil {
		return nil, nil, err
	}
	h := sha256.New()
	fmt.Fprintln(h, form, source, runtime.Version(), runtime.GOOS, runtime.GOARCH, e.cgo)
	for _, name := range buildEnv(e.cgo) {
		fmt.Fprintf(h, "%s=%q\n", name, modcache.Setting(name))
	}
	rest := &requirement{replaces: q.replaces, excludes: q.excludes}
	fmt.Fprintln(h, rest)
	w := &programSpec{requires: q.requires, packages: packages, sum: e.allSums()}
	w.base = hex.EncodeToString(h.Sum(nil)[:16])
	return w, q, nil
}

// name returns the name of the cache folder for a new program: a hash of the fields of w, without w.sum, and of the
// contents of the local packages.
func (w *programSpec) name(local []localPackage) string {
	h := sha256.New()
	fmt.Fprintln(h, w.base, w.packages, local)
	for _, path := range slices.Sorted(maps.Keys(w.requires)) {
		fmt.Fprintln(h, path, w.requires[path])
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// buildEnv lists the environment settings that affect compilation.
func buildEnv(cgo bool) []string {
	list := []string{"GOFLAGS", "GOEXPERIMENT", "GOAMD64", "GOARM64", "GOARM", "GO386", "GOFIPS140"}
	if cgo {
		list = append(list, "CC", "CXX", "CGO_CFLAGS", "CGO_CPPFLAGS", "CGO_CXXFLAGS", "CGO_LDFLAGS", "PKG_CONFIG")
	}
	return list
}

func noSource(err error) error {
	return &Error{Kind: NoSource, What: "overcomplete",
		Text:   "this kernel cannot compile in modules: " + err.Error(),
		Advice: "build the kernel with `make`, or import packages that can be run from source",
	}
}

// Known returns a cached program that has the packages in the versions of e, or nil if there is none. It runs
// no command and takes milliseconds.
func (e *Env) Known(packages []string) *Program {
	if packages = e.wanted(packages); len(packages) == 0 || e.isOff(packages[0]) != nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.checkLocked() != nil {
		return nil
	}
	if e.ruling.kind == none {
		mod, sum := e.mod, e.sum
		if unknown, err := e.fix(packages, nil); err != nil || len(unknown) > 0 {
			e.mod, e.sum = mod, sum
			return nil
		}
	}
	cache, _, err := e.folders()
	if err != nil {
		return nil
	}
	w, _, err := e.programSpec(packages)
	if err != nil {
		return nil
	}
	return e.find(cache, w)
}

// find looks for a cached program that has everything that the programSpec asks for. The caller holds e.mu.
func (e *Env) find(cache string, w *programSpec) *Program {
	for _, p := range readPrograms(cache) {
		if p.manifest.serves(w) {
			return p
		}
	}
	return aliased(cache, w)
}

var errStale = errors.New("the go.mod was changed in the meantime: run the cell again")
