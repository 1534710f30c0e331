package main

import (
	"bytes"
	"os"
	"testing"
)

// The module in the package's folder equals this program's output.
func TestCurrent(t *testing.T) {
	want, err := module()
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile("../simd.wasm")
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("simd.wasm is not current: run go generate (%v)", err)
	}
	if len(want) > 100<<10 {
		t.Errorf("%d bytes", len(want))
	}
}
