package peer

import (
	"os"
	"os/exec"
	"strings"

	"overcomplete/internal/simd"
)

// A Set is an instruction set to measure with, on both sides.
type Set struct {
	Name string
	// Env are the variables with which Go programs use no more than the set.
	Env []string
}

// without is the GODEBUG with which Go programs find no AVX-512.
const without = "cpu.avx512f=off,cpu.avx512dq=off,cpu.avx512bw=off,cpu.avx512vl=off"

// Sets lists the instruction sets that this machine can be measured with, the best first. On
// processors with AVX-512 there are two, because most have no more than AVX2; elsewhere it
// is the one that there is.
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

// wide prints those of numpy's features of processors that are AVX-512. It is numpy that is
// asked: each version has others, and is loud about those that it does not know.
const wide = `
try: from numpy._core import _multiarray_umath as m
except ImportError: from numpy.core import _multiarray_umath as m
print(*(f for f in m.__cpu_dispatch__ if f.startswith("AVX512") or f == "X86_V4"))`

// same returns the variables with which Python's libraries use the instruction set that this
// program uses: OpenBLAS, numpy, MKL, PyTorch and oneDNN have one each. Left to itself an
// OpenBLAS that is older than the processor, or that somebody's environment has told to,
// takes its kernels for AVX2 where it could take those for AVX-512, and what would be
// compared are instruction sets.
func same(python string) []string {
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
