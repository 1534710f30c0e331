package modules

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"

	"overcomplete/kernel/bind"
	"overcomplete/kernel/internal/tablegen"
)

// companions lists the packages, beside the wanted ones and of their modules, that are linked anyway. A
// notebook often imports one of them in a later cell, when it holds variables; from source its types, or
// those of what it shares with the wanted ones, would be others of the same name, and a restart for
// another program would be the only way.
func (b *building) companions(all []*listed) []string {
	mods := map[string]bool{}
	for _, p := range all {
		if p.Module != nil && slices.Contains(b.wish.packages, p.ImportPath) {
			mods[p.Module.Path] = true
		}
	}
	var list []string
	for _, p := range b.reached(all) {
		if p.Standard || p.Module == nil || !mods[p.Module.Path] || p.Name == "main" || isOwn(p.Module.Path) {
			continue
		}
		if _, internal := internalTo(p.ImportPath); !internal && !slices.Contains(b.wish.packages, p.ImportPath) && bound(p.ImportPath) == "" {
			list = append(list, p.ImportPath)
		}
	}
	return list
}

// bound is the name of a package that cells can import in the plain program, "" for others.
func bound(path string) string {
	if before, _ := CompiledIn(); slices.Contains(before, path) {
		return "" // into this program, and perhaps not into the next
	}
	return bind.Name(path)
}

// fewCompanions is how many packages more, at most, are worth a table each whether they are likely to be imported or
// not: of arrow-go there are 20, for 2 s.
const fewCompanions = 40

// choose returns the wanted packages and their companions, without those that are mostly generic: a table
// would lack what these are for. If there are many companions, only those remain whose types can be
// met.
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

// mostlyGeneric reports whether more than half of what a package exports has type parameters.
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
