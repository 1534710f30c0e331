package simd

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/panics"
)

func TestEach(t *testing.T) {
	best := Name()
	var names []string
	Each(func(name string) {
		names = append(names, name)
		if name != Name() || AVX512() != (name == "AVX-512") || AVX2() != strings.HasPrefix(name, "AVX") || NEON() != (name == "NEON") || Wasm() != (name == "WebAssembly") {
			t.Errorf("%s: Name %s, AVX2 %t, AVX512 %t, NEON %t", name, Name(), AVX2(), AVX512(), NEON())
		}
	})
	all := []string{"AVX-512", "AVX2", "Go"}
	if best == "WebAssembly" || best == "NEON" {
		all = []string{best, "Go"}
	}
	if want := all[slices.Index(all, best):]; !slices.Equal(names, want) {
		t.Errorf("levels %v, want %v", names, want)
	}
	if Name() != best {
		t.Errorf("%s after Each, %s before", Name(), best)
	}
}

// After a panic in f, all levels are enabled again.
func TestEachPanic(t *testing.T) {
	best := Name()
	panics.Value(func() {
		first := true
		Each(func(name string) {
			if !first || name == "Go" {
				panic(name)
			}
			first = false
		})
	})
	if Name() != best {
		t.Errorf("%s after a panic, %s before", Name(), best)
	}
}

// Disabling any of a level's instructions with GODEBUG disables the level.
func TestGODEBUG(t *testing.T) {
	if want := os.Getenv("SIMD_TEST_WANT"); want != "" {
		if Name() != want {
			t.Errorf("GODEBUG=%s: %s, want %s", os.Getenv("GODEBUG"), Name(), want)
		}
		return
	}
	if !AVX2() {
		t.Skip("no vector instructions of amd64 here")
	}
	for _, c := range []struct{ off, want string }{
		{"cpu.avx512f=off", "AVX2"}, {"cpu.avx512dq=off", "AVX2"}, {"cpu.avx512bw=off", "AVX2"}, {"cpu.avx512vl=off", "AVX2"},
		{"cpu.avx2=off", "Go"}, {"cpu.fma=off", "Go"}, {"cpu.bmi2=off", "Go"},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestGODEBUG$")
		cmd.Env = append(os.Environ(), "GODEBUG="+c.off, "SIMD_TEST_WANT="+c.want)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", c.off, err, out)
		}
	}
}
