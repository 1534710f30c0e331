//go:build (linux || darwin) && (amd64 || arm64) && !android

package opencl

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// open opens the OpenCL library. The returned function finds the functions of the library by name.
func open() (lookup func(name string) (uintptr, error), err error) {
	name := "libOpenCL.so.1"
	if runtime.GOOS == "darwin" {
		name = "/System/Library/Frameworks/OpenCL.framework/OpenCL"
	}
	lib, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, err
	}
	return func(name string) (uintptr, error) { return purego.Dlsym(lib, name) }, nil
}
