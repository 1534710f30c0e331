package main

import (
	"os/exec"
	"testing"
)

// TestInsightInJupyter completes and inspects through jupyter_client.
func TestInsightInJupyter(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a real Jupyter")
	}
	py := python(t, "jupyter_client")
	_, env := installKernel(t)
	cmd := exec.Command(py, "testdata/insight.py")
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
