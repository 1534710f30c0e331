package ixengine

import (
	"go/types"
	"reflect"
	"runtime"
	"slices"
	"sync"
)

// A shape describes how the values of a type are laid out in registers; see package regcode.
type shape struct {
	leaves []leaf
	parts  []*shape // shapes of a tuple's components or a struct's fields
	typ    types.Type
	size   int64
}

// A leaf is one register of a value.
type leaf struct {
	kind   reflect.Kind // kind of a number, or reflect.Pointer
	offset int64        // offset in memory
	itab   bool         // memory holds the itab of an interface with methods; a P register holds the type
	length bool         // a length or capacity, which changes only together with the pointer before it
	isBox  bool         // a P register holds the address of a copy that is never changed, or nil for zero; see boxed
}

func (l leaf) isP() bool { return l.kind == reflect.Pointer }

// mostLeaves is the maximum number of leaves of values in registers. Larger structs and arrays are boxed.
const mostLeaves = 16

// boxed returns the shape of values of the given size that are too large for registers. Their only register holds the
// address of a copy.
func boxed(size int64) *shape {
	return &shape{leaves: []leaf{{kind: reflect.Pointer, isBox: true}}, size: size}
}

// isBoxed reports whether values of shape sh are boxed as a whole; see boxed.
func (sh *shape) isBoxed() bool { return len(sh.leaves) == 1 && sh.parts == nil && sh.leaves[0].isBox }

// hasBox reports whether values of shape sh are boxed or have a boxed part.
func (sh *shape) hasBox() bool {
	return slices.ContainsFunc(sh.leaves, func(l leaf) bool { return l.isBox })
}

// shapes caches the shapes of types. The shape is nil for types whose values cannot be in registers, such as type
// parameters. The cache has a lock because a function may be compiled in one goroutine while another goroutine asks
// for a shape.
type shapes struct {
	mu    sync.Mutex
	known map[types.Type]*shape
}

// get returns the shape of t. The returned shape is immutable.
func (s *shapes) get(t types.Type) *shape {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.partOf(t)
}

// partOf is like get, for callers that hold mu.
func (s *shapes) partOf(t types.Type) *shape {
	if sh, ok := s.known[t]; ok {
		return sh
	}
	s.known[t] = nil // a type contains itself only through a pointer, and pointers do not look up their element
	sh := s.make(t)
	if sh != nil {
		sh.typ = t
	}
	s.known[t] = sh
	return sh
}

func (s *shapes) make(t types.Type) *shape {
	if tuple, ok := t.(*types.Tuple); ok {
		sh := &shape{}
		for v := range tuple.Variables() {
			part := s.partOf(v.Type())
			if part == nil {
				return nil
			}
			sh.parts = append(sh.parts, part)
			sh.leaves = append(sh.leaves, part.leaves...)
		}
		return sh
	}
	if b, ok := t.(*types.Basic); ok && b.Kind() == types.Invalid {
		return &shape{} // an unused component
	}
	if hasTypeParam(t) {
		return nil
	}
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		if b.Kind() != types.UntypedBool && b.Kind() != types.UntypedString {
			return nil
		}
		t = types.Default(t)
	}
	const word = 8
	sh := &shape{size: sizeOf(t)}
	add := func(kind reflect.Kind, at int64) { sh.leaves = append(sh.leaves, leaf{kind: kind, offset: at}) }
	addLength := func(at int64) {
		sh.leaves = append(sh.leaves, leaf{kind: reflect.Int, offset: at, length: true})
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Kind() == types.String:
			add(reflect.Pointer, 0)
			addLength(word)
		case u.Kind() == types.UnsafePointer:
			add(reflect.Pointer, 0)
		case u.Kind() == types.Complex128:
			add(reflect.Float64, 0)
			add(reflect.Float64, 8)
		case u.Kind() == types.Complex64:
			add(reflect.Float32, 0)
			add(reflect.Float32, 4)
		case kindOf(u) != reflect.Invalid:
			add(kindOf(u), 0)
		default:
			return nil
		}
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		add(reflect.Pointer, 0)
	case *types.Slice:
		add(reflect.Pointer, 0)
		addLength(word)
		addLength(2 * word)
	case *types.Interface:
		sh.leaves = []leaf{{kind: reflect.Pointer, itab: !u.Empty()}, {kind: reflect.Pointer, offset: word}}
	case *types.Struct:
		for i, at := range offsetsIn(u) {
			if s.partOf(u.Field(i).Type()) == nil {
				return nil
			}
			if !s.include(sh, u.Field(i).Type(), at) {
				return boxed(sh.size)
			}
		}
	case *types.Array:
		if s.partOf(u.Elem()) == nil {
			return nil
		}
		if u.Len() > mostLeaves {
			return boxed(sh.size)
		}
		for i := range u.Len() {
			if !s.include(sh, u.Elem(), i*sizeOf(u.Elem())) {
				return boxed(sh.size)
			}
		}
	default:
		return nil
	}
	return sh
}

// include adds the leaves of a field or element to sh; its type is t and its offset is at. It returns false if t has no
// shape, or if there would be too many leaves.
func (s *shapes) include(sh *shape, t types.Type, at int64) bool {
	part := s.partOf(t)
	if part == nil || len(sh.leaves)+len(part.leaves) > mostLeaves {
		return false
	}
	sh.parts = append(sh.parts, part)
	for _, l := range part.leaves {
		l.offset += at
		sh.leaves = append(sh.leaves, l)
	}
	return true
}

// offsetsIn returns the offsets of the fields of a struct.
func offsetsIn(st *types.Struct) []int64 {
	return sizes.Offsetsof(slices.Collect(st.Fields()))
}

// partIn returns the registers of part k, given the registers of the whole value.
func (sh *shape) partIn(k int, regs []uint16) []uint16 {
	i := 0
	for _, part := range sh.parts[:k] {
		i += len(part.leaves)
	}
	return regs[i : i+len(sh.parts[k].leaves)]
}

// hasInterface reports whether values of shape sh may contain an interface. It assumes that boxed parts do.
func (sh *shape) hasInterface() bool {
	if types.IsInterface(sh.typ) || sh.isBoxed() {
		return true
	}
	return slices.ContainsFunc(sh.parts, (*shape).hasInterface)
}

// plain reports whether the leaves have the same form in memory as in registers.
func (sh *shape) plain() bool {
	return !slices.ContainsFunc(sh.leaves, func(l leaf) bool { return l.itab || l.isBox })
}

// number returns the kind of the only leaf if it is a number, else Invalid.
func (sh *shape) number() reflect.Kind {
	if sh == nil || len(sh.leaves) != 1 || sh.leaves[0].isP() {
		return reflect.Invalid
	}
	return sh.leaves[0].kind
}

// kindOf returns the kind of t if t is a predeclared integer, float or bool type, or an untyped bool. Otherwise it
// returns Invalid.
func kindOf(t types.Type) reflect.Kind {
	b, ok := types.Unalias(t).(*types.Basic)
	if !ok {
		return reflect.Invalid
	}
	if b.Kind() == types.UntypedBool {
		return reflect.Bool
	}
	if b.Kind() <= types.Float64 { // from Invalid to Float64, go/types and reflect list the same kinds in the same order
		return reflect.Kind(b.Kind())
	}
	return reflect.Invalid
}

func isSigned(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Int64 }

func isInteger(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Uintptr }

var sizes = types.SizesFor("gc", runtime.GOARCH)

func sizeOf(t types.Type) int64 { return sizes.Sizeof(t) }

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0 // true for untyped constants too
}
