package modules

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"

	"overcomplete/kernel/bind"
	"overcomplete/kernel/internal/tablegen"
)

// companions lists more packages to compile in: packages that the wanted ones need anyway, and that belong to the
// modules of the wanted ones. A notebook often imports such a companion in a later cell, when the session already
// holds variables. The program contains the companion anyway, because the wanted packages need it. If cells imported
// it from source, its types would exist twice under the same names, and only a restart with another program would
// help.
func (b *buildPlan) companions(all []*goPackage) []string {
	mods := map[string]bool{}
	for _, p := range all {
		if p.Module != nil && slices.Contains(b.spec.packages, p.ImportPath) {
			mods[p.Module.Path] = true
		}
	}
	var list []string
	for _, p := range b.reached(all) {
		if p.Standard || p.Module == nil || !mods[p.Module.Path] || p.Name == "main" || isOwn(p.Module.Path) {
			continue
		}
		if _, internal := internalTo(p.ImportPath); !internal && !slices.Contains(b.spec.packages, p.ImportPath) && bound(p.ImportPath) == "" {
			list = append(list, p.ImportPath)
		}
	}
	return list
}

// bound returns the name of the package with the given import path if cells can import the package in every kernel,
// and "" otherwise. Packages that Compile added to this program do not count.
func bound(path string) string {
	if before, _ := CompiledIn(); slices.Contains(before, path) {
		return "" // this program has the package compiled in, but the next one may not
	}
	return bind.Name(path)
}

// fewCompanions is a limit: if a program has at most this many companions, all of them can get a table; if it has more,
// only those that are likely to be imported can. For example, arrow-go has 20 companions, whose tables take 2 s.
const fewCompanions = 40

// choose returns the wanted packages and their companions. It leaves out companions that are mostly generic, because
// the table through which cells import a compiled package may lack generic functions. If there are more than
// fewCompanions companions, it keeps only companions whose types occur in the API of chosen packages.
func choose(loaded []*packages.Package, wanted, companions []string) []string {
	byPath := map[string]*types.Package{}
	for _, p := range loaded {
		byPath[p.PkgPath] = p.Types
	}
	chosen := slices.Clone(wanted)
	if len(companions) <= fewCompanions {
		for _, path := range companions {
			if p := byPath[path]; p != nil && !mostlyGeneric(p) {
				chosen = append(chosen, path)
			}
		}
		slices.Sort(chosen)
		return chosen
	}
	for i := 0; i < len(chosen); i++ {
		p := byPath[chosen[i]]
		if p == nil {
			continue
		}
		for _, path := range tablegen.Reached(p, func(path string) bool { return bound(path) != "" }) {
			if q := byPath[path]; q != nil && slices.Contains(companions, path) && !slices.Contains(chosen, path) && !mostlyGeneric(q) {
				chosen = append(chosen, path)
			}
		}
	}
	slices.Sort(chosen)
	return chosen
}

// mostlyGeneric reports whether more than half of the exported names of a package have type parameters.
func mostlyGeneric(p *types.Package) bool {
	exported, generic := 0, 0
	for _, name := range p.Scope().Names() {
		if !token.IsExported(name) {
			continue
		}
		exported++
		switch o := p.Scope().Lookup(name).(type) {
		case *types.Func:
			if o.Signature().TypeParams().Len() > 0 {
				generic++
			}
		case *types.TypeName:
			if t, ok := o.Type().(*types.Named); ok && t.TypeParams().Len() > 0 {
				generic++
			}
		}
	}
	return 2*generic > exported
}
