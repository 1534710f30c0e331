package ixengine

import (
	"maps"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goplus/ixgo"
	"github.com/goplus/reflectx"
	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/internal/rt"
)

// If a cell declares another method of a type of an earlier cell, the type becomes another runtime type: a newer
// version. The session's variables are then used as variables of the newer version (see Session.link). But each
// interface that holds a value also holds the type of that value, and this is the older version. Two things
// make such a value one of the newer version:
//
//   - Before the next cell runs, Session.carryOver changes the type in all interfaces that can be reached from variables.
//   - Type assertions, and so type switches, take all versions of a type for the same type. This is for values that
//     carryOver does not reach, such as those in channels and in variables of closures; and for older closures, which
//     make and expect values of the older version.

// versions knows the older versions of a session's types. Only the goroutine that builds cells calls note.
type versions struct {
	// some is 1 if there are older versions. Register code reads it.
	some    uint8
	older   map[string][]reflect.Type // by the key of the type's pin (see pinKey); all with the layout of the pinned type
	latest  atomic.Pointer[latestTypes]
	carried bool // the session's variables have been carried over to the versions in latest
}

// latestTypes maps older versions of types to their latest versions.
type latestTypes struct {
	of       map[reflect.Type]reflect.Type
	composed sync.Map // the same for types composed of others: from reflect.Type to reflect.Type
}

// note records the types in the map before, an earlier state of l.pins, that now are other types of the same layout.
func (l *loader) note(before map[string]reflect.Type) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := &l.versions
	for key, rt := range before {
		if l.pins[key] != rt {
			v.add(key, rt)
		}
	}
	var of map[reflect.Type]reflect.Type
	for key, list := range v.older {
		now := l.pins[key]
		if now == nil {
			continue // no program has used the newer version so far
		}
		if !sameLayout(now, list[len(list)-1]) {
			delete(v.older, key)
			continue
		}
		for _, rt := range list {
			if of == nil {
				of = map[reflect.Type]reflect.Type{}
			}
			of[rt] = now
		}
	}
	if old := v.latest.Load(); of != nil && (old == nil || !maps.Equal(old.of, of)) {
		v.latest.Store(&latestTypes{of: of})
		v.some, v.carried = 1, false
	}
}

// add records rt as an older version of the type whose pin has the given key.
func (v *versions) add(key string, rt reflect.Type) {
	if v.older == nil {
		v.older = map[string][]reflect.Type{}
	}
	v.older[key] = append(v.older[key], rt)
}

// same reports whether two types are versions of one type.
func (v *versions) same(a, b rt.Type) bool {
	l := v.latest.Load()
	return l != nil && a != nil && b != nil && l.version(rt.TypeOf(a)) == l.version(rt.TypeOf(b))
}

// implementing returns the latest version of t if this version has the methods of the given interface type.
func (v *versions) implementing(iface, t rt.Type) (latest rt.Type, ok bool) {
	l := v.latest.Load()
	if l == nil {
		return nil, false
	}
	latest = rt.TypeWord(l.version(rt.TypeOf(t)))
	if latest == t {
		return nil, false
	}
	_, ok = rt.Itab(iface, latest)
	return latest, ok
}

