package modules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"overcomplete/internal/atomicfile"
)

// A program with more packages than a programSpec asks for can be used instead of a new program, if it has
// the dependencies in the same versions. Only the go command can determine these versions. The result is
// cached as an alias: a file that is named after the programSpec and contains the name of the program.

// aliasFile returns the path of a programSpec's alias, a file that contains the name of a cached program to use for
// this programSpec.
func (w *programSpec) aliasFile(cache string) string {
	h := sha256.New()
	fmt.Fprintln(h, w.base, w.packages)
	for _, path := range slices.Sorted(maps.Keys(w.requires)) {
		fmt.Fprintln(h, path, w.requires[path])
	}
	return filepath.Join(cache, "aliases", hex.EncodeToString(h.Sum(nil)[:12]))
}

// aliased returns the cached program that is named in the alias file of a programSpec. It returns nil if there is no
// such file, or if that program cannot be used.
func aliased(cache string, w *programSpec) *Program {
	name, err := os.ReadFile(w.aliasFile(cache))
	if err != nil || !filepath.IsLocal(string(name)) || strings.ContainsAny(string(name), `/\`) {
		return nil
	}
	p := readProgram(filepath.Join(programs(cache), string(name)))
	if p == nil || p.manifest.Base != w.base || !contains(p.manifest.Packages, w.packages) || !p.manifest.unchanged() || !p.manifest.agrees(w.sum) {
		return nil
	}
	return p
}

// serve returns a cached program that can be used in place of the planned one, or nil if there is none. It also writes
// an alias for the program, so that the next search finds it without running the go command.
func (b *buildPlan) serve() *Program {
	if len(b.vendored) > 0 {
		return nil // vendored source has no versions to compare
	}
	for _, p := range readPrograms(b.cache) {
		m := p.manifest
		if m.Base != b.spec.base || !contains(m.Packages, b.spec.packages) || !m.unchanged() || !m.agrees(b.spec.sum) || !b.sameVersions(m) {
			continue
		}
		file := b.spec.aliasFile(b.cache)
		if os.MkdirAll(filepath.Dir(file), 0o700) == nil {
			atomicfile.Write(file, []byte(filepath.Base(filepath.Dir(p.Path))), 0o600)
		}
		return p
	}
	return nil
}

// sameVersions reports whether the program described by m has the needed modules in the versions that a newly built
// program would have. These are the versions in the user's go.mod, or newer ones if the kernel needs them.
func (b *buildPlan) sameVersions(m *manifest) bool {
	have := map[string]Module{}
	for _, mod := range m.Modules {
		have[mod.Path] = mod
	}
	for _, want := range b.needed {
		if own := b.own[want.Path]; !want.Local && want.Replace == "" && (semver.Compare(own, want.Version) > 0 || isKernelOnly(want.Path) && own != "") {
			want.Version = own
		}
		got, ok := have[want.Path]
		if !ok || got.Version != want.Version || got.Replace != want.Replace && !want.Local || got.Local != want.Local {
			return false
		}
	}
	return true
}

// pruneAliases removes the aliases of programs that no longer exist.
func pruneAliases(cache string) {
	dir := filepath.Join(cache, "aliases")
	entries, _ := os.ReadDir(dir)
	for _, d := range entries {
		file := filepath.Join(dir, d.Name())
		name, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if _, err := os.Stat(filepath.Join(programs(cache), filepath.Base(string(name)))); os.IsNotExist(err) {
			os.Remove(file)
		}
	}
}
