package native

import (
	"errors"
	"log/slog"
	"os"
	"runtime"
	"sync"

	rc "overcomplete/kernel/internal/regcode"
)

// An engine runs WebAssembly modules on the memory of this process.
type engine interface {
	target() *Target
	// start prepares a module for use.
	start(code []byte) (instance, error)
}

// An instance is a module ready for use. It must not refer to the register code: it is closed when the register code
// is no longer reachable, and such a reference would prevent that.
type instance interface {
	// caller returns a function that runs the module. The function's argument is the address of the entry in
	// the module's memory. The argument more points to the number of times that calls in the module may still
	// get more fuel. The function must not be called again before it has returned.
	caller(more *int32) func(at uint64) error
	close()
}

// A Compiler compiles loops and calls to native code. It is safe for concurrent use.
type Compiler struct{ engine engine }

// Switch is the name of an environment variable. If the value of the variable is "off", there is no native code.
const Switch = "OVERCOMPLETE_NATIVE"

// New returns the process's compiler, or an error that says why native code is not available.
var New = sync.OnceValues(func() (*Compiler, error) {
	if os.Getenv(Switch) == "off" {
		return nil, errors.New("native: turned off by " + Switch)
	}
	e, err := openEngine()
	if err != nil {
		return nil, err
	}
	return &Compiler{e}, nil
})

var _ rc.CallCompiler = (*Compiler)(nil)

// Compile compiles the loop l to native code. If it cannot, the error says why.
func (c *Compiler) Compile(code *rc.Code, l *rc.Loop) (rc.Native, error) {
	m, err := Emit(code, l.At, c.engine.target())
	if err != nil {
		return nil, err
	}
	return c.load(m, firstFuel)
}

// CompileCall compiles the call at code.Ops[at] to native code. If it cannot, the error says why.
func (c *Compiler) CompileCall(code *rc.Code, at int32) (rc.Native, error) {
	m, err := EmitCall(code, at, c.engine.target())
	if err != nil {
		return nil, err
	}
	if c.engine.target().More == nil {
		return c.load(m, longFuel)
	}
	return c.load(m, firstFuel)
}

// load prepares the module m for use, and returns its native code. fuel is the approximate number of ops that the first
// run may execute.
func (c *Compiler) load(m *Module, fuel int32) (rc.Native, error) {
	in, err := c.engine.start(m.Code)
	if err != nil {
		slog.Warn("a loop stays with the machine: the engine refuses its module", "error", err)
		return nil, err
	}
	p := &program{of: m.Of, exits: m.Exits, instance: in, base: c.engine.target().Base, size: atSlots/8 + m.Slots}
	p.fuel.Store(fuel)
	p.patience.Store(firstPatience)
	runtime.AddCleanup(p, instance.close, in)
	return p.run, nil
}
