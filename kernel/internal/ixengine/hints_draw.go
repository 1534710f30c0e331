package ixengine

import (
	"fmt"
	"go/types"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"

	"github.com/goplus/ixgo"

	"overcomplete/internal/spelling"
)

// The figures of a package's results are drawn by a separate package, such as pca/pcaplot, so that the
// package itself need not link the plotting library. Users who look for a figure among the methods of a
// result are referred to the plotting package.

// drawing matches names of functions that users may call to draw a figure.
var drawing = regexp.MustCompile(`(?i)plot|figure|draw|show|scatter|heatmap|hist|tiles|picture`)

// plotter returns the plotting package that belongs to a package, given that package's path: for pca, it is
// pca/pcaplot. The second result is false if there is no such package.
func plotter(of string) (*ixgo.Package, bool) {
	return ixgo.LookupPackage(of + "/" + path.Base(of) + "plot")
}

// hintDrawn returns a hint that names the functions that draw values of type t. The hint is for a cell that uses a
// member that t does not have; the parameter member is its name. hintDrawn returns "" if there are no such functions.
// It also returns "" if the member's name neither suggests drawing nor is exported by the plotting package.
func (s *Session) hintDrawn(t types.Type, member string) string {
	named, ok := types.Unalias(t).(*types.Named)
	if p, pointer := types.Unalias(t).(*types.Pointer); pointer {
		named, ok = types.Unalias(p.Elem()).(*types.Named)
	}
	if !ok || named.Obj().Pkg() == nil {
		return ""
	}
	of := named.Obj().Pkg().Path()
	p, ok := plotter(of)
	if !ok || !drawing.MatchString(member) && !exports(p, member) {
		return ""
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(p.Funcs)) {
		f := p.Funcs[name].Type()
		if f.NumIn() == 0 {
			continue
		}
		in := f.In(0)
		if in.Kind() == reflect.Pointer {
			in = in.Elem()
		}
		if in.PkgPath() == of && in.Name() == named.Obj().Name() {
			names = append(names, p.Name+"."+name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "drawn by " + spelling.Or(names) + s.orImport(p)
}

// hintDrawing returns a hint for a cell that uses a member that a package does not have. The parameter of is the path
// of the package, and member is the name of the member. The hint points to the plotting package that plotter finds. It
// is "" if there is no plotting package. It is also "" if the member's name neither suggests drawing nor is exported by
// the plotting package.
func (s *Session) hintDrawing(of, member string) string {
	p, ok := plotter(of)
	switch {
	case !ok:
		return ""
	case exports(p, member):
		return spelling.DidYouMean([]string{p.Name + "." + member}) + s.orImport(p)
	case drawing.MatchString(member):
		return "package " + p.Name + " draws" + s.orImport(p)
	}
	return ""
}

// orImport returns the advice to import p, in parentheses, or "" if an import already uses p's name.
func (s *Session) orImport(p *ixgo.Package) string {
	if s.env.imports[p.Name] != "" {
		return ""
	}
	return fmt.Sprintf(" (import %q)", p.Path)
}
