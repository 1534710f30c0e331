package peer

import (
	"os"
	"os/exec"
	"strings"

	"overcomplete/internal/simd"
)

// A Set is an instruction set, such as AVX2, that both this module's code and Python's libraries use during a
// measurement.
type Set struct {
	Name string
	// Env holds the environment variables that limit Go programs to the set.
	Env []string
}

// without is the GODEBUG setting that hides AVX-512 from Go programs.
const without = "cpu.avx512f=off,cpu.avx512dq=off,cpu.avx512bw=off,cpu.avx512vl=off"

// Sets returns the instruction sets to measure with on this machine, best first. If the machine has AVX-512, there are
// two sets: AVX-512, and AVX2, which is the best set of most other processors. Otherwise there is one set.
func Sets() []Set {
	best := Set{Name: simd.Name()}
	if !simd.AVX512() {
		return []Set{best}
	}
	debug := without
	if old := os.Getenv("GODEBUG"); old != "" {
		debug = old + "," + without
	}
	return []Set{best, {"AVX2", []string{"GODEBUG=" + debug}}}
}

// wide is a Python program that prints numpy's names of AVX-512 features. The names come from numpy itself, because
// they differ between its versions, and numpy warns about names that it does not know.
const wide = `
try: from numpy._core import _multiarray_umath as m
except ImportError: from numpy.core import _multiarray_umath as m
print(*(f for f in m.__cpu_dispatch__ if f.startswith("AVX512") or f == "X86_V4"))`

// instructionSetEnv returns the environment variables that make Python's libraries use this program's instruction set.
// OpenBLAS, numpy, MKL, PyTorch and oneDNN each have a variable. Without these variables, the two sides might use
// different instruction sets, and the benchmark would compare those. For example, an OpenBLAS that is older than the
// processor may use AVX2 where this program uses AVX-512.
func instructionSetEnv(python string) []string {
	switch {
	case simd.AVX512():
		return []string{"OPENBLAS_CORETYPE=SkylakeX"}
	case simd.AVX2():
		env := []string{
			"OPENBLAS_CORETYPE=Haswell",
			"MKL_ENABLE_INSTRUCTIONS=AVX2",
			"ATEN_CPU_CAPABILITY=avx2",
			"ONEDNN_MAX_CPU_ISA=AVX2",
		}
		if out, err := exec.Command(python, "-c", wide).Output(); err == nil {
			env = append(env, "NPY_DISABLE_CPU_FEATURES="+strings.TrimSpace(string(out)))
		}
		return env
	}
	return nil
}
