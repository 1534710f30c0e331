//go:build !linux

package grade

import "os/exec"

// An enclosure is a set of namespaces; this system has none.
type enclosure uintptr

var enclosures []enclosure

func (enclosure) alone() bool     { return false }
func (enclosure) mounts() bool    { return false }
func (enclosure) apply(*exec.Cmd) {}
