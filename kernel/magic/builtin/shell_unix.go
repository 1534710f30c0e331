//go:build unix

package builtin

import (
	"os/exec"
	"syscall"
)

func shellCommand(line string) *exec.Cmd { return exec.Command("/bin/sh", "-c", line) }

// ownGroup puts cmd, and all that it starts, into a process group of its own.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// askGroup is what Ctrl-C does in a terminal.
func askGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }

// killGroup ends what is left. The group's number is not given to others while
// one of its processes lives, and if none does there is nothing to kill.
func killGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
