package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/testfile"
	"overcomplete/kernel"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/jupyter"
	"overcomplete/kernel/wire"
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

// Each of these environment variables gives the program under test the path of another program. Cells that
// begin with the line "needs other" need the first of these programs; the second is prepared for every
// folder.
const (
	needsOther   = "OVERCOMPLETE_TEST_NEEDS"
	waitingOther = "OVERCOMPLETE_TEST_WAITING"
)

// replaceBy makes the kernel request replacement by another program.
func replaceBy(other string) {
	executor = func(k *kernel.Kernel) jupyter.Executor { return replacedKernel{k, other} }
}

type replacedKernel struct {
	*kernel.Kernel
	by string
}

func (r replacedKernel) Execute(ctx context.Context, cell engine.Cell, out kernel.Output) error {
	source, needs := strings.CutPrefix(cell.Source, "needs other\n")
	if needs && kernel.Staying(ctx) == nil {
		return &kernel.Replace{Program: r.by, Declarations: []engine.Cell{{Name: "In[1]", Source: "func declared() int { return 7 }"}}}
	}
	return r.Kernel.Execute(ctx, engine.Cell{Name: cell.Name, Source: source}, out)
}

// startKernel starts "overcomplete kernel" and a client.
func startKernel(t *testing.T, env string) (*wire.Client, *exec.Cmd, context.Context) {
	t.Helper()
	info, err := wire.NewConnectionInfo()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := info.WriteFile(filepath.Join(dir, "c.json")); err != nil {
		t.Fatal(err)
	}
	cmd := program(t, dir, "kernel", "-quiet", "c.json")
	cmd.Env = append(cmd.Env, "OVERCOMPLETE_HISTORY=off", env)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		cancel()
	})
	c, err := wire.Dial(ctx, info)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, cmd, ctx
}

// run runs a cell, and returns its reply.
func run(t *testing.T, ctx context.Context, c *wire.Client, source string) string {
	t.Helper()
	m, err := c.Request(ctx, wire.Shell, "execute_request", map[string]any{"code": source, "user_expressions": map[string]string{"v": "v"}})
	if err != nil {
		t.Fatal(err)
	}
	return string(m.Content)
}

// copyProgram returns a copy of this program.
func copyProgram(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other")
	data := testfile.Read(t, self) // not a link, which would be the same program
	if err := os.WriteFile(other, data, 0o700); err != nil {
		t.Fatal(err)
	}
	return other
}

// TestKernelIsReplaced checks that the command's kernel continues in another program, with the
// earlier declarations.
func TestKernelIsReplaced(t *testing.T) {
	if !wire.CanHandOver {
		t.Skip("on this system no program replaces another")
	}
	other := copyProgram(t)
	c, cmd, ctx := startKernel(t, needsOther+"="+other)
	run(t, ctx, c, "func declared() int { return 6 }")
	var plain, handed []time.Duration
	for i := range 8 {
		begin := time.Now()
		run(t, ctx, c, "1")
		plain = append(plain, time.Since(begin))
		begin = time.Now()
		got := run(t, ctx, c, "needs other\nv := declared()")
		if i > 0 { // the first cell asks the program for its format
			handed = append(handed, time.Since(begin))
		}
		if want := fmt.Sprintf(`"execution_count":%d`, 2*i+3); !strings.Contains(got, `"text/plain":"7"`) || !strings.Contains(got, want) {
			t.Fatalf("%s, want 7 in it and %s", got, want)
		}
	}
	slices.Sort(plain)
	slices.Sort(handed)
	t.Logf("a cell: median %v; with a hand-over: median %v, at most %v", plain[len(plain)/2], handed[len(handed)/2], handed[len(handed)-1])
	if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", cmd.Process.Pid)); err == nil && exe != other {
		t.Errorf("the process runs %s", exe)
	}
}

// TestWaitingProgram checks that a prepared program serves from the first cell on.
func TestWaitingProgram(t *testing.T) {
	other := copyProgram(t)
	// The other program also finds itself as the prepared program, and must not start itself again.
	c, cmd, ctx := startKernel(t, waitingOther+"="+other)
	if got := run(t, ctx, c, "v := 5"); !strings.Contains(got, `"text/plain":"5"`) {
		t.Fatal(got)
	}
	if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", cmd.Process.Pid)); runtime.GOOS == "linux" && (err != nil || exe != other) {
		t.Errorf("the process runs %s, %v", exe, err)
	}
	// A program that cannot be started does not prevent the kernel from serving.
	gone := filepath.Join(t.TempDir(), "gone")
	c, _, ctx = startKernel(t, waitingOther+"="+gone)
	if got := run(t, ctx, c, "v := 5"); !strings.Contains(got, `"text/plain":"5"`) {
		t.Fatal(got)
	}
}

// TestRunChild checks that the prepared program runs as a child on systems where a program cannot replace
// another.
func TestRunChild(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no sh")
	}
	code, err := runChild("/bin/sh", []string{"sh", "-c", `test "$JPY_PARENT_PID" = ` + fmt.Sprint(os.Getpid()) + ` && exit 7`})
	if code != 7 || err != nil {
		t.Errorf("%d, %v", code, err)
	}
	if _, err := runChild("/no/such/program", []string{"x"}); err == nil {
		t.Error("a program that is not there was run")
	}
}

// TestCanResume checks that the program reports the format that it supports.
func TestCanResume(t *testing.T) {
	code, out, errs := output(t, t.TempDir(), "kernel", "-can-resume")
	if code != 0 || strings.TrimSpace(out) != fmt.Sprint(jupyter.Format) {
		t.Errorf("%d: %q, %q", code, out, errs)
	}
}
