//go:build !unix

package headless

import "os/exec"

// ownGroup does nothing: on this system the process ignores Ctrl-C by itself.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { cmd.Process.Kill() }
