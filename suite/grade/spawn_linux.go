package grade

import (
	"os"
	"os/exec"
	"syscall"
)

// An enclosure is the set of new namespaces in which a process starts.
type enclosure uintptr

// enclosures are tried in this order, the most restrictive first. In every enclosure the process is root, so it can
// change its root folder, and it has no network. In the first two it has its own disk; in the first it also sees no
// other process. The less restrictive enclosures are for containers: some containers prevent the process from
// mounting its own /proc, which Landlock needs in the first enclosure, and some prevent all mounts.
var enclosures = []enclosure{
	basic | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
	basic | syscall.CLONE_NEWNS,
	basic,
}

const basic = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC

// hasOwnPIDs reports whether the process sees no other processes.
func (e enclosure) hasOwnPIDs() bool { return e&syscall.CLONE_NEWPID != 0 }

// hasOwnMounts reports whether the process has its own mounts.
func (e enclosure) hasOwnMounts() bool { return e&syscall.CLONE_NEWNS != 0 }

// apply makes cmd start in the namespaces.
func (e enclosure) apply(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  uintptr(e),
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Setpgid:     true,
	}
}
