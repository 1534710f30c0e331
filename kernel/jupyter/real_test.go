package jupyter

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"overcomplete/internal/built"
	"overcomplete/internal/module"
	"overcomplete/internal/patience"
	"overcomplete/internal/pyenv"
)

// TestSession runs the kernel under jupyter_client: see testdata/session.py.
func TestSession(t *testing.T) {
	if testing.Short() || patience.RaceDetector {
		t.Skip("builds the binary and starts a real Jupyter")
	}
	py := pyenv.Python("jupyter_client", pyenv.FrontEnds)
	if py == "" {
		t.Skip("no python3 with jupyter_client: this test needs a real Jupyter")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "overcomplete")
	if err := built.Program(binary, module.Package("cmd/overcomplete")); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(binary, "install", "--prefix", dir).CombinedOutput(); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	cmd := exec.Command(py, "testdata/session.py")
	cmd.Env = append(os.Environ(),
		"JUPYTER_PATH="+filepath.Join(dir, "share", "jupyter"),
		"JUPYTER_RUNTIME_DIR="+filepath.Join(dir, "runtime"),
		"JUPYTER_CONFIG_DIR="+filepath.Join(dir, "config"),
	)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