// version returns the latest version of t, which is t itself if it has no other versions.
func (l *latestTypes) version(t reflect.Type) reflect.Type {
	if now, ok := l.of[t]; ok {
		return now
	}
	if t.Name() != "" {
		return t
	}
	if now, ok := l.composed.Load(t); ok {
		return now.(reflect.Type)
	}
	now := t
	switch t.Kind() {
	case reflect.Pointer:
		if e := l.version(t.Elem()); e != t.Elem() {
			now = reflectx.PtrTo(e)
		}
	case reflect.Slice:
		if e := l.version(t.Elem()); e != t.Elem() {
			now = reflect.SliceOf(e)
		}
	case reflect.Array:
		if e := l.version(t.Elem()); e != t.Elem() {
			now = reflect.ArrayOf(t.Len(), e)
		}
	case reflect.Chan:
		if e := l.version(t.Elem()); e != t.Elem() {
			now = reflect.ChanOf(t.ChanDir(), e)
		}
	case reflect.Map:
		if k, e := l.version(t.Key()), l.version(t.Elem()); k != t.Key() || e != t.Elem() {
			now = reflect.MapOf(k, e)
		}
	case reflect.Struct: // structs with embedded or unnamed fields have pins
		fields, changed := make([]reflect.StructField, t.NumField()), false
		for i := range fields {
			f := t.Field(i)
			if f.Anonymous || f.Name == "_" {
				return t
			}
			fields[i], changed = f, changed || l.version(f.Type) != f.Type
			fields[i].Type = l.version(f.Type)
		}
		if changed {
			now = reflect.StructOf(fields)
		}
	case reflect.Func:
		changed := false
		list := func(n int, at func(int) reflect.Type) []reflect.Type {
			types := make([]reflect.Type, n)
			for i := range types {
				types[i] = l.version(at(i))
				changed = changed || types[i] != at(i)
			}
			return types
		}
		if in, out := list(t.NumIn(), t.In), list(t.NumOut(), t.Out); changed {
			now = reflect.FuncOf(in, out, t.IsVariadic())
		}
	}
	l.composed.Store(t, now)
	return now
}

// assertVersion returns the instruction for a type assertion. If the interface holds a value of another version of the
// asserted type, or the latest version of its type has the methods of the asserted interface, the assertion succeeds.
func (s *Session) assertVersion(interp *ixgo.Interp, in *ssa.TypeAssert, r *registers, old instruction) instruction {
	v := &s.loader.versions
	x := r.slotOf(in.X)
	return func(fr *frame) {
		if v.some != 0 {
			if i := &stackOf(fr)[x]; *i != nil {
				to := toType(interp, in.AssertedType)
				t, data := rt.Words(*i)
				asserted := rt.TypeWord(to)
				if to.Kind() != reflect.Interface {
					if t != asserted && v.same(t, asserted) {
						*i = rt.Any(asserted, data)
					}
				} else if _, ok := rt.Itab(asserted, t); to.NumMethod() > 0 && !ok {
					if latest, ok := v.implementing(asserted, t); ok {
						*i = rt.Any(latest, data)
					}
				}
			}
		}
		old(fr)
	}
}

// carryOver replaces the types of values in interfaces by their latest versions, in all memory that can be reached from
// the session's variables. It does nothing while code of cells may be running.
func (s *Session) carryOver() {
	v := &s.loader.versions
	latest := v.latest.Load()
	if latest == nil || v.carried {
		return
	}
	release, ok := s.stop.still()
	if !ok {
		return // the next cell tries again
	}
	defer release()
	c := &carrier{latest: latest, seen: map[region]bool{}, reaches: map[reflect.Type]bool{}}
	for _, v := range s.env.vars {
		if v.addr != nil {
			c.enter(region{reflect.TypeOf(v.addr).Elem(), reflect.ValueOf(v.addr).UnsafePointer(), 1})
		}
	}
	for len(c.todo) > 0 {
		r := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		for i := range r.n {
			c.carry(r.t, unsafe.Add(r.at, uintptr(i)*r.t.Size()))
		}
	}
	v.carried = true
}

// A carrier visits memory to carry values in interfaces over to the latest versions of their types.
type carrier struct {
	latest  *latestTypes
	todo    []region // a list, not a recursion: lists in memory may be long
	seen    map[region]bool
	reaches map[reflect.Type]bool // see reachesInterface
	changed int                   // number of interfaces changed
}

// A region is n consecutive values of type t in memory.
type region struct {
	t  reflect.Type
	at unsafe.Pointer
	n  int
}

// enter adds a region to those to visit, unless it was added before.
func (c *carrier) enter(r region) {
	if r.at != nil && c.reachesInterface(r.t) && !c.seen[r] {
		c.seen[r] = true
		c.todo = append(c.todo, r)
	}
}

