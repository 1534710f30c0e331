//go:build js

package native

import (
	"unsafe"

	"overcomplete/internal/wasm"
	"overcomplete/internal/wasmhost"
)

// A pageEngine is an engine that runs modules with the browser's engine. The kernel itself is WebAssembly, and the
// modules use the kernel's memory.
type pageEngine struct{ to Target }

func openEngine() (engine, error) {
	if _, err := wasmhost.Compile(nothing()); err != nil {
		return nil, err
	}
	return &pageEngine{Target{Memory: kernelMemory}}, nil
}

// nothing returns the code of a module whose only function is empty. It is used to test whether the page can compile
// modules.
func nothing() []byte {
	m := wasm.New()
	kernelMemory(m)
	m.Func(run, []wasm.Type{wasm.I32}, nil).Export(run)
	code, err := m.Encode()
	if err != nil {
		panic(err)
	}
	return code
}

func (e *pageEngine) target() *Target { return &e.to }

func kernelMemory(m *wasm.Module) { m.ImportMemory("env", "mem", 1) }

// pageInstance is a module instance in the page: the module's functions by name.
type pageInstance map[string]wasmhost.Func

func (e *pageEngine) start(code []byte) (instance, error) {
	fs, err := wasmhost.Compile(code)
	if err != nil {
		return nil, err
	}
	return pageInstance(fs), nil
}

func (in pageInstance) caller(*int32) func(at uint64) error {
	f := in[run]
	return func(at uint64) error {
		f.Call(*(*unsafe.Pointer)(unsafe.Pointer(&at)))
		return nil
	}
}

func (in pageInstance) close() { wasmhost.Release(in) }
