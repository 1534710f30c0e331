//go:build unix

package procgroup

import (
	"os/exec"
	"syscall"
)

// A Group is a program and all processes started by it that have not left its process group.
type Group struct{ pid int }

// Start starts cmd in a new process group, so that a terminal's Ctrl-C does not reach it.
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

// Interrupt sends the group the signal that a terminal sends for Ctrl-C. On Windows it does nothing.
func (g *Group) Interrupt() { syscall.Kill(-g.pid, syscall.SIGINT) }

// Kill ends all remaining processes of the group. The system does not reuse the group's number while a
// process of the group lives. If no process lives, there is nothing to kill.
func (g *Group) Kill() { syscall.Kill(-g.pid, syscall.SIGKILL) }

// Nice lowers the processor priority of the group's processes and of processes that they start. On Windows it
// does nothing.
func (g *Group) Nice() { syscall.Setpriority(syscall.PRIO_PGRP, g.pid, 10) }
