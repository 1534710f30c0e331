package grade

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// runUnprivileged runs another test of this program as a user who is not root.
func runUnprivileged(t *testing.T, test string) {
	t.Helper()
	if testing.Short() {
		t.Skip("it runs notebooks")
	}
	if os.Getuid() != 0 {
		t.Skipf("this is no root: %s alone says it", test)
	}
	const nobody = 65534
	folder, err := os.MkdirTemp("", "unprivileged-") // not t.TempDir: other users cannot enter that
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "program")
	if err := copyFile(os.Args[0], program); err != nil {
		t.Fatal(err)
	}
	temp := filepath.Join(folder, "temp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.Chmod(program, 0o755), os.Chmod(folder, 0o755), os.Chown(temp, nobody, nobody)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "-test.run=^"+test+"$", "-test.v")
	cmd.Dir = temp
	cmd.Env = append(os.Environ(), "TMPDIR="+temp, "HOME="+temp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP: "+test):
		t.Skipf("%s", out)
	case !strings.Contains(string(out), "--- PASS: "+test):
		t.Errorf("it did not run:\n%s", out)
	}
}