// carry visits the value of type t at the given address.
func (c *carrier) carry(t reflect.Type, at unsafe.Pointer) {
	if !c.reachesInterface(t) {
		return
	}
	switch t.Kind() {
	case reflect.Interface:
		c.carryInterface(t, at)
	case reflect.Pointer:
		c.enter(region{t.Elem(), *(*unsafe.Pointer)(at), 1})
	case reflect.Slice:
		s := reflect.NewAt(t, at).Elem()
		c.enter(region{t.Elem(), s.UnsafePointer(), s.Cap()})
	case reflect.Array:
		for i := range t.Len() {
			c.carry(t.Elem(), unsafe.Add(at, uintptr(i)*t.Elem().Size()))
		}
	case reflect.Struct:
		for f := range t.Fields() {
			c.carry(f.Type, unsafe.Add(at, f.Offset))
		}
	case reflect.Map:
		c.carryMap(reflect.NewAt(t, at).Elem())
	}
}

// carryInterface visits the interface of type t at the given address.
func (c *carrier) carryInterface(t reflect.Type, at unsafe.Pointer) {
	words := (*[2]unsafe.Pointer)(at)
	typ := words[0]
	if t.NumMethod() > 0 {
		typ = rt.ItabType(typ)
	}
	if typ == nil {
		return
	}
	dynamic := rt.TypeOf(typ)
	if rt.IsDirect(dynamic) {
		c.carry(dynamic, unsafe.Pointer(&words[1]))
	} else {
		c.enter(region{dynamic, words[1], 1})
	}
	latest := c.latest.version(dynamic)
	if latest == dynamic {
		return
	}
	word, ok := rt.TypeWord(latest), true
	if t.NumMethod() > 0 {
		word, ok = rt.Itab(rt.TypeWord(t), word)
	}
	if ok {
		words[0] = word
		c.changed++
	}
}

// carryMap visits the keys and elements of a map. The hash of an interface depends on its value alone, but the map would
// not find a key whose type has changed in place.
func (c *carrier) carryMap(m reflect.Value) {
	r := region{m.Type(), m.UnsafePointer(), 1}
	if c.seen[r] {
		return
	}
	c.seen[r] = true
	type entry struct{ old, key, value reflect.Value }
	var changed []entry
	for it := m.MapRange(); it.Next(); {
		key, value := reflect.New(m.Type().Key()).Elem(), reflect.New(m.Type().Elem()).Elem()
		key.SetIterKey(it)
		value.SetIterValue(it)
		before := c.changed
		c.carry(key.Type(), key.Addr().UnsafePointer())
		c.carry(value.Type(), value.Addr().UnsafePointer())
		if c.changed > before {
			changed = append(changed, entry{it.Key(), key, value})
		}
	}
	for _, e := range changed {
		if m.MapIndex(e.old).IsValid() { // no NaN
			m.SetMapIndex(e.old, reflect.Value{})
			m.SetMapIndex(e.key, e.value)
		}
	}
}

// reachesInterface reports whether an interface can be reached from a value of type t: whether the value contains one,
// or points to memory that may contain one. Structs of compiled packages that have locks, channels or unsafe pointers
// belong to the goroutines of these packages; nothing counts as reached through them.
func (c *carrier) reachesInterface(t reflect.Type) bool {
	if r, ok := c.reaches[t]; ok {
		return r
	}
	visited := map[reflect.Type]bool{}
	var visit func(t reflect.Type) bool
	visit = func(t reflect.Type) bool {
		if r, ok := c.reaches[t]; ok || visited[t] {
			return r
		}
		visited[t] = true
		r := false
		switch t.Kind() {
		case reflect.Interface:
			r = true
		case reflect.Pointer, reflect.Slice, reflect.Array:
			r = visit(t.Elem())
		case reflect.Map:
			r = visit(t.Key()) || visit(t.Elem())
		case reflect.Struct:
			if !isShared(t) {
				for f := range t.Fields() {
					r = r || visit(f.Type)
				}
			}
		}
		if r {
			c.reaches[t] = true
		}
		return r
	}
	if visit(t) {
		return true
	}
	for t := range visited { // only now: while a type is visited, the answers for others may be too early
		c.reaches[t] = false
	}
	return false
}

// isShared reports whether goroutines of compiled code may use a struct of type t at any time.
func isShared(t reflect.Type) bool {
	if t.PkgPath() == "" || t.PkgPath() == "main" {
		return false
	}
	for f := range t.Fields() {
		if k := f.Type.Kind(); k == reflect.Chan || k == reflect.UnsafePointer {
			return true
		}
	}
	return hasLock(t)
}
