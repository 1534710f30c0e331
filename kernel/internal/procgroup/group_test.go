package procgroup

import (
	"bufio"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
)

// family returns a program that starts another process, prints a line, and waits for the process.
func family(t *testing.T) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.Command("cmd", "/c", "echo started & ping -n 60 127.0.0.1 >nul")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	return exec.Command("sh", "-c", "echo started; sleep 60 & wait")
}

// TestKill ends a program with a child that holds the program's standard output: when the output ends, the
// child has ended too.
func TestKill(t *testing.T) {
	cmd := family(t)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	g, err := Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(line, "started") {
		t.Fatalf("%q, %v", line, err)
	}
	time.Sleep(100 * time.Millisecond) // the child starts after the line is printed
	g.Kill()
	ended := make(chan bool)
	go func() {
		lines.ReadString('\n')
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(patience.Long):
		t.Error("the child goes on")
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the program ended by itself")
	}
	g.Kill() // no process is left, so Kill does nothing
}

// TestInterrupt asks a program to end.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("not possible there")
	}
	cmd := exec.Command("sh", "-c", "trap 'exit 7' INT; echo started; while :; do sleep 0.05; done")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	g, err := Start(cmd)
	if err != nil {
		t.Skip(err)
	}
	bufio.NewReader(out).ReadString('\n')
	g.Interrupt()
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 7 {
		t.Errorf("exit code %d", code)
	}
}

func TestNoProgram(t *testing.T) {
	if _, err := Start(exec.Command("no-such-program-anywhere")); err == nil {
		t.Error("started")
	}
}
