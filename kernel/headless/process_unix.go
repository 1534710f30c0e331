//go:build unix

package headless

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps a terminal's Ctrl-C from the process: its runner tells it
// what to do.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

func killGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
