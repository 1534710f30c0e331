//go:build (amd64 || arm64) && (linux || darwin || freebsd || netbsd || windows)

package native

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"overcomplete/internal/wasm"
)

// pages is the size of the memory in pages of 64 kB. It is one page less than 32 bits can address, because
// wazero stores the length in 32 bits.
const pages = 1<<16 - 1

// A wazeroEngine is an engine that runs modules with wazero's compiler.
type wazeroEngine struct {
	base    uintptr
	to      Target
	context context.Context
	// compiling is locked while a module is compiled or closed.
	compiling sync.Mutex
	runtime   wazero.Runtime
}

func openEngine() (e engine, err error) {
	base, err := openWindow()
	if err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil { // wazero has no compiler for this processor
			e, err = nil, fmt.Errorf("native: wazero: %v", p)
		}
	}()
	return newWazero(base)
}

func newWazero(base uintptr) (*wazeroEngine, error) {
	e := &wazeroEngine{base: base}
	e.to = Target{Base: uint64(base), Memory: ownMemory, More: importMore}
	e.context = experimental.WithMemoryAllocator(context.Background(), window(base))
	e.runtime = wazero.NewRuntimeWithConfig(e.context, wazero.NewRuntimeConfigCompiler().WithDebugInfoEnabled(false))
	_, err := e.runtime.NewHostModuleBuilder("go").NewFunctionBuilder().
		WithGoFunction(api.GoFunc(giveMore), nil, []api.ValueType{api.ValueTypeI32}).
		Export("more").Instantiate(e.context)
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (e *wazeroEngine) target() *Target { return &e.to }

func ownMemory(m *wasm.Module) { m.Memory(pages, pages) }

func importMore(m *wasm.Module) *wasm.Func {
	return m.ImportFunc("go", "more", nil, []wasm.Type{wasm.I32})
}

// A window gives wazero the memory of all modules. It holds the address of this memory, which exists already, so a
// window neither allocates nor frees it.
type window uintptr

func (w window) Allocate(cap, max uint64) experimental.LinearMemory { return w }

func (w window) Reallocate(size uint64) []byte {
	b := struct {
		data     uintptr
		len, cap int
	}{uintptr(w), int(size), int(size)}
	return *(*[]byte)(unsafe.Pointer(&b))
}

func (w window) Free() {}

// A call is the context in which wazero runs a module. It records how often the functions of the module may
// still get fuel.
type call struct {
	context.Context
	more *int32
}

// giveMore returns more fuel to a module, in stack[0]. It returns -1 if the run has already got more fuel as often as
// it may.
func giveMore(ctx context.Context, stack []uint64) {
	more := ctx.(*call).more
	if *more--; *more < 0 {
		stack[0] = math.MaxUint32
		return
	}
	stack[0] = moreFuel
}

// wazeroInstance is a module instance of wazero.
type wazeroInstance struct {
	engine   *wazeroEngine
	compiled wazero.CompiledModule
	module   api.Module
}

func (e *wazeroEngine) start(code []byte) (instance, error) {
	e.compiling.Lock()
	defer e.compiling.Unlock()
	compiled, err := e.runtime.CompileModule(e.context, code)
	if err != nil {
		return nil, err
	}
	mod, err := e.runtime.InstantiateModule(e.context, compiled, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return nil, errors.Join(err, compiled.Close(e.context))
	}
	return &wazeroInstance{e, compiled, mod}, nil
}

func (in *wazeroInstance) caller(more *int32) func(at uint64) error {
	do := in.module.ExportedFunction(run)
	ctx := &call{context.Background(), more}
	stack := make([]uint64, 1)
	return func(at uint64) error {
		stack[0] = at
		return do.CallWithStack(ctx, stack)
	}
}

func (in *wazeroInstance) close() {
	in.engine.compiling.Lock()
	defer in.engine.compiling.Unlock()
	in.module.Close(in.engine.context)
	in.compiled.Close(in.engine.context)
}
