// Package built is for tests that build this module's program themselves.
//
// The go command caches compiled packages by their flags. If a test builds a program with other
// flags than its own, the whole module is compiled again, which takes minutes instead of the
// seconds for linking.
package built

import (
	"fmt"
	"os/exec"
	"runtime/debug"
)

// Flags returns the go build flags with which the running program was compiled, so that the cache
// can be used. The go command itself reads the flags in the environment (GOFLAGS, CGO_ENABLED).
func Flags() []string {
	flags := []string{"-buildvcs=false"} // otherwise git is called, and a changed repository requires linking again
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return flags
	}
	for _, s := range info.Settings {
		if s.Key == "-trimpath" && s.Value == "true" {
			flags = append(flags, "-trimpath")
		}
	}
	return flags
}

// Program builds the program with the import path path to file.
func Program(file, path string) error {
	args := append(append([]string{"build"}, Flags()...), "-o", file, path)
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}
