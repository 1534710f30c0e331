package ixengine

import (
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"github.com/goplus/reflectx"

	"overcomplete/kernel/internal/entrypoints"
	"overcomplete/kernel/internal/rt"
)

// Methods of a cell's types that compiled code calls through interfaces: Less for sort.Sort, Write for
// fmt.Fprintf. The interpreter's entry points for methods call them through reflection, which takes more than a
// microsecond. Methods whose signature has a wrapper in package rt are entered like func values: see
// callFromCompiled.

// A valueMethod is what compiled code calls for a method with a value receiver. Compiled code passes the address of the
// receiver; the field called receiver describes the value at this address.
type valueMethod struct {
	fastClosure // must be the first field: callValueMethod converts its address
	receiver    *passage
}

// madeMethods collects the methods that the interpreter gives to the types that it makes.
type madeMethods struct {
	mu   sync.Mutex
	list []madeMethod
}

type madeMethod struct {
	of reflect.Type
	reflectx.Method
}

func (l *madeMethods) add(t reflect.Type, m reflectx.Method) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, madeMethod{t, m})
}

func (l *madeMethods) take() []madeMethod {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.list
	l.list = nil
	return list
}

// enterMethods lets compiled code that calls one of the given methods enter the method's register code directly,
// without reflection. The given methods belong to types that the program has made. The caller holds mu.
func (p *fastProgram) enterMethods(made []madeMethod) {
	if len(made) == 0 {
		return
	}
	type key struct {
		of   reflect.Type
		name string
	}
	declared := map[key]*fastFunc{}
	for f, ff := range p.known {
		if recv := f.Signature.Recv(); ff != nil && recv != nil && (f.Synthetic == "" || strings.HasPrefix(f.Synthetic, "instance of ")) {
			of := toType(p.interp, recv.Type())
			if of.Kind() == reflect.Pointer {
				of = of.Elem()
			}
			declared[key{of, f.Name()}] = ff
		}
	}
	for _, m := range made {
		if ff := declared[key{m.of, m.Name}]; ff != nil {
			for _, e := range entrypoints.Of(m.Func) {
				ff.enterBy(e)
			}
		}
	}
}

// enterBy makes calls of the entry point e run the method f. It does so only if all arguments and results can be in
// registers and package rt has a wrapper for f's signature.
func (f *fastFunc) enterBy(e *entrypoints.Entry) {
	k := f.form()
	if k == nil {
		return
	}
	in := []reflect.Type{reflect.TypeFor[unsafe.Pointer]()}
	for _, x := range k.args[1:] {
		in = append(in, x.rtype)
	}
	var out []reflect.Type
	for _, x := range k.results {
		out = append(out, x.rtype)
	}
	c := f.closure(k)
	target := &c.Target
	if !e.IsWord() {
		m := &valueMethod{fastClosure: *c, receiver: k.args[0]}
		m.Run = callValueMethod
		target = &m.Target
	}
	if fn, ok := rt.MakeFunc(reflect.FuncOf(in, out, false), target); ok {
		e.Set(fn)
	}
}

// callValueMethod runs when compiled code calls a method with a value receiver. p[0] is the address of the receiver.
func callValueMethod(t *rt.Target, n []uint64, p []unsafe.Pointer) {
	m := (*valueMethod)(unsafe.Pointer(t))
	if p[0] == nil {
		panic(nilReceiver(m.receiver.rtype, m.fn.f.Name()))
	}
	m.callFromCompiled(m.receiver, n, p)
}
