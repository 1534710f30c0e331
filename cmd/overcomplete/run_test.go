package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	patient "overcomplete/internal/patience"
	"overcomplete/kernel/notebook"
	"overcomplete/kernel/signature"
)

// TestMain can also act as the program itself, so that tests run the commands as users do.
func TestMain(m *testing.M) {
	student := len(os.Args) > 1 && os.Args[1] == gradeKernelCommand // the student's process gets no environment
	if os.Getenv("OVERCOMPLETE_TEST") == "" && !student {
		status := m.Run()
		if binaries != "" {
			os.RemoveAll(binaries)
		}
		os.Exit(status)
	}
	if other := os.Getenv(needsOther); other != "" {
		replaceBy(other)
	}
	if other := os.Getenv(waitingOther); other != "" {
		preparedProgram = func(string) string { return other }
	}
	main()
}

// program returns a command that runs the program with its notebooks in dir.
func program(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = dir
	// Tests must not touch the user's own files. The test may set another folder.
	cmd.Env = append(append([]string{signature.Variable + "=off"}, os.Environ()...), "OVERCOMPLETE_TEST=1")
	return cmd
}

// output runs the program and returns its exit status, output and errors.
func output(t *testing.T, dir string, args ...string) (code int, out, errs string) {
	t.Helper()
	cmd := program(t, dir, args...)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

// A mistake in the flags gives a one-line message, without the usage; -h shows the usage.
func TestWrongFlags(t *testing.T) {
	for _, c := range append(commands(), command{name: "data get"}, command{name: "s3c status"}) {
		if c.name == "version" { // version has no flags
			continue
		}
		words := append(strings.Fields(c.name), "--no-such-flag")
		code, out, errs := output(t, t.TempDir(), words...)
		if code != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "no-such-flag") || !strings.Contains(errs, "overcomplete "+words[0]+" -h") {
			t.Errorf("%s: %d\n%s%s", c.name, code, out, errs)
		}
		if code, _, errs := output(t, t.TempDir(), words[0], "-h"); code != 0 || !strings.Contains(strings.ToLower(errs), "usage: overcomplete") {
			t.Errorf("%s -h: %d\n%s", words[0], code, errs)
		}
	}
	if code, _, errs := output(t, t.TempDir(), "run", "x.ipynb", "--set", "../x=1"); code != 2 || strings.Count(errs, "\n") != 1 {
		t.Errorf("--set: %d\n%s", code, errs)
	}
}

// TestHelp checks that help lists the dozen common commands, that a flag lists the other commands, and that a
// mistake gives one line.
func TestHelp(t *testing.T) {
	dir := t.TempDir()
	line := regexp.MustCompile(`(?m)^  ([a-z0-9-]+) +[a-z]`)
	listed := func(s string) (names []string) {
		for _, m := range line.FindAllStringSubmatch(s, -1) {
			names = append(names, m[1])
		}
		return names
	}
	var all []string
	for _, c := range commands() {
		all = append(all, c.name)
	}
	for _, c := range []struct {
		args string
		code int
		all  bool
	}{{"help", 0, false}, {"-h", 0, false}, {"--help", 0, false}, {"help --all", 0, true}, {"--all", 0, true}, {"", 2, false}} {
		code, out, errs := output(t, dir, strings.Fields(c.args)...)
		if c.code != 0 {
			out, errs = errs, out
		}
		names := listed(out)
		if code != c.code || errs != "" || c.all && !slices.Equal(names, all) || !c.all && len(names) > 12 || !slices.Contains(names, "run") || strings.Contains(out, "--all") == c.all {
			t.Errorf("%q: %d\n%s%s", c.args, code, out, errs)
		}
	}
	if code, _, errs := output(t, dir, "help", "run"); code != 0 || !strings.HasPrefix(errs, "usage: overcomplete run") {
		t.Errorf("help run: %d\n%s", code, errs)
	}
	for _, args := range []string{"rum", "help rum"} {
		if code, out, errs := output(t, dir, strings.Fields(args)...); code != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "run") {
			t.Errorf("%s: %d\n%s%s", args, code, out, errs)
		}
	}
	for _, name := range []string{"run", "export", "fmt", "handout", "grade", "lite", "new-paper", "kernel"} {
		if code, out, errs := output(t, dir, name); code != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.HasSuffix(errs, "('overcomplete "+name+" -h' lists the flags)\n") {
			t.Errorf("%s: %d\n%s%s", name, code, out, errs)
		}
	}
}

