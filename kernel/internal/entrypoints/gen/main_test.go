package main

import (
	"bytes"
	"os"
	"testing"
)

func TestGenerated(t *testing.T) {
	got, err := os.ReadFile("../functions_js.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, source()) {
		t.Error("functions_js.go is not what gen writes: run go generate ./kernel/internal/entrypoints")
	}
}
