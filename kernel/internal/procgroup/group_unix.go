//go:build unix

package procgroup

import (
	"os/exec"
	"syscall"
)

// A Group is a program and all processes started by it that have not left its process group.
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

// Interrupt sends the group the signal of Ctrl-C in a terminal. On Windows it
// does nothing.
func (g *Group) Interrupt() { syscall.Kill(-g.pid, syscall.SIGINT) }

// Kill ends all remaining processes of the group. The system does not reuse the group's number while one of
// its processes lives; if none does, there is nothing to kill.
func (g *Group) Kill() { syscall.Kill(-g.pid, syscall.SIGKILL) }

// Nice lowers the processor priority of the group's processes and of those that they start. On Windows it does
// nothing.
func (g *Group) Nice() { syscall.Setpriority(syscall.PRIO_PGRP, g.pid, 10) }