// notebooks writes notebooks, given their cells, to a folder. A cell that begins with //parameters gets that
// tag.
func notebooks(t *testing.T, list map[string][]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, cells := range list {
		n := &notebook.Notebook{}
		for _, s := range cells {
			c := notebook.NewCode(s)
			if strings.HasPrefix(s, "//parameters") {
				c.SetTags("parameters")
			}
			n.Cells = append(n.Cells, c)
		}
		if err := n.Write(filepath.Join(dir, name+".ipynb")); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRun(t *testing.T) {
	dir := notebooks(t, map[string][]string{
		"good": {"//parameters\nn := 2\nsize := \"lecture\"", "import \"fmt\"\nfmt.Println(n, size)"},
		"bad":  {"import \"fmt\"\nfmt.Println(\"before\")", "panic(\"boom\")"},
		"dead": {"import \"os\"", "p, _ := os.FindProcess(os.Getpid())\np.Kill()\nselect {}"},
	})
	talk := &notebook.Notebook{}
	for _, minutes := range []int{40, 50} {
		c := notebook.NewCode("1")
		c.Metadata = map[string]any{"slideshow": map[string]any{"slide_type": "slide", "minutes": minutes, "optional": minutes == 50}}
		talk.Cells = append(talk.Cells, c)
	}
	if err := talk.Write(filepath.Join(dir, "talk.ipynb")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		out  string // regular expressions
		errs string
	}{
		{"run good.ipynb --set n=7", 0, `(?s)good.ipynb  0:0\d  cell 1 of 2.*good.ipynb: 3 cells run in .*, written to run.good.ipynb\n$`, `^$`},
		{"run good.ipynb bad.ipynb dead.ipynb -j 3", 1, `(?s)good.ipynb: 2 cells run in`, `(?s)bad.ipynb: cell 2 \(In\[2\]\) line 1: Panic: boom.*`},
		{"run -j 0 dead.ipynb good.ipynb", 1, `good.ipynb: 2 cells run in`, `dead.ipynb: cell 2 \(In\[2\]\): KernelDied: the kernel died: `},
		{"run good.ipynb --set nn=7", 1, `^$`, `good.ipynb: no parameter nn; the notebook's parameters are n \(int\), size \(string\)`},
		{"run good.ipynb --set n=many", 1, `^$`, `good.ipynb: parameter n \(int\) cannot be "many": it must be a number`},
		{"run good.ipynb --size smoke --export html", 0, `good.ipynb: exported to run.good.html`, `^$`},
		{"run missing.ipynb", 1, `^$`, `missing.ipynb: no such file|cannot find`},
		{"run -j -1 good.ipynb", 2, `^$`, `-j must be a number`},
		{"run good.ipynb good.ipynb", 2, `^$`, `written to the same file`},
		{"run good.ipynb --export pdf", 2, `^$`, `html or markdown`},
		{"run", 2, `^$`, `^overcomplete run: name the notebooks.*'overcomplete run -h' lists the flags\)\n$`},
		{"run --locked --update good.ipynb", 2, `^$`, `use either --update or --locked, not both`},
		{"run --locked good.ipynb --out locked.ipynb", 0, `written to locked.ipynb`, `^$`}, // the notebook imports no other module
		{"export run/good.ipynb --out pages/", 0, `good.ipynb: written to pages.good.html\n`, `^$`},
		{"export --markdown run/good.ipynb --out pages/good.txt", 0, `written to pages.good.txt\n`, `^$`},
		{"export --markdown --html good.ipynb", 2, `^$`, `use only one of --html`},
		{"export --minutes 45 good.ipynb", 2, `^$`, `--minutes needs --slides`},
		{"export --slides --minutes 45 good.ipynb", 1, `^$`, `good.ipynb has no plan for a talk`},
		{"export --slides --minutes 45 talk.ipynb", 0, `talk.ipynb: written to talk-slides.html`, `^$`},
		{"export --slides --minutes 30 talk.ipynb", 1, `^$`, `talk.ipynb: even without its optional slides the talk takes 40 minutes`},
		{"export good.ipynb --out good.ipynb", 1, `^$`, `is the notebook itself`},
		{"export missing.ipynb", 1, `^$`, `missing.ipynb`},
	} {
		if runtime.GOOS == "windows" && strings.Contains(c.args, "dead") {
			continue
		}
		code, out, errs := output(t, dir, strings.Fields(c.args)...)
		if code != c.code || !regexp.MustCompile(c.out).MatchString(out) || !regexp.MustCompile(c.errs).MatchString(errs) {
			t.Errorf("%s: status %d, not %d\n%s\n%s\nwant %s and %s", c.args, code, c.code, out, errs, c.out, c.errs)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "pages", "good.html"))
	if err != nil || !bytes.Contains(page, []byte("2 smoke")) {
		t.Errorf("the page lacks what was printed (%v)", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "pages", "good.txt")); err != nil || !bytes.Contains(text, []byte("```go\n")) {
		t.Errorf("%s (%v)", text, err)
	}
	// The outputs before the failure are kept.
	n, err := notebook.Read(filepath.Join(dir, "run", "bad.ipynb"))
	if err != nil || n.Cells[0].Outputs[0].Text() != "before\n" {
		t.Errorf("%v", err)
	}
}

// The size given to one run does not apply to later runs of the written notebook, but run --check uses it.
func TestRunSize(t *testing.T) {
	dir := notebooks(t, map[string][]string{"sized": {"//parameters\nn := 2\nsize := \"lecture\"", "import \"fmt\"\nfmt.Println(n, size)"}})
	for _, size := range []string{"--size smoke", "--set size=smoke"} {
		code, _, errs := output(t, dir, strings.Fields("run sized.ipynb "+size+" --set n=7 --out copy.ipynb")...)
		if code != 0 {
			t.Fatal(errs)
		}
		n, err := notebook.Read(filepath.Join(dir, "copy.ipynb"))
		if err != nil {
			t.Fatal(err)
		}
		if len(n.Cells) != 3 || n.Cells[1].Source != "n = 7" || n.Cells[2].Outputs[0].Text() != "7 smoke\n" {
			t.Errorf("%s: %d cells, the second is %q", size, len(n.Cells), n.Cells[1].Source)
		}
	}
	if code, out, errs := output(t, dir, "run", "--check", "copy.ipynb"); code != 0 {
		t.Errorf("run --check: %d\n%s%s", code, out, errs)
	}
	code, _, errs := output(t, dir, "run", "sized.ipynb", "--size", "smoke", "--set", "n=7", "--inplace")
	if code != 0 {
		t.Fatal(errs)
	}
	if n, err := notebook.Read(filepath.Join(dir, "sized.ipynb")); err != nil || len(n.Cells) != 2 || n.Cells[1].Outputs[0].Text() != "7 smoke\n" {
		t.Errorf("in place: %v, %d cells", err, len(n.Cells))
	}
	if code, out, errs := output(t, dir, "run", "--check", "sized.ipynb"); code != 0 {
		t.Errorf("run --check: %d\n%s%s", code, out, errs)
	}
}

// TestRunStopped sends the Ctrl-C signal while several notebooks run.
func TestRunStopped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	endless := []string{"import (\n\t\"fmt\"\n\t\"os\"\n)\nos.WriteFile(fmt.Sprint(\"pid-\", os.Getpid()), nil, 0o644)", "for {\n}"}
	dir := notebooks(t, map[string][]string{"a": endless, "b": endless, "c": endless})
	cmd := program(t, dir, "run", "-j", "2", "a.ipynb", "b.ipynb", "c.ipynb")
	var out lockedBuffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !patient.Wait(func() bool { return strings.Count(out.String(), "cell 2 of 2") >= 2 }) {
		cmd.Process.Kill()
		t.Fatalf("they do not run:\n%s", out.String())
	}
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("status %d, want 130\n%s", code, out.String())
	}
	if n := strings.Count(out.String(), "stopped; nothing was written for"); n != 2 {
		t.Errorf("%d were stopped\n%s", n, out.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "run")); err == nil {
		t.Error("something was written")
	}
	pids, _ := filepath.Glob(filepath.Join(dir, "pid-*"))
	if len(pids) != 2 {
		t.Errorf("%d kernels", len(pids))
	}
	for _, p := range pids {
		var pid int
		if err := json.Unmarshal([]byte(strings.TrimPrefix(filepath.Base(p), "pid-")), &pid); err != nil {
			t.Fatal(err)
		}
		if p, err := os.FindProcess(pid); err == nil && p.Signal(syscall.Signal(0)) == nil {
			t.Errorf("process %d is still there", pid)
		}
	}
}

// A lockedBuffer is a buffer that may be read during writing.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
