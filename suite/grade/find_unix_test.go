//go:build unix

package grade

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// If a submission is not a regular file, the fault names its kind, and the file is not opened.
func TestFindNoFiles(t *testing.T) {
	folder, err := os.MkdirTemp("", "find") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	if err := syscall.Mkfifo(filepath.Join(folder, "fifo.ipynb"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(folder, "socket.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	list, err := Find(folder, "lecture-pca")
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	for i, want := range []string{"it is a FIFO, not a regular file: nothing was run", "it is a socket, not a regular file: nothing was run"} {
		if list[i].Fault != want {
			t.Errorf("%s: %s, want %s", list[i].Student, list[i].Fault, want)
		}
	}
}
