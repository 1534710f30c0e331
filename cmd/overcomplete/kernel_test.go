package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"overcomplete/kernel/kernelspec"
)

// TestKernelLeavesNothing checks that the programs of native cells are removed when the kernel
// ends.
func TestKernelLeavesNothing(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil || runtime.GOOS == "windows" {
		t.Skip("native cells need the Go toolchain on a Unix system")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	spec := kernelspec.New(self, "test")
	spec.Env = map[string]string{"OVERCOMPLETE_TEST": "1", "OVERCOMPLETE_HISTORY": "off", "OVERCOMPLETE_TRUST": "off", "TMPDIR": dir}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if _, err := kernelspec.CheckCell(ctx, spec, "%%native\nfunc f() int { return 1 }"); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
