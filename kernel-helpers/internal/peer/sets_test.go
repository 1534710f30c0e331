package peer

import (
	"os"
	"os/exec"
	"testing"

	"overcomplete/internal/simd"
)

// A program that runs with a set's variables uses this set, and passes it to Python.
func TestSets(t *testing.T) {
	if want := os.Getenv("PEER_TEST_WANT"); want != "" {
		if simd.Name() != want {
			t.Errorf("with GODEBUG=%s the set is %s, want %s", os.Getenv("GODEBUG"), simd.Name(), want)
		}
		core := map[string]string{"AVX-512": "SkylakeX", "AVX2": "Haswell"}[want]
		py := Start(t, 1, "import os")
		if py.Float("float(os.environ.get('OPENBLAS_CORETYPE', '') == '"+core+"')") != 1 {
			t.Errorf("%s: OpenBLAS is not told to be %q", want, core)
		}
		return
	}
	sets := Sets()
	if sets[0].Name != simd.Name() || simd.AVX512() != (len(sets) == 2) {
		t.Errorf("sets %v of a machine with %s", sets, simd.Name())
	}
	for _, s := range sets {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSets$")
		cmd.Env = append(os.Environ(), "OPENBLAS_CORETYPE=Prescott", "PEER_TEST_WANT="+s.Name) // must be ignored
		cmd.Env = append(cmd.Env, s.Env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", s.Name, err, out)
		}
	}
}

// numpy and OpenBLAS use the set.
func TestPeerSet(t *testing.T) {
	t.Setenv("OPENBLAS_CORETYPE", "Prescott") // must be ignored
	py := Start(t, 1, `
import numpy, threadpoolctl
try: from numpy._core import _multiarray_umath as m
except ImportError: from numpy.core import _multiarray_umath as m
numpy.ones((2, 2)) @ numpy.ones((2, 2))
cores = [i.get("architecture") for i in threadpoolctl.threadpool_info() if i.get("internal_api") == "openblas"]
`, "numpy", "threadpoolctl")
	want := map[string]string{"AVX-512": "SkylakeX", "AVX2": "Haswell"}[simd.Name()]
	if want != "" && py.Float("float(all(c == '"+want+"' for c in cores))") != 1 {
		t.Errorf("OpenBLAS has not taken %s", want)
	}
	if simd.Name() == "AVX2" && py.Float("float(any(m.__cpu_features__.get(f) for f in m.__cpu_dispatch__ if f.startswith('AVX512')))") != 0 {
		t.Error("numpy uses AVX-512")
	}
}
