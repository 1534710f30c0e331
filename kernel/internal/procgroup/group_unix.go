//go:build unix

package procgroup

import (
	"os/exec"
	"syscall"
)

// A Group is a program with all that it has started and that has not left.
type Group struct{ pid int }

// Start starts cmd in a group of its own, so that a terminal's Ctrl-C does not reach it.
func Start(cmd *exec.Cmd) (*Group, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Group{cmd.Process.Pid}, nil
}

// Interrupt does what Ctrl-C does in a terminal; on Windows it does nothing.
func (g *Group) Interrupt() { syscall.Kill(-g.pid, syscall.SIGINT) }

// Kill ends what is left. The group's number is not given to others while one of its
// processes lives, and if none does there is nothing to kill.
func (g *Group) Kill() { syscall.Kill(-g.pid, syscall.SIGKILL) }
