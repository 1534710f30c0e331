package ixengine

import (
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"overcomplete/kernel/internal/rt"
)

// carryOver replaces the types of values in interfaces with their latest versions, in all memory that can be reached
// from the session's variables. It does nothing while code of cells may be running. It is called before each cell,
// since channels and older closures may bring further values of older versions. If there are many values, this happens
// only once for each new version.
func (s *Session) carryOver() {
	v := &s.loader.versions
	latest := v.latest.Load()
	if latest == nil || v.carried && v.many {
		return
	}
	release, ok := s.stop.pauseAll()
	if !ok {
		return // the next cell tries again
	}
	defer release()
	c := &carrier{latest: latest, plans: map[reflect.Type]*plan{}, reaches: map[reflect.Type]bool{}, dynamics: map[rt.Type]*dynamic{}}
	for _, v := range s.env.vars {
		if v.addr != nil {
			c.enter(c.planOf(reflect.TypeOf(v.addr).Elem()), reflect.ValueOf(v.addr).UnsafePointer(), 1)
		}
	}
	for len(c.todo) > 0 {
		r := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		c.visit(r)
	}
	for _, l := range c.held {
		l.Unlock()
	}
	v.carried, v.many = true, c.visited > mostVisited
}

// mostVisited is the number of values that may be visited before each cell. This takes a few milliseconds.
const mostVisited = 1 << 16

// A carrier visits memory and converts values held in interfaces to the latest versions of their types.
type carrier struct {
	latest   *latestTypes
	todo     []region // what is too deep for a recursion: lists in memory may be long
	depth    int
	plans    map[reflect.Type]*plan
	reaches  map[reflect.Type]bool // see reachesInterface
	dynamics map[rt.Type]*dynamic
	visited  int // number of values visited
	changed  int // number of interfaces changed, in the value that is visited and not through its pointers
	held     []sync.Locker
}

// A plan says how values of a type are visited. It is nil if no interface can be reached from such a value.
type plan struct {
	t     reflect.Type
	kind  reflect.Kind
	size  uintptr
	elem  *plan // of a pointer, a slice, an array or an atomic.Pointer
	parts []part
	locks []part    // of a struct of a compiled package
	seen  addresses // of the values that were visited
}

// A part is a field of a struct.
type part struct {
	offset uintptr
	*plan
}

// A dynamic holds what is known about a type whose values occur in interfaces.
type dynamic struct {
	isDirect bool // see rt.IsDirect
	plan     *plan
	latest   rt.Type // nil for the type itself
	isType   bool    // it is the type of reflect.Type values
}

// A region is n consecutive values in memory.
type region struct {
	*plan
	at unsafe.Pointer
	n  int
}

// addresses is a set of addresses, with a set of bits for each 32 KB of memory.
type addresses struct {
	pages  map[uintptr]*[64]uint64
	last   *[64]uint64
	lastAt uintptr
}

