//go:build !js && !((amd64 || arm64) && (linux || darwin || freebsd || netbsd || windows))

package native

import (
	"errors"
	"runtime"
)

func openEngine() (engine, error) {
	return nil, errors.New("native: there is no compiler of WebAssembly for " + runtime.GOOS + "/" + runtime.GOARCH)
}
