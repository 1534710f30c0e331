package grade

import (
	"os"
	"os/exec"
	"syscall"
)

// An enclosure is a set of new namespaces for a process.
type enclosure uintptr

// enclosures are tried in this order, the best first. In each the process is root, so it can change
// its root folder, and has no network. In the first two it has its own disk; in the first it also
// sees no other process. The later ones are for containers: some prevent it from mounting its own
// /proc, which Landlock needs there, some from mounting anything.
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

// apply makes cmd start in the namespaces.
func (e enclosure) apply(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  uintptr(e),
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Setpgid:     true,
	}
}
