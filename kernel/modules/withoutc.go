package modules

import (
	"go/build"
	"slices"
	"strings"
)

// withoutC lists those of the given packages that compile without cgo but leave out files that need cgo. Most of these
// packages return an error when called.
func withoutC(all []*goPackage, paths []string, tags string) (list []string) {
	for _, p := range all {
		if slices.Contains(paths, p.ImportPath) && p.withoutC(tags) {
			list = append(list, p.ImportPath)
		}
	}
	return list
}

// withoutC reports whether the package lacks some of its files because cgo is disabled.
func (p *goPackage) withoutC(tags string) bool {
	with := build.Default
	with.CgoEnabled, with.BuildTags = true, strings.Split(tags, ",")
	return slices.ContainsFunc(p.IgnoredGoFiles, func(name string) bool {
		fits, err := with.MatchFile(p.Dir, name)
		return err == nil && fits && !strings.HasSuffix(name, "_test.go")
	})
}
