//go:build !unix

package builtin

import (
	"os/exec"
	"strconv"
)

func shellCommand(line string) *exec.Cmd { return exec.Command("cmd", "/c", line) }

func ownGroup(*exec.Cmd) {}

func askGroup(*exec.Cmd) {}

// killGroup ends cmd with what it has started.
func killGroup(cmd *exec.Cmd) {
	if err := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run(); err != nil {
		cmd.Process.Kill()
	}
}
