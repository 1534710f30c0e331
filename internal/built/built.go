// Package built is for tests that build programs of this module.
//
// The go command caches compiled packages by their flags. If a test builds a program with flags that differ
// from those of the test itself, the whole module is compiled again, which takes minutes instead of the
// seconds that linking takes.
//
// The go command also caches the results of tests, and it cannot know which programs a test builds. Without [Depend], a
// test of a program would not run again after a change to the program's source.
package built

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
)

// Flags returns the flags to pass to go build so that it finds the running program's packages in the cache:
// -buildvcs=false, and -trimpath if the program was built with it. The go command itself reads flags from the
// environment (GOFLAGS, CGO_ENABLED).
func Flags() []string {
	flags := []string{"-buildvcs=false"} // otherwise the go command calls git, and links again whenever the repository has changed
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

// Program builds a program and writes it to a file; path is the program's import path, and file is the path of the
// file. Except on Windows, it calls go run -exec=cp, which copies the program instead of running it. The go command
// caches the programs that it links for go run, so the tests of other packages need not link the program again. A
// program built in this way has no debug information.
func Program(file, path string) error {
	if err := Depend(path); err != nil {
		return err
	}
	args := append(append([]string{"run"}, Flags()...), "-exec=cp", path, file)
	if runtime.GOOS == "windows" { // Windows has no program cp
		args = append(append([]string{"build"}, Flags()...), "-o", file, path)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// sources is a template for go list: the files of a package of this module, one to a line.
const sources = `{{if .Module}}{{if .Module.Main}}{{$dir := .Dir}}` +
	`{{range .GoFiles}}{{$dir}}/{{.}}
{{end}}{{range .SFiles}}{{$dir}}/{{.}}
{{end}}{{range .EmbedFiles}}{{$dir}}/{{.}}
{{end}}{{end}}{{end}}`

// Depend makes the cached result of the running test depend on the source of a program. The argument program is a
// package pattern that the go command understands. The go command notes the files of the module that a test looks at,
// and runs the test again once one of them has changed.
func Depend(program string) error {
	list := exec.Command("go", "list", "-deps", "-f", sources, program)
	list.Stderr = new(strings.Builder)
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list: %w\n%s", err, list.Stderr)
	}
	for file := range strings.Lines(string(out)) {
		if _, err := os.Stat(strings.TrimSpace(file)); err != nil {
			return err
		}
	}
	return nil
}
