//go:build amd64 || arm64

package opencl

import "golang.org/x/sys/windows"

// open opens the OpenCL library. The returned function finds the functions of the library by name.
func open() (lookup func(name string) (uintptr, error), err error) {
	lib := windows.NewLazySystemDLL("OpenCL.dll")
	if err := lib.Load(); err != nil {
		return nil, err
	}
	return func(name string) (uintptr, error) {
		p := lib.NewProc(name)
		if err := p.Find(); err != nil {
			return 0, err
		}
		return p.Addr(), nil
	}, nil
}
