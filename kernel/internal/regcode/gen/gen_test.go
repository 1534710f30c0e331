package main

import (
	"bytes"
	"testing"

	"overcomplete/internal/testfile"
)

func TestCurrent(t *testing.T) {
	want, err := source()
	if err != nil {
		t.Fatal(err)
	}
	got := testfile.Read(t, "../steps_gen.go")
	if !bytes.Equal(got, want) {
		t.Error("steps_gen.go is not what gen writes: go generate ./kernel/internal/regcode")
	}
}
