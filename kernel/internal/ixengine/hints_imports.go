package ixengine

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goplus/ixgo"

	"overcomplete/internal/module"
	"overcomplete/internal/spelling"
	"overcomplete/kernel/bind"
	"overcomplete/kernel/internal/wellknown"
)

// builtInOnly explains how to use another package if cells cannot import modules.
const builtInOnly = "cells can import only built-in packages; paste the file of another package into a cell (the package line may stay; call the functions without a prefix), " +
	"or below %%native to compile it, or add the package to the list in kernel/bind/gen/list.go"

// ofModules explains what can be imported if cells can import modules.
const ofModules = `cells can import built-in packages, and packages of modules, whose paths begin with a host name: import "github.com/google/uuid"; ` +
	"import your own package by its path in the go.mod beside the notebook, " + pasted

// pasted says how to do without an import.
const pasted = "or paste its file into a cell (the package line may stay; call the functions without a prefix)"

// otherPackage returns the hint for a package that the kernel does not have. The hint says which packages cells can
// import.
func (s *Session) otherPackage() string {
	if s.opt.Suggest == nil {
		return builtInOnly
	}
	return ofModules
}

// withoutTable lists the packages of the standard library that cells cannot import.
var withoutTable = []string{"debug/dwarf", "debug/elf", "debug/gosym", "debug/macho", "debug/pe", "debug/plan9obj", "expvar", "log/syslog", "net/http/pprof", "plugin", "runtime/cgo", "runtime/coverage", "runtime/race", "time/tzdata"}

// hintImport returns the hint for an import of a package that does not exist.
func hintImport(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
	if bind.LeftOut(m[1]) {
		return "this kernel for the browser leaves out " + m[1] + " so that the page loads faster; 'overcomplete export --live --set full' makes pages that include it"
	}
	if slices.Contains(withoutTable, m[1]) {
		return "only compiled code can import this package: begin the cell with %%native"
	}
	if strings.Contains(m[2], "did you mean") {
		return ""
	}
	if s.opt.Suggest != nil {
		if strings.HasPrefix(m[1], "./") || strings.HasPrefix(m[1], "../") {
			return fmt.Sprintf("imports have no relative paths: write the module's path in go.mod and then the folder, as in import %q, "+pasted, "example.com/study/"+m[1][strings.LastIndexByte(m[1], '/')+1:])
		}
		if hint := misspelt(m[1]); hint != "" {
			return hint
		}
	}
	name := m[1][strings.LastIndexByte(m[1], '/')+1:]
	if p := elsewhere[name]; p != "" {
		if _, ok := ixgo.LookupPackage(p); ok {
			return fmt.Sprintf("use import %q here", p)
		}
	}
	paths := ixgo.PackageList()
	near := nearest(m[1], paths)
	if len(near) == 0 && !strings.ContainsAny(m[1], "./") { // do not suggest container/ring for someone/thing
		for _, p := range paths {
			if len(nearest(name, []string{p[strings.LastIndexByte(p, '/')+1:]})) > 0 && len(near) < 3 {
				near = append(near, p)
			}
		}
	}
	hint := spelling.DidYouMean(near)
	if module.Has(m[1]) {
		return strings.TrimPrefix(hint+"; a new package of the checkout needs make generate build", "; ")
	}
	return cmp.Or(hint, s.otherPackage())
}

// misspelt returns a hint if path is a wrong way to write the import path of a module's package: a URL, a path with a
// version (pkg@v1.2.3), or a name from another language. It returns "" for other paths.
func misspelt(path string) string {
	if _, address, ok := strings.Cut(path, "://"); ok {
		_, version, _ := strings.Cut(address, "@")
		if address, _, _ = strings.Cut(address, "@"); version == "" {
			return "leave out the text before the host name: import " + strconv.Quote(tidyAddress(address))
		}
		path = tidyAddress(address) + "@" + version
	}
	if path, version, ok := strings.Cut(path, "@"); ok && path != "" {
		if version == "" {
			version = "latest"
		}
		return fmt.Sprintf("an import path has no version: write %%get %s@%s above the import, then import %q", path, version, path)
	}
	if p := wellknown.Called(path); p != "" {
		return spelling.DidYouMean([]string{"import " + strconv.Quote(p)})
	}
	return ""
}

// tidyAddress turns the address of a repository, without https://, into an import path: it removes slashes and .git at
// the end.
func tidyAddress(address string) string {
	return strings.TrimSuffix(strings.TrimRight(address, "/"), ".git")
}

// loadedNamed returns the paths of packages with the given name that are run from source and that cells can
// import.
func (s *Session) loadedNamed(name string) (paths []string) {
	for _, p := range s.Loaded() {
		if p.Name == name && !strings.Contains("/"+p.Path+"/", "/internal/") {
			paths = append(paths, p.Path)
		}
	}
	return paths
}

// suggestion returns what Options.Suggest says about a package that a cell uses but has not imported. path
// lists the syntax nodes at the name, innermost first.
func (s *Session) suggestion(name string, path []ast.Node) string {
	if s.opt.Suggest == nil || selectorOf(path) == nil {
		return ""
	}
	return s.opt.Suggest(name)
}

var undefinedMember = regexp.MustCompile(`^undefined: (\w+)\.(\w+)$`)

// genericMember returns an error message if pkg.name is a generic function or type of a compiled package, and cells
// cannot use it. Otherwise it returns "".
func genericMember(c *checkedProgram, pkg, name string) string {
	for id, o := range c.info.Uses {
		p, ok := o.(*types.PkgName)
		if !ok || id.Name != pkg {
			continue
		}
		table := bind.Lookup(p.Imported().Path())
		if table == nil {
			continue
		}
		if _, found := slices.BinarySearch(table.Generic, name); found {
			return fmt.Sprintf("%s.%s is generic and %s is compiled in: cells can use those of its generic functions and types that use no unexported fields or methods, and no packages that cells cannot import; "+
				"use another function, a cell that begins with %%%%native, or, in a session that has not used the package yet, %%mod source %s", pkg, name, table.Path, table.Path)
		}
	}
	return ""
}
