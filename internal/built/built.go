// Package built is for tests that build this module's program themselves.
//
// The go command keeps what it has compiled for the flags that it was compiled with: a program that a test builds with
// other flags than its own has the whole module compiled once more, which takes minutes, and not only a linker's
// seconds.
package built

import (
	"fmt"
	"os/exec"
	"runtime/debug"
)

// Flags are the flags of go build with which the compiler has done its work when the running program was built. What the
// environment says (GOFLAGS, CGO_ENABLED) the go command reads itself.
func Flags() []string {
	flags := []string{"-buildvcs=false"} // the state of the repository would have it linked anew, and git asked
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

// Program builds the program at an import path to a file.
func Program(file, path string) error {
	args := append(append([]string{"build"}, Flags()...), "-o", file, path)
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}
