//go:build !js

package ixengine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/randprog"
)

// TestLongerPrograms compares longer, realistic programs with compiled Go: at every level and in a profile, as one
// cell, as two cells, or statement by statement, and several times in one session.
func TestLongerPrograms(t *testing.T) {
	patience.SkipShort(t, "it runs long programs, at each level")
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: there is nothing to compare programs with")
	}
	if !alone(t) {
		return
	}
	names, sources := programsOf(t, "longer")
	want := compiledMains(t, names, sources)
	for i, src := range sources {
		t.Run(names[i], func(t *testing.T) {
			// randprog calls the function of this name.
			src = strings.Replace(src, "\nfunc main() {", "\nfunc Run() {", 1)
			profiled := Level{"profiled", warm.force}
			for k, level := range append(Levels[:len(Levels):len(Levels)], warm, profiled) {
				if patience.LeftOut(level.Name + names[i]) {
					continue
				}
				times := []int{1, 1, 2, 2, 2}[k]
				layout := randprog.Layouts[(i+k)%len(randprog.Layouts)]
				defer level.Force()()
				c := concurrentRun{level: level, out: &turnedOutput{}}
				c.s = fresh(t, Options{Stdout: c.out, Stderr: c.out})
				cells := randprog.Cells(src, layout)
				for n := range times {
					for _, cell := range cells {
						run := func() error { return c.run(patience.Long, cell) }
						var err error
						if level.Name == profiled.Name {
							_, err = c.s.Profile(engine.CPUProfile, 0, run)
						} else {
							err = run()
						}
						if err != nil {
							fmt.Fprintf(c.out, "fails: %v\n", err)
							break
						}
					}
					if got := c.out.take(); got != want[i] {
						t.Errorf("%s, %s, run %d:\n%s", level.Name, layout, n+1, firstDifference(want[i], got))
						break
					}
					if layout != randprog.Statements {
						cells = []string{"Run()"}
					}
				}
			}
		})
	}
}

// compiledMains returns the output of programs. They are built as packages of one program, which
// is faster.
func compiledMains(t *testing.T, names, sources []string) []string {
	t.Helper()
	dir := t.TempDir()
	var imports, calls strings.Builder
	for i, src := range sources {
		pkg := fmt.Sprint("program", i)
		text := strings.Replace(src, "package main\n", "package "+pkg+"\n", 1)
		text = strings.Replace(text, "\nfunc main() {", "\nfunc Main() {", 1)
		if err := os.Mkdir(filepath.Join(dir, pkg), 0o755); err != nil {
			t.Fatal(err)
		}
		testfile.Write(t, filepath.Join(dir, pkg, "p.go"), text)
		fmt.Fprintf(&imports, "import %q\n", "programs/"+pkg)
		fmt.Fprintf(&calls, "\t%s.Main,\n", pkg)
	}
	testfile.Write(t, filepath.Join(dir, "go.mod"), "module programs\n\ngo 1.26\n")
	testfile.Write(t, filepath.Join(dir, "main.go"), "package main\n\nimport \"os\"\nimport \"strconv\"\n"+imports.String()+
		"\nvar mains = []func(){\n"+calls.String()+"}\n\nfunc main() {\n\ti, _ := strconv.Atoi(os.Args[1])\n\tmains[i]()\n}\n")
	exe := filepath.Join(dir, "programs.exe")
	build := exec.Command("go", "build", "-o", exe, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	var want []string
	for i, name := range names {
		out, err := exec.Command(exe, fmt.Sprint(i)).Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		want = append(want, packageOfProgram.ReplaceAllString(string(out), "main."))
	}
	return want
}

var packageOfProgram = regexp.MustCompile(`\bprogram\d+\.`)
