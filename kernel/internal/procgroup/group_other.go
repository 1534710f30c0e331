//go:build !unix && !windows

package procgroup

import "os/exec"

// A Group is a program. On this system a Group does not include the processes that the program starts.
type Group struct{ cmd *exec.Cmd }

// Start starts cmd.
func Start(cmd *exec.Cmd) (*Group, error) { return &Group{cmd}, cmd.Start() }

// Interrupt does nothing.
func (g *Group) Interrupt() {}

// Kill ends the program.
func (g *Group) Kill() { g.cmd.Process.Kill() }

// Nice does nothing.
func (g *Group) Nice() {}
