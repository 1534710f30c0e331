//go:build !linux

package grade

import "os/exec"

// An enclosure is a set of namespaces; this system has none.
type enclosure uintptr

var enclosures []enclosure

func (enclosure) hasOwnPIDs() bool   { return false }
func (enclosure) hasOwnMounts() bool { return false }
func (enclosure) apply(*exec.Cmd)    {}
