package grade

import (
	"os"
	"os/exec"
	"syscall"
)

// An enclosure is a set of namespaces that a process gets for itself.
type enclosure uintptr

// enclosures are what a system is asked for, the best first. In each the process is root, and so can change its root
// folder, and has no network. In the first two it has a disk of its own, in the first it also sees no other process;
// where containers keep it from mounting its own /proc, without which Landlock cannot be set up there, or anything,
// the next will do.
var enclosures = []enclosure{
	basic | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
	basic | syscall.CLONE_NEWNS,
	basic,
}

const basic = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC

// alone reports whether the process sees no others.
func (e enclosure) alone() bool { return e&syscall.CLONE_NEWPID != 0 }

// mounts reports whether the process has mounts of its own.
func (e enclosure) mounts() bool { return e&syscall.CLONE_NEWNS != 0 }

// apply makes cmd start in it.
func (e enclosure) apply(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  uintptr(e),
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Setpgid:     true,
	}
}
