package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/module"
	patient "overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/suite"
)

// smallProject makes a project of notebooks in a temporary folder.
func smallProject(t *testing.T, list map[string][]string) (root string) {
	t.Helper()
	root = t.TempDir()
	if err := os.Rename(notebooks(t, list), filepath.Join(root, "notebooks")); err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, filepath.Join(root, "go.mod"), "module "+module.Path+"\n\ngo 1.26\n")
	return root
}

const parametersCell = "//parameters\nsize := \"lecture\""

func TestAll(t *testing.T) {
	patient.SkipShort(t, "it runs notebooks six times")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := smallProject(t, map[string][]string{
		"long":  {parametersCell, "import \"time\"\ntime.Sleep(1500 * time.Millisecond)"},
		"short": {parametersCell, "import \"fmt\"\nfmt.Println(\"size\", size)"},
	})
	code, out, errs := output(t, root, "all", "--size", "smoke")
	if code != 0 || errs != "" {
		t.Fatalf("status %d\n%s\n%s", code, out, errs)
	}
	for _, want := range []string{`^0 of 2 notebooks\n`, `1 of 2 notebooks can be read: \S*index.html|1 of 2 notebooks can be read: \S*long.html`, `2 of 2 notebooks can be read`, `\nRead all of this in a browser.*index.html\n$`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	// The second run knows the times of the notebooks.
	patient.Try(t, func() string { // on a busy machine either notebook may take longer
		code, out, errs := output(t, filepath.Join(root, "notebooks"), "all", "--size", "smoke", "--fresh", "-j", "1")
		if a, b := strings.Index(out, "short.ipynb: 2 cells run"), strings.Index(out, "long.ipynb: 2 cells run"); code != 0 || a < 0 || b < a || !strings.HasPrefix(out, "0 of 2 notebooks, a few seconds left\n") {
			return fmt.Sprintf("status %d: the shorter one is not the first\n%s\n%s", code, out, errs)
		}
		return ""
	})
	unchanged := func(want ...string) {
		t.Helper()
		code, out, errs := output(t, root, "all", "--size", "smoke")
		var got []string
		for _, m := range regexp.MustCompile(`(?m)^(\w+)\.ipynb: last run on .*; nothing has changed since$`).FindAllStringSubmatch(out, -1) {
			got = append(got, m[1])
		}
		if code != 0 || !slices.Equal(got, want) {
			t.Errorf("status %d, unchanged %v, want %v\n%s\n%s", code, got, want, out, errs)
		}
	}
	unchanged("long", "short")
	edit := func(name, source string) {
		t.Helper()
		from := notebooks(t, map[string][]string{name: {parametersCell, source}})
		if err := os.Rename(filepath.Join(from, name+".ipynb"), filepath.Join(root, "notebooks", name+".ipynb")); err != nil {
			t.Fatal(err)
		}
	}
	edit("short", "import \"os\"\nos.ReadDir(\".\")")
	unchanged("long")
	unchanged("long") // the output of the other notebook may vary
	edit("short", "import \"fmt\"\nfmt.Println(1)")
	unchanged("long")
	unchanged("long", "short")
	if err := os.Remove(filepath.Join(root, "notebooks", "run", "short.ipynb")); err != nil {
		t.Fatal(err)
	}
	unchanged("long")
	code, out, errs = output(t, root, "list", "--time", "--size", "smoke")
	if code != 0 || !strings.Contains(out, "short, other cells") || !strings.Contains(out, "of 2 notebooks") {
		t.Errorf("list --time: status %d\n%s\n%s", code, out, errs)
	}
	for args, want := range map[string]string{
		"all --size huge": "smoke, lecture, medium or full",
		"all short.ipynb": "overcomplete run",
		"all -j -1":       "number of notebooks",
	} {
		if code, _, errs := output(t, root, strings.Fields(args)...); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %s", args, code, errs)
		}
	}
	if code, _, errs := output(t, t.TempDir(), "all"); code != 1 || !strings.Contains(errs, "the one with go.mod and notebooks") {
		t.Errorf("outside: status %d, %s", code, errs)
	}
}

// After Ctrl-C the site has the notebooks that finished before.
func TestAllStopped(t *testing.T) {
	patient.SkipShort(t, "it runs notebooks until they are stopped")
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := smallProject(t, map[string][]string{
		"a": {parametersCell, "import \"fmt\"\nfmt.Println(\"done\")"},
		"b": {parametersCell, "for {\n}"},
	})
	cmd := program(t, root, "all", "-j", "1")
	var out lockedBuffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !patient.Wait(func() bool { return strings.Contains(out.String(), "cell 2 of 2  for {") }) {
		cmd.Process.Kill()
		t.Fatalf("it does not run:\n%s", out.String())
	}
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(out.String(), "are kept") || !strings.Contains(out.String(), "to continue") {
		t.Errorf("status %d, want 130\n%s", code, out.String())
	}
	for name, want := range map[string]bool{"notebooks/run/a.ipynb": true, "figures/run/site/index.html": true, "notebooks/run/b.ipynb": false} {
		if _, err := os.Stat(filepath.Join(root, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A site that takes a second to write is not rewritten for each notebook, but when all notebooks have
// finished, it has every notebook.
func TestGrowing(t *testing.T) {
	root := smallProject(t, map[string][]string{"a": {parametersCell}})
	now := time.Unix(1e9, 0)
	g := &growingSite{root: root, all: 3, now: func() time.Time { now = now.Add(time.Second); return now }}
	said := func(say string, err error) bool {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return say != ""
	}
	if !said(g.noteEnd("a")) {
		t.Error("the first notebook is not written")
	}
	if said(g.noteEnd("b")) {
		t.Error("the site is written again at once")
	}
	if !said(g.finish()) || said(g.finish()) {
		t.Error("the site is not finished, or finished twice")
	}
	now = now.Add(time.Minute)
	if !said(g.noteEnd("c")) || said(g.finish()) {
		t.Error("the site is not written after a minute, or twice")
	}
}

func TestSpent(t *testing.T) {
	for _, c := range []struct {
		processor time.Duration
		reference float64
		want      string
		over      bool
	}{
		{0, 0.005, "This took 1m40s.", false},
		{2 * time.Minute, 0, "This took 1m40s, and 2m0s of processor time.", false},
		{suite.WholeRun * 5 * time.Millisecond, 0.005, fmt.Sprintf("This took 1m40s, and %v of processor time (%d reference products).", suite.WholeRun*5*time.Millisecond, suite.WholeRun), false},
		{(suite.WholeRun + 1) * 5 * time.Millisecond, 0.005, "", true},
	} {
		text, over := describeCost(100*time.Second, c.processor, c.reference)
		if over != c.over || c.want != "" && text != c.want {
			t.Errorf("%v of %g s: %q, over: %v", c.processor, c.reference, text, over)
		}
	}
}
