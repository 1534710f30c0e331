package ixengine

import (
	"go/types"
	"strings"
	"unsafe"

	"github.com/goplus/ixgo"
)

// Package iter is generic, and the interpreter gets its types from source. In the tables of compiled packages, the
// result of a function or method that returns an iterator is a type with a name such as Seq[reflect.Value]. The
// interpreter's loader takes it for a type of that name that has nothing to do with Seq. Then slices.Collect(v.Seq())
// does not type-check. So, in the signatures of compiled functions and methods, these types are replaced by instances
// of Seq and Seq2, whose runtime types are the compiled ones.

// iterators replaces the loader's types for iterators in the signatures of compiled functions and methods.
type iterators struct {
	instances map[types.Type]types.Type // by the loader's type; nil if there is no instance
	sizes     map[string]int            // the number of names of each package when its signatures were last read
}

// instantiateIterators makes instances of the iterator types that the loader has encountered, and puts them into the
// signatures.
func (s *Session) instantiateIterators() {
	l := s.loader
	met, ok := l.LookupPackage("iter")
	if !ok {
		return
	}
	it := &s.iterators
	if it.instances == nil {
		it.instances, it.sizes = map[types.Type]types.Type{}, map[string]int{}
	}
	for _, name := range met.Scope().Names() {
		base, _, isInstance := strings.Cut(name, "[")
		if !isInstance {
			continue
		}
		t := met.Scope().Lookup(name).Type()
		if _, known := it.instances[t]; !known {
			it.instances[t] = s.instanceOf(base, t)
		}
	}
	if len(it.instances) == 0 {
		return
	}
	for _, path := range ixgo.PackageList() {
		p, ok := l.LookupPackage(path)
		if !ok || it.sizes[path] == p.Scope().Len() {
			continue
		}
		it.sizes[path] = p.Scope().Len()
		for _, name := range p.Scope().Names() {
			switch o := p.Scope().Lookup(name).(type) {
			case *types.Func:
				it.replaceIn(o)
			case *types.TypeName:
				n, ok := o.Type().(*types.Named)
				if !ok {
					continue
				}
				for m := range n.Methods() {
					it.replaceIn(m)
				}
				if i, ok := n.Underlying().(*types.Interface); ok {
					for m := range i.ExplicitMethods() {
						it.replaceIn(m)
					}
				}
			}
		}
	}
}

// instanceOf returns the instance of the generic type with the given name, Seq or Seq2, for t, the loader's type, or nil
// if t is not one of these.
func (s *Session) instanceOf(name string, t types.Type) types.Type {
	p, err := s.importer.Import("iter")
	if err != nil {
		return nil
	}
	generic := p.Scope().Lookup(name)
	seq, ok := t.Underlying().(*types.Signature)
	if generic == nil || !ok || seq.Params().Len() != 1 {
		return nil
	}
	yield, ok := seq.Params().At(0).Type().(*types.Signature)
	if !ok {
		return nil
	}
	var args []types.Type
	for v := range yield.Params().Variables() {
		args = append(args, v.Type())
	}
	instance, err := types.Instantiate(nil, generic.Type(), args, true)
	if err != nil {
		return nil
	}
	l := s.loader
	rt, ok := l.LookupReflect(t)
	key, hasKey := pinKey(instance)
	if !ok || !hasKey {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if have := l.pins[key]; have != nil && have != rt { // the cells have used the type before the compiled package
		l.versions.add(key, have)
	}
	l.pins[key], l.iterators[key] = rt, rt
	return instance
}

// replaceIn replaces iterator types in the signature of f.
func (it *iterators) replaceIn(f *types.Func) {
	sig := f.Signature()
	changed := false
	tuple := func(t *types.Tuple) *types.Tuple {
		vars := make([]*types.Var, t.Len())
		for i := range vars {
			vars[i] = t.At(i)
			if now := it.instances[vars[i].Type()]; now != nil {
				vars[i] = types.NewParam(vars[i].Pos(), vars[i].Pkg(), vars[i].Name(), now)
				changed = true
			}
		}
		return types.NewTuple(vars...)
	}
	params, results := tuple(sig.Params()), tuple(sig.Results())
	if changed {
		setField[types.Type](unsafe.Pointer(f), layout.typeOf, types.NewSignatureType(sig.Recv(), nil, nil, params, results, sig.Variadic()))
	}
}
