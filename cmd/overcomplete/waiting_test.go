package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOnlyWhatStarts checks that a program that exits immediately is not used.
func TestOnlyWhatStarts(t *testing.T) {
	program := filepath.Join(t.TempDir(), "overcomplete")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho 'panic: not with this Go' >&2\nexit 2\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := ifItStarts(program); got != "" {
		t.Errorf("the kernel would become %s", got)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("OVERCOMPLETE_TEST", "1")
	if got := ifItStarts(self); got != self {
		t.Errorf("a kernel is passed over: %q", got)
	}
	os.Remove(self + ".format")
}
