package ixengine

import (
	"flag"
	"reflect"
	"unsafe"
)

// Flags of the command line. Package flag panics if a flag is defined twice, but a cell that defines flags may run
// again. So a flag that is defined again replaces the earlier one, as variables do.

// definers are the functions of package flag that define a flag of the command line. The value is the index of the
// parameter with the flag's name.
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

// flags replaces the functions that define flags.
func (s *Session) flags() {
	for name, d := range definers {
		f := reflect.ValueOf(d.function)
		s.ctx.RegisterExternal("flag."+name, reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
			forgetFlag(args[d.name].String())
			return f.Call(args)
		}).Interface())
	}
}

// forgetFlag removes a flag from those of the command line.
func forgetFlag(name string) {
	set := reflect.ValueOf(flag.CommandLine).Elem()
	for _, table := range []string{"formal", "actual"} {
		if f := set.FieldByName(table); f.IsValid() && f.Type() == reflect.TypeFor[map[string]*flag.Flag]() {
			delete(*(*map[string]*flag.Flag)(unsafe.Pointer(f.UnsafeAddr())), name)
		}
	}
}
