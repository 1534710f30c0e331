package ixengine

import (
	"log/slog"
	"sync"

	"overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/regcode/native"
)

// useNative has loops of register code compiled, where that can be.
var useNative = sync.OnceFunc(func() {
	c, err := native.New()
	if err != nil {
		slog.Debug("hot loops stay register code", "why", err)
		return
	}
	regcode.NativeCompiler = c
})
