package wasm

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// here is the common prefix of the names of this package's functions.
var here = func() string {
	pc, _, _, _ := runtime.Caller(0)
	name := runtime.FuncForPC(pc).Name()
	return name[:strings.LastIndex(name, "/wasm.")] + "/wasm."
}()

// caller returns the file and line of the first caller outside of this package. The package's tests
// count as outside.
func caller() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, here) || strings.HasSuffix(f.File, "_test.go") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return "unknown line"
		}
	}
}
