package ixengine

import (
	"log/slog"
	"sync"

	"overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/regcode/native"
)

// useNative enables native compilation of loops in register code, if the processor supports it.
var useNative = sync.OnceFunc(func() {
	c, err := native.New()
	if err != nil {
		slog.Debug("hot loops stay register code", "why", err)
		return
	}
	regcode.NativeCompiler = c
})
