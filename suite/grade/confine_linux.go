package grade

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// The rights that Landlock allows in the folder: reading, writing, creating and removing files, but not
// executing them. So a cell can start no program, not even a file that the cell itself has written.
const allowed = ll.AccessFSReadFile | ll.AccessFSReadDir | ll.AccessFSWriteFile | ll.AccessFSTruncate |
	ll.AccessFSMakeReg | ll.AccessFSMakeDir | ll.AccessFSRemoveFile | ll.AccessFSRemoveDir

// confine restricts this process permanently, and returns the names of the restrictions that it could not
// apply. After an error the process may be only partly restricted, and should exit.
func confine(r request) (free []string, err error) {
	if r.Mounts {
		if err := mountDisk(r.Folder, r.Disk); err != nil {
			return nil, fmt.Errorf("a disk of its own: %w", err)
		}
	} else {
		free = append(free, "files that are removed and stay open")
	}
	if err := os.Chdir(r.Folder); err != nil {
		return nil, err
	}
	if r.Alone {
		// Landlock's setup looks for this process's threads in /proc, under the process ID in its own
		// namespace.
		if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
			return nil, fmt.Errorf("a /proc of its own: %w", err)
		}
	}
	rule := landlock.PathAccess(allowed, r.Folder)
	if err := landlock.V6.Restrict(rule); err != nil {
		// An older version of Landlock restricts all file access, but not signals.
		if err := landlock.V3.Restrict(rule); err != nil {
			free = append(free, fmt.Sprintf("files outside of the folder (%v)", err))
		}
		if !r.Alone {
			free = append(free, "signals to other processes")
		}
	}
	home := r.Folder
	if r.Enclosed {
		// Make the folder the root of the file system, so that sockets and /proc are out of reach.
		if err := unix.Chroot("."); err != nil {
			return nil, fmt.Errorf("a root folder of its own: %w", err)
		}
		home = "/"
	} else {
		free = append(free, "the network")
	}
	for _, name := range []string{"HOME", "TMPDIR"} {
		os.Setenv(name, home)
	}
	for _, l := range []struct {
		what string
		kind int
		most uint64
	}{
		{"memory", unix.RLIMIT_DATA, r.Memory},
		{"the size of files", unix.RLIMIT_FSIZE, r.Disk},
		{"open files", unix.RLIMIT_NOFILE, 256},
		{"core dumps", unix.RLIMIT_CORE, 0},
	} {
		if err := unix.Setrlimit(l.kind, &unix.Rlimit{Cur: l.most, Max: l.most}); err != nil {
			free = append(free, l.what)
		}
	}
	return free, nil
}

// mountDisk mounts a file system of limited size over a folder, and copies the folder's files into it. The limit
// counts all files whatever their names, even deleted files that are still open. The file system disappears with the
// process.
func mountDisk(folder string, size uint64) error {
	given, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer given.Close()
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	options := fmt.Sprintf("mode=0700,size=%d,nr_inodes=%d", size, mostFiles)
	if err := unix.Mount("tmpfs", folder, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, options); err != nil {
		return err
	}
	return os.CopyFS(folder, given.FS())
}

// isDiskFull reports whether this process's folder is full.
func isDiskFull() bool {
	var s unix.Statfs_t
	return unix.Statfs(".", &s) == nil && s.Type == unix.TMPFS_MAGIC && (s.Bavail == 0 || s.Ffree == 0)
}

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
