package ixengine

import (
	"go/types"
	"reflect"
	"unsafe"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// The interpreter asks the loader for the runtime types of named types, but makes an unnamed struct with embedded
// fields, and an unnamed interface with methods, anew in each program. So a value of such a type that one cell has
// converted to an interface would have another type in the next cell, and a variable of such a type would become a
// different variable. Therefore, if a program has made such a type again, the program is loaded again with the
// earlier type.

// loadSame records, when interp has just loaded a program, the runtime types that interp has made for
// unnamed structs with embedded fields and unnamed interfaces with methods. Later programs then use the recorded types.
// If a type for one of these was recorded before, loadSame loads the program of interp again, with the recorded types;
// no code of the program has run yet. The variables in table take the place of the program's own variables.
func (l *loader) loadSame(interp *ixgo.Interp, table map[string]reflect.Value) error {
	if same := l.madeAgain(interp); len(same) > 0 {
		if err := loadWith(interp, same, table); err != nil {
			return err
		}
	}
	eachMade(interp, l.pinAll)
	return nil
}

// madeAgain returns the types that the interpreter has made anew although a runtime type was already recorded (pinned)
// for them. Each is mapped to its recorded type.
func (l *loader) madeAgain(interp *ixgo.Interp) map[types.Type]reflect.Type {
	l.mu.Lock()
	defer l.mu.Unlock()
	same := map[types.Type]reflect.Type{}
	eachMade(interp, func(t types.Type, rt reflect.Type) {
		if key, ok := pinKey(t); ok {
			if pinned := l.pins[key]; pinned != nil && pinned != rt {
				same[t] = pinned
			}
		}
	})
	return same
}

// eachMade calls the function f for each unnamed struct with embedded fields and each unnamed interface with methods for
// which the interpreter has made a type.
func eachMade(interp *ixgo.Interp, f func(types.Type, reflect.Type)) {
	record := unsafe.Pointer(field[*ixgo.TypesRecord](unsafe.Pointer(interp), layout.record))
	field[*typeutil.Map](record, layout.tcache).Iterate(func(t types.Type, v any) {
		switch u := t.(type) {
		case *types.Struct:
			if !embeds(u) {
				return
			}
		case *types.Interface:
			if u.NumMethods() == 0 {
				return
			}
		default:
			return
		}
		f(t, v.(reflect.Type))
	})
}

func embeds(t *types.Struct) bool {
	for f := range t.Fields() {
		if f.Embedded() {
			return true
		}
	}
	return false
}

// loadWith loads the interpreter's program again, with the given types in place of those that it would make.
func loadWith(interp *ixgo.Interp, given map[types.Type]reflect.Type, table map[string]reflect.Value) error {
	record := unsafe.Pointer(field[*ixgo.TypesRecord](unsafe.Pointer(interp), layout.record))
	of, to := map[reflect.Type]types.Type{}, new(typeutil.Map)
	for t, rt := range given {
		of[rt] = t
		to.Set(t, rt)
	}
	setField(record, layout.rcache, of)
	setField(record, layout.tcache, to)
	clear(field[map[types.Type]reflect.Type](unsafe.Pointer(interp), layout.preloadTypes))
	clear(field[methodSets](unsafe.Pointer(interp), layout.msets))
	clear(field[map[*ssa.Function]unsafe.Pointer](unsafe.Pointer(interp), layout.funcs))
	var run []*ssa.Package
	globals := field[map[string]any](unsafe.Pointer(interp), layout.globals)
	for _, pkg := range interp.MainPkg().Prog.AllPackages() {
		if pkg.Func("init").Blocks == nil {
			continue // a compiled package
		}
		run = append(run, pkg)
		for _, m := range pkg.Members {
			g, ok := m.(*ssa.Global)
			if !ok {
				continue
			}
			t, name := toType(interp, g.Type()), g.String()
			if v, ok := table[name]; ok && v.Type() == t {
				globals[name] = v.Interface()
			} else if reflect.TypeOf(globals[name]) != t {
				globals[name] = reflect.New(t.Elem()).Interface()
			}
		}
	}
	return checkPackages(interp, run)
}