// add adds an address, and reports whether it is new.
func (s *addresses) add(p unsafe.Pointer) bool {
	at := uintptr(p) / 8 // interfaces are aligned
	if page := at / 4096; s.last == nil || page != s.lastAt {
		if s.pages == nil {
			s.pages = map[uintptr]*[64]uint64{}
		}
		if s.pages[page] == nil {
			s.pages[page] = new([64]uint64)
		}
		s.last, s.lastAt = s.pages[page], page
	}
	word, bit := &s.last[at%4096/64], uint64(1)<<(at%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

var (
	reflectValue = reflect.TypeFor[reflect.Value]()
	syncMap      = reflect.TypeFor[sync.Map]()
)

func (c *carrier) planOf(t reflect.Type) *plan {
	if p, ok := c.plans[t]; ok {
		return p
	}
	if !c.reachesInterface(t) {
		c.plans[t] = nil
		return nil
	}
	p := &plan{t: t, kind: t.Kind(), size: t.Size()}
	c.plans[t] = p
	switch {
	case t == reflectValue || t == syncMap:
	case atomicPointer(t) != nil:
		p.elem = c.planOf(atomicPointer(t).Elem())
	case p.kind == reflect.Pointer || p.kind == reflect.Slice || p.kind == reflect.Array:
		p.elem = c.planOf(t.Elem())
	case p.kind == reflect.Struct:
		for f := range t.Fields() {
			if q := c.planOf(f.Type); q != nil {
				p.parts = append(p.parts, part{f.Offset, q})
			}
			if isForeign(t) && isMutex(f.Type) {
				p.locks = append(p.locks, part{f.Offset, &plan{t: f.Type}})
			}
		}
	}
	return p
}

// enter visits n values in memory, at once or later.
func (c *carrier) enter(p *plan, at unsafe.Pointer, n int) {
	const deepest = 100
	switch r := (region{p, at, n}); {
	case p == nil || at == nil:
	case c.depth < deepest:
		c.visit(r)
	default:
		c.todo = append(c.todo, r)
	}
}

func (c *carrier) visit(r region) {
	changed := c.changed
	c.depth++
	for i := range r.n {
		if at := unsafe.Add(r.at, uintptr(i)*r.size); r.seen.add(at) {
			c.visited++
			c.carry(r.plan, at)
		}
	}
	c.depth--
	c.changed = changed
}

// carry visits the value at the given address.
func (c *carrier) carry(p *plan, at unsafe.Pointer) {
	if p == nil {
		return
	}
	switch p.kind {
	case reflect.Interface:
		c.carryInterface(p.t, at)
	case reflect.Pointer:
		c.enter(p.elem, *(*unsafe.Pointer)(at), 1)
	case reflect.Slice:
		s := reflect.NewAt(p.t, at).Elem()
		c.enter(p.elem, s.UnsafePointer(), s.Cap())
	case reflect.Array:
		for i := range p.t.Len() {
			c.carry(p.elem, unsafe.Add(at, uintptr(i)*p.elem.size))
		}
	case reflect.Struct:
		switch p.t {
		case reflectValue:
			c.carryType((*unsafe.Pointer)(at)) // the first field is the type
		case syncMap:
			c.carrySyncMap((*sync.Map)(at))
		}
		if p.elem != nil { // an atomic.Pointer
			c.enter(p.elem, atomic.LoadPointer((*unsafe.Pointer)(at)), 1)
		}
		if !c.lock(p, at) {
			return
		}
		for _, part := range p.parts {
			c.carry(part.plan, unsafe.Add(at, part.offset))
		}
	case reflect.Map:
		c.carryMap(reflect.NewAt(p.t, at).Elem())
	}
}

// lock locks the mutexes of the struct at the given address until all memory has been visited. It returns false if
// somebody else holds one of them.
func (c *carrier) lock(p *plan, at unsafe.Pointer) bool {
	for _, l := range p.locks {
		m := reflect.NewAt(l.t, unsafe.Add(at, l.offset)).Interface().(interface {
			sync.Locker
			TryLock() bool
		})
		if !m.TryLock() {
			return false
		}
		c.held = append(c.held, m)
	}
	return true
}

// carryType replaces a type with its latest version.
func (c *carrier) carryType(at *rt.Type) {
	if *at != nil {
		if latest := rt.TypeWord(c.latest.version(rt.TypeOf(*at))); latest != *at {
			*at = latest
			c.changed++
		}
	}
}

// typeOfTypes is the dynamic type of reflect.Type values.
var typeOfTypes = reflect.TypeOf(reflect.TypeFor[int]())

func (c *carrier) dynamicOf(word rt.Type) *dynamic {
	if d := c.dynamics[word]; d != nil {
		return d
	}
	t := rt.TypeOf(word)
	d := &dynamic{isDirect: rt.IsDirect(t), plan: c.planOf(t), isType: t == typeOfTypes}
	if latest := c.latest.version(t); latest != t {
		d.latest = rt.TypeWord(latest)
	}
	c.dynamics[word] = d
	return d
}

// carryInterface visits the interface of type t at the given address.
func (c *carrier) carryInterface(t reflect.Type, at unsafe.Pointer) {
	words := (*[2]unsafe.Pointer)(at)
	word, hasItab := words[0], t.NumMethod() > 0
	if hasItab {
		word = rt.ItabType(word)
	}
	if word == nil {
		return
	}
	d := c.dynamicOf(word)
	switch {
	case d.isType:
		c.carryType(&words[1])
	case d.isDirect:
		c.carry(d.plan, unsafe.Pointer(&words[1]))
	default:
		c.enter(d.plan, words[1], 1)
	}
	if d.latest == nil {
		return
	}
	word, ok := d.latest, true
	if hasItab {
		word, ok = rt.Itab(rt.TypeWord(t), word)
	}
	if ok {
		words[0] = word
		c.changed++
	}
}

// carryMap visits the keys and elements of a map. A key whose type changes is removed and added again, because the map
// would not find a key whose type has changed in place. (The hash of an interface depends on its value alone.)
func (c *carrier) carryMap(m reflect.Value) {
	keys, values := c.planOf(m.Type().Key()), c.planOf(m.Type().Elem())
	if m.IsNil() || !c.plans[m.Type()].seen.add(m.UnsafePointer()) {
		return
	}
	type entry struct {
		old, key, value reflect.Value
		isNew           bool // the key has changed
	}
	var changed []entry
	for it := m.MapRange(); it.Next(); {
		key, value := reflect.New(m.Type().Key()).Elem(), reflect.New(m.Type().Elem()).Elem()
		key.SetIterKey(it)
		value.SetIterValue(it)
		c.visited++
		before := c.changed
		c.carry(keys, key.Addr().UnsafePointer())
		isNew := c.changed > before
		c.carry(values, value.Addr().UnsafePointer())
		if c.changed > before {
			changed = append(changed, entry{it.Key(), key, value, isNew})
		}
	}
	for _, e := range changed {
		if !m.MapIndex(e.old).IsValid() { // NaN
			continue
		}
		if e.isNew {
			m.SetMapIndex(e.old, reflect.Value{})
			if m.MapIndex(e.key).IsValid() {
				continue // a cell has set the element of the new key
			}
		}
		m.SetMapIndex(e.key, e.value)
	}
}

// carrySyncMap does for a sync.Map what carryMap does for other maps.
func (c *carrier) carrySyncMap(m *sync.Map) {
	p := c.planOf(reflect.TypeFor[any]())
	m.Range(func(old, value any) bool {
		key, before := old, c.changed
		c.carry(p, unsafe.Pointer(&key))
		c.carry(p, unsafe.Pointer(&value))
		if c.changed > before {
			m.Delete(old)
			m.LoadOrStore(key, value)
		}
		return true
	})
}

// reachesInterface reports whether an interface can be reached from a value of type t: whether the value contains one,
// or points to memory that may contain one. Nothing counts as reached through structs that goroutines of compiled
// packages may use at any time (see isShared). For a sync.Map and a reflect.Value, which carry handles separately, it
// returns true.
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
			r = t == reflectValue || t == syncMap
			if p := atomicPointer(t); p != nil {
				r = visit(p)
			}
			if !r && !isShared(t) {
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

// isShared reports whether goroutines of compiled code may use a struct of type t at any time: it is of a compiled
// package, and has channels, unsafe pointers, or what package sync has without a mutex that carry could lock.
func isShared(t reflect.Type) bool {
	if !isForeign(t) {
		return false
	}
	isLocked, isShared := false, false
	for f := range t.Fields() {
		switch k := f.Type.Kind(); {
		case k == reflect.Chan || k == reflect.UnsafePointer:
			return true
		case isMutex(f.Type):
			isLocked = true
		default:
			isShared = isShared || hasLock(f.Type)
		}
	}
	return isShared && !isLocked || t.PkgPath() == "sync"
}

func isForeign(t reflect.Type) bool { return t.PkgPath() != "" && t.PkgPath() != "main" }

func isMutex(t reflect.Type) bool {
	return t == reflect.TypeFor[sync.Mutex]() || t == reflect.TypeFor[sync.RWMutex]()
}

// atomicPointer returns the type *T if t is atomic.Pointer[T] and T is a type of a cell or an unnamed type, otherwise
// nil.
func atomicPointer(t reflect.Type) reflect.Type {
	if t.PkgPath() != "sync/atomic" || !strings.HasPrefix(t.Name(), "Pointer[") {
		return nil
	}
	p := t.Field(0).Type.Elem() // the first field is a [0]*T
	if isForeign(p.Elem()) {
		return nil
	}
	return p
}
