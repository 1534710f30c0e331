//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "overcomplete-live: this is the kernel for browsers: build it with GOOS=js GOARCH=wasm ('make live' does)")
	os.Exit(2)
}
