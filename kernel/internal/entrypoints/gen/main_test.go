package main

import (
	"bytes"
	"testing"

	"overcomplete/internal/testfile"
)

func TestGenerated(t *testing.T) {
	got := testfile.Read(t, "../functions_js.go")
	if !bytes.Equal(got, source()) {
		t.Error("functions_js.go is not what gen writes: run go generate ./kernel/internal/entrypoints")
	}
}
