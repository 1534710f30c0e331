package reach

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Diff describes how the code has changed, in lines such as "code changed: paper/x/table2.go (Lab.Table2)". "code
// added" lists declarations that are only in newParts, "code removed" those that are only in oldParts. Each file has at
// most one line of each kind. A declaration that has moved to another file of its package has not changed. Diff returns
// nil if nothing has changed.
func Diff(oldParts, newParts []Part) []string {
	type key struct{ file, decl string }
	before, after := map[key]string{}, map[key]string{}
	for _, p := range oldParts {
		before[key{p.File, p.Decl}] = p.Hash
	}
	for _, p := range newParts {
		after[key{p.File, p.Decl}] = p.Hash
	}
	moved := map[key]key{} // declarations that only newParts has in this file, by folder and name
	for k := range after {
		if _, ok := before[k]; !ok && canMove(k.decl) {
			moved[key{path.Dir(k.file), k.decl}] = k
		}
	}
	for k, h := range before {
		if now, ok := moved[key{path.Dir(k.file), k.decl}]; ok && after[k] == "" && after[now] == h {
			delete(before, k)
			delete(after, now)
		}
	}
	names := map[string]map[string][]string{} // by file, by verb
	note := func(verb string, k key) {
		if names[k.file] == nil {
			names[k.file] = map[string][]string{}
		}
		names[k.file][verb] = append(names[k.file][verb], k.decl)
	}
	for k, h := range after {
		if was, ok := before[k]; !ok {
			note("added", k)
		} else if was != h {
			note("changed", k)
		}
	}
	for k := range before {
		if _, ok := after[k]; !ok {
			note("removed", k)
		}
	}
	files := make([]string, 0, len(names))
	for f := range names {
		files = append(files, f)
	}
	slices.Sort(files)
	var lines []string
	for _, verb := range []string{"changed", "added", "removed"} {
		for _, f := range files {
			if decls := names[f][verb]; decls != nil {
				lines = append(lines, fmt.Sprintf("code %s: %s (%s)", verb, f, list(decls)))
			}
		}
	}
	return lines
}

// canMove reports whether a part is a declaration that means the same in every file of its package. The order of init
// functions depends on their files.
func canMove(decl string) bool {
	return !slices.Contains([]string{"init", assembler, embed, blank}, decl)
}

// list returns the first few names of decls as a string. It sorts decls.
func list(decls []string) string {
	const most = 4
	slices.Sort(decls)
	if n := len(decls) - most; n > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(decls[:most], ", "), n)
	}
	return strings.Join(decls, ", ")
}

// DiffModules describes how Result.Modules has changed, in lines such as
// "module changed: gonum.org/v1/gonum v0.16.0, now v0.17.0", "module added" and
// "module removed".
func DiffModules(old, new []string) []string {
	versions := func(lines []string) map[string]string {
		m := map[string]string{}
		for _, l := range lines {
			path, rest, _ := strings.Cut(l, " ")
			m[path] = rest
		}
		return m
	}
	before, after := versions(old), versions(new)
	var changed, added, removed []string
	for path, v := range after {
		was, ok := before[path]
		switch {
		case !ok:
			added = append(added, "module added: "+path+" "+shortLine(v, ""))
		case was != v:
			changed = append(changed, "module changed: "+path+" "+shortLine(was, v)+", now "+shortLine(v, was))
		}
	}
	for path, v := range before {
		if _, ok := after[path]; !ok {
			removed = append(removed, "module removed: "+path+" "+shortLine(v, ""))
		}
	}
	slices.Sort(changed)
	slices.Sort(added)
	slices.Sort(removed)
	return append(append(changed, added...), removed...)
}

// shortLine returns the module line v without its checksum, unless the two lines, v and other, differ only in the
// checksum.
func shortLine(v, other string) string {
	a, _, _ := strings.Cut(v, " h1:")
	b, _, _ := strings.Cut(other, " h1:")
	if a == b {
		return v
	}
	return a
}
