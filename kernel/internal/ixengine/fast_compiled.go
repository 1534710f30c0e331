package ixengine

import (
	"go/types"
	"reflect"
	"slices"
	"unsafe"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"

	rc "overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// Calls of compiled functions. If package rt knows the signature, the arguments are passed from registers;
// otherwise the interpreter makes the call with package reflect.

//go:linkname findExternFunc github.com/goplus/ixgo.findExternFunc
func findExternFunc(interp *ixgo.Interp, fn *ssa.Function) (ext reflect.Value, ok bool)

// callCompiled compiles a call of f, which is a compiled function.
func (c *fastCompiler) callCompiled(in *ssa.Call, f *ssa.Function) bool {
	if c.profile != nil || f.Pkg == nil || f.Pkg.Pkg.Path() == hostPath || ofTesting(f.Pkg.Pkg) || c.f.Recover != nil {
		return false
	}
	ext, ok := findExternFunc(c.interp, f)
	if !ok || !c.isCallOf(in, ext.Type()) {
		return false
	}
	callee := rt.CalleeOf(ext)
	var k rc.Call
	if callee == nil || !c.passes(&k, in, nil) {
		return false
	}
	if c.matrixMethod(in, f) {
		return true
	}
	callee.ArgN, callee.ArgP, callee.ResN, callee.ResP = k.ArgN, k.ArgP, k.ResN, k.ResP
	s := c.session
	site := c.ownSite(in, func(fr *frame, n *rc.N, p *rc.P) bool {
		if field[uint64](unsafe.Pointer(fr), layout.deferid) != 0 {
			return false // the interpreter records the frame for calls back into cells
		}
		s.outside(fr, func(*frame) { callee.Call((*rt.Numbers)(n), (*rt.Pointers)(p)) })
		return true
	})
	if onlyComputes(f) && !breathing {
		c.help(func(n *rc.N, p *rc.P) bool { return attempt(callee, n, p) }, site)
	} else {
		c.emit(rc.Op{Code: rc.OpDo, To: site})
	}
	return true
}

// attempt calls a function that only computes. If the function panics, it has had no effect. It is then
// called again with a frame, and that call panics.
func attempt(callee *rt.Callee, n *rc.N, p *rc.P) (done bool) {
	defer func() {
		if !done {
			_ = recover()
		}
	}()
	callee.Call((*rt.Numbers)(n), (*rt.Pointers)(p))
	return true
}

// The list plain contains packages whose functions only compute unless they are passed functions or
// interfaces. The list plainTypes contains types in these packages whose methods only compute. A function
// that only computes calls no code of cells, does not wait, and has no effect before it panics.
var (
	plain      = []string{"bytes", "math", "math/bits", "math/cmplx", "strconv", "strings", "unicode", "unicode/utf16", "unicode/utf8"}
	plainTypes = []string{"*bytes.Buffer", "*strings.Builder"}
)

// onlyComputes reports whether f only computes; see plain.
func onlyComputes(f *ssa.Function) bool {
	if !slices.Contains(plain, f.Pkg.Pkg.Path()) {
		return false
	}
	if r := f.Signature.Recv(); r != nil && !slices.Contains(plainTypes, r.Type().String()) {
		return false
	}
	return !slices.ContainsFunc(slices.Collect(f.Signature.Params().Variables()), func(v *types.Var) bool {
		switch u := v.Type().Underlying().(type) {
		case *types.Basic:
			return false
		case *types.Slice:
			_, isBasic := u.Elem().Underlying().(*types.Basic)
			return !isBasic
		}
		return true
	})
}

// isCallOf reports whether a call invokes a function of type t and passes no function, channel or context to
// it. The session would have to record or replace these arguments.
func (c *fastCompiler) isCallOf(in *ssa.Call, t reflect.Type) bool {
	args := in.Call.Args
	if t.NumIn() != len(args) || t.NumOut() != in.Call.Signature().Results().Len() {
		return false
	}
	for i, v := range args {
		switch v.Type().Underlying().(type) {
		case *types.Signature, *types.Chan:
			return false
		}
		if isContext(v.Type()) || hasContext(v.Type()) || c.rtype(v.Type()) != t.In(i) {
			return false
		}
	}
	results := slices.Collect(in.Call.Signature().Results().Variables())
	return !slices.ContainsFunc(results, func(v *types.Var) bool {
		return c.rtype(v.Type()) != t.Out(slices.Index(results, v))
	})
}
