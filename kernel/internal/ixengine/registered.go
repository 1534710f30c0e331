package ixengine

import (
	"flag"
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// This file handles registrations that last until the process ends: command-line flags, and handlers of
// http.DefaultServeMux. The packages panic if a name is registered twice, but a cell that registers a name may
// run again. So a new registration replaces the earlier one, as a new declaration replaces a variable.

// definers holds the functions of package flag that define a command-line flag, each with the index of the
// parameter that is the flag's name.
var definers = map[string]struct {
	function any
	name     int
}{
	"Bool": {flag.Bool, 0}, "BoolVar": {flag.BoolVar, 1}, "BoolFunc": {flag.BoolFunc, 0},
	"Duration": {flag.Duration, 0}, "DurationVar": {flag.DurationVar, 1},
	"Float64": {flag.Float64, 0}, "Float64Var": {flag.Float64Var, 1},
	"Func": {flag.Func, 0},
	"Int":  {flag.Int, 0}, "IntVar": {flag.IntVar, 1},
	"Int64": {flag.Int64, 0}, "Int64Var": {flag.Int64Var, 1},
	"String": {flag.String, 0}, "StringVar": {flag.StringVar, 1},
	"TextVar": {flag.TextVar, 1},
	"Uint":    {flag.Uint, 0}, "UintVar": {flag.UintVar, 1},
	"Uint64": {flag.Uint64, 0}, "Uint64Var": {flag.Uint64Var, 1},
	"Var": {flag.Var, 1},
}

// registered replaces the functions that cells call to register HTTP handlers and command-line
// flags. The replacements let a cell register a name again.
func (s *Session) registered() {
	s.ctx.RegisterExternal("net/http.Handle", handle)
	s.ctx.RegisterExternal("net/http.HandleFunc", func(pattern string, h func(http.ResponseWriter, *http.Request)) {
		handle(pattern, handlerOf(h))
	})
	forgetFlag("quickchecks") // a flag of testing/quick, which the kernel contains
	for name, d := range definers {
		f := reflect.ValueOf(d.function)
		s.ctx.RegisterExternal("flag."+name, reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
			forgetFlag(args[d.name].String())
			return f.Call(args)
		}).Interface())
	}
}

// forgetFlag removes a flag from the command-line flags.
func forgetFlag(name string) {
	set := reflect.ValueOf(flag.CommandLine).Elem()
	for _, table := range []string{"formal", "actual"} {
		if f := set.FieldByName(table); f.IsValid() && f.Type() == reflect.TypeFor[map[string]*flag.Flag]() {
			delete(*(*map[string]*flag.Flag)(unsafe.Pointer(f.UnsafeAddr())), name)
		}
	}
}

// handlers holds the handlers that cells have registered with mux.
var handlers struct {
	mu      sync.Mutex
	mux     *http.ServeMux // the value of http.DefaultServeMux when the handlers were registered; programs may set it
	pattern map[string]*latestHandler
}

// A latestHandler is an HTTP handler that passes each request to the handler stored in it. A new registration for the
// same pattern replaces the stored handler.
type latestHandler struct{ atomic.Pointer[http.Handler] }

func (l *latestHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	(*l.Load()).ServeHTTP(w, r)
}

// handlerOf returns f as a handler. If f is nil, it returns nil, which http.Handle refuses.
func handlerOf(f func(http.ResponseWriter, *http.Request)) http.Handler {
	if f == nil {
		return nil
	}
	return http.HandlerFunc(f)
}

// handle registers h for the pattern. If a cell has registered a handler for the same pattern before, h
// replaces it.
func handle(pattern string, h http.Handler) {
	t := &handlers
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mux != http.DefaultServeMux {
		t.mux, t.pattern = http.DefaultServeMux, map[string]*latestHandler{}
	}
	if h == nil {
		http.Handle(pattern, nil) // panics
	}
	if l := t.pattern[pattern]; l != nil {
		l.Store(&h)
		return
	}
	l := &latestHandler{}
	l.Store(&h)
	http.Handle(pattern, l)
	t.pattern[pattern] = l
}
