package bind

import (
	"fmt"
	"go/constant"
	"go/token"
	"reflect"
	"sort"
	"strings"

	"github.com/goplus/ixgo"
)

// An Object is one exported function, type or variable.
type Object struct {
	Name string
	// Value is a function, a nil pointer to a type, or the address of a variable.
	Value any
}

// A Const is one exported constant.
type Const struct {
	Name string
	// Type is a nil pointer to the constant's type, or nil if the constant is untyped.
	Type any
	// Untyped is the kind of an untyped constant as spelled by go/types, for example "untyped float".
	Untyped string
	// Value is a bool, a string, an int64 or a uint64, or an Exact.
	Value any
}

// An Exact is a number that may have more digits than any Go type can hold: an integer, a quotient of two
// integers or a floating-point literal, as written by constant.Value.ExactString.
type Exact string

// A Dep names a package whose types occur in another package's exports.
type Dep struct{ Path, Name string }

// A Package is everything that cells may use of one compiled package.
type Package struct {
	Path, Name string
	// Deps are all packages with types that can be reached from the exports, including packages that a cell
	// cannot import. The interpreter must import all Deps first: once the interpreter has seen some types of a
	// package, it can no longer import that package.
	Deps    []Dep
	Types   []Object
	Aliases []Object
	Vars    []Object
	Funcs   []Object
	Consts  []Const
	// Generic has the names of the exported functions and types with type parameters that the table lacks, sorted. The
	// table cannot contain them, because a compiled program has only the instances that it uses; Source cannot contain
	// them either.
	Generic []string
	// Source declares functions and types with type parameters, which the interpreter runs from source. To use the
	// package's other names, this source imports the package.
	Source string
}

var packages = map[string]*Package{}

// Register makes p importable. It panics if a package with the same path is already registered.
func Register(p *Package) {
	if packages[p.Path] != nil {
		panic("bind: " + p.Path + " is registered twice")
	}
	packages[p.Path] = p
	ixgo.RegisterPackageLazy(p.Path, p.load)
	if p.Source != "" {
		ixgo.RegisterPatch(p.Path, p.Source)
	}
}

// Extend adds exports to p, the table of a package. extra has the exports that the running version of Go has and other
// versions lack.
func Extend(p, extra *Package) {
	p.Deps = append(p.Deps, extra.Deps...)
	p.Types = append(p.Types, extra.Types...)
	p.Aliases = append(p.Aliases, extra.Aliases...)
	p.Vars = append(p.Vars, extra.Vars...)
	p.Funcs = append(p.Funcs, extra.Funcs...)
	p.Consts = append(p.Consts, extra.Consts...)
}

// All returns the registered packages, sorted by path.
func All() []*Package {
	all := make([]*Package, 0, len(packages))
	for _, p := range packages {
		all = append(all, p)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Path < all[j].Path })
	return all
}

// Lookup returns the package with the given path, or nil.
func Lookup(path string) *Package { return packages[path] }

func (p *Package) load() *ixgo.Package {
	r := &ixgo.Package{
		Path:          p.Path,
		Name:          p.Name,
		Deps:          make(map[string]string, len(p.Deps)),
		Interfaces:    map[string]reflect.Type{},
		NamedTypes:    map[string]reflect.Type{},
		AliasTypes:    make(map[string]reflect.Type, len(p.Aliases)),
		Vars:          make(map[string]reflect.Value, len(p.Vars)),
		Funcs:         make(map[string]reflect.Value, len(p.Funcs)),
		TypedConsts:   map[string]ixgo.TypedConst{},
		UntypedConsts: map[string]ixgo.UntypedConst{},
	}
	for _, d := range p.Deps {
		r.Deps[d.Path] = d.Name
	}
	for _, o := range p.Types {
		if t := elem(o.Value); t.Kind() == reflect.Interface {
			r.Interfaces[o.Name] = t
		} else {
			r.NamedTypes[o.Name] = t
		}
	}
	for _, o := range p.Aliases {
		r.AliasTypes[o.Name] = elem(o.Value)
	}
	for _, o := range p.Vars {
		r.Vars[o.Name] = reflect.ValueOf(o.Value)
	}
	for _, o := range p.Funcs {
		r.Funcs[o.Name] = reflect.ValueOf(o.Value)
	}
	for _, c := range p.Consts {
		v := value(c.Value)
		if c.Type != nil {
			r.TypedConsts[c.Name] = ixgo.TypedConst{Typ: elem(c.Type), Value: v}
		} else {
			if c.Untyped == "untyped float" { // the type checker refuses -v for an integer as large as math.MaxFloat64
				v = constant.ToFloat(v)
			}
			r.UntypedConsts[c.Name] = ixgo.UntypedConst{Typ: c.Untyped, Value: v}
		}
	}
	return r
}

// PointerTo returns a nil pointer to the type of its argument. Tables use it for a constant whose type they cannot
// name, for example because it is unexported.
func PointerTo[T any](T) any { return (*T)(nil) }

func elem(nilPointer any) reflect.Type { return reflect.TypeOf(nilPointer).Elem() }

func value(v any) constant.Value {
	switch v := v.(type) {
	case bool:
		return constant.MakeBool(v)
	case string:
		return constant.MakeString(v)
	case int64:
		return constant.MakeInt64(v)
	case uint64:
		return constant.MakeUint64(v)
	case Exact:
		return number(string(v))
	}
	panic(fmt.Sprintf("bind: a constant cannot have type %T", v))
}

// number parses s, a string that constant.Value.ExactString has written.
func number(s string) constant.Value {
	if num, den, ok := strings.Cut(s, "/"); ok {
		return constant.BinaryOp(constant.ToFloat(number(num)), token.QUO, constant.ToFloat(number(den)))
	}
	digits, negative := strings.CutPrefix(s, "-")
	kind := token.INT
	if strings.ContainsAny(digits, ".p") {
		kind = token.FLOAT
	}
	v := constant.MakeFromLiteral(digits, kind, 0)
	if v.Kind() == constant.Unknown {
		panic("bind: constant " + s)
	}
	if negative {
		v = constant.UnaryOp(token.SUB, v, 0)
	}
	return v
}
