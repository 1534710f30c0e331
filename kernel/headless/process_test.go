package headless

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/notebook"
)

// TestMain also serves as the process of a kernel.
func TestMain(m *testing.M) {
	switch os.Getenv("HEADLESS_TEST") {
	case "":
		os.Exit(m.Run())
	case "kernel":
		if err := Serve(os.Stdin, openKernel, map[string]func(string) (string, error){"twice": func(s string) (string, error) { return s + s, nil }}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "fails":
		if err := Serve(os.Stdin, func() (InProcess, error) { return nil, errors.New("no kernel today") }, nil); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "talks":
		fmt.Println("not an event")
		io.Copy(io.Discard, os.Stdin)
	}
}

// processes returns options that run kernels in processes of this test binary.
func processes(t *testing.T, kind string) Options {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Progress: io.Discard,
		Grace:    2 * time.Second,
		New: func(folder string) (Kernel, error) {
			cmd := exec.Command(self)
			cmd.Dir = folder
			cmd.Env = append(os.Environ(), "HEADLESS_TEST="+kind)
			p, err := Start(cmd)
			if err != nil {
				return nil, err
			}
			return p, nil
		},
	}
}

// copied copies notebooks of testdata to a temporary folder.
func copied(t *testing.T, names ...string) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	all, err := txtar.ParseFile("testdata/notebooks.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		i := slices.IndexFunc(all.Files, func(f txtar.File) bool { return f.Name == n+".ipynb" })
		path := filepath.Join(dir, n+".ipynb")
		testfile.Write(t, path, all.Files[i].Data)
		paths = append(paths, path)
	}
	return paths
}

// TestNotebooks runs the notebooks with which nbclient tests its runner, translated to Go.
func TestNotebooks(t *testing.T) {
	for _, c := range []struct {
		name string
		opt  func(*Options)
		want string // a regular expression for the outputs
		err  string
	}{
		{"interrupt", func(o *Options) { o.CellTimeout = time.Second; o.GoOn = true; o.AllowErrors = true },
			`^\[1\]\n\[2\] Interrupted:time-out after 1s: .*\n\[3\] out3:42$`, ""},
		{"interrupt", func(o *Options) { o.CellTimeout = time.Second; o.GoOn = true },
			`^\[1\]\n\[2\] Interrupted:time-out after 1s: .*\n\[0\]$`, "time-out: the cell took longer than 1s"},
		{"endless", func(o *Options) { o.CellTimeout = time.Second; o.AllowErrors = true },
			`^\[1\]\n\[2\] Interrupted:time-out after 1s: .*\n\[0\]$`, "time-out: the cell took longer than 1s"},
		{"clear-output", nil, `^\[1\]\n\[2\]\n\[3\] stdout:2\n\n\[4\] stdout:Hello world\n\n\[5\] shown:two out5:"?three"?$`, ""},
		{"update-display-id", nil, `^\[1\] shown:both updated\n\[2\] shown:both updated\n\[3\]\n\[4\] shown:other$`, ""},
		{"unicode", nil, "^\\[1\\] stdout:☃\n\n\\[2\\] stdout:日本語 é 𝕏 👩‍🔬 \u2028 e\u0301\n out2:\"?größe\"?\n\\[3\\] out3:6$", ""},
		{"disable-stdin", nil, `^\[1\]\n\[2\] (stderr:.*\n )?stdout:0 true\n\n\[3\] (stderr:.*\n )?stdout:"" true\n\n\[4\] stdout:went on\n$`, ""},
		{"skip-exceptions", nil, `^\[1\] Panic:expected\n\[2\] stdout:after\n\n\[0\]\n\[0\]$`, ""},
	} {
		opt := processes(t, "kernel")
		if c.opt != nil {
			c.opt(&opt)
		}
		res, err := Run(context.Background(), copied(t, c.name)[0], opt)
		if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.err)
		}
		if res.Written == "" {
			t.Errorf("%s: nothing was written", c.name)
			continue
		}
		if got := shown(t, res.Written); !regexp.MustCompile(c.want).MatchString(got) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestParallel runs two notebooks that wait for each other.
func TestParallel(t *testing.T) {
	paths := copied(t, "parallel-a", "parallel-b")
	opt := processes(t, "kernel")
	var log bytes.Buffer
	opt.Progress = NewBoard(&log)
	var all sync.WaitGroup
	for i, p := range paths {
		all.Go(func() {
			res, err := Run(context.Background(), p, opt)
			if err != nil {
				t.Error(err)
				return
			}
			if got, want := shown(t, res.Written), [2]string{"a met b: true", "b met a: true"}[i]; !strings.Contains(got, want) {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
	all.Wait()
	for line := range strings.Lines(log.String()) {
		if !regexp.MustCompile(`^parallel-[ab]\.ipynb  0:0\d  (cell \d of 2  \S.*|2 cells run)\n$`).MatchString(line) {
			t.Errorf("a torn line: %q", line)
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 6 {
		t.Errorf("%d lines:\n%s", n, log.String())
	}
}

// TestDeath: kernels die while they run a cell.
func TestDeath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	res, err := Run(context.Background(), copied(t, "autokill")[0], processes(t, "kernel"))
	if err == nil || !strings.Contains(err.Error(), "autokill.ipynb: cell 3 (In[3]): KernelDied: the kernel died: signal: killed") {
		t.Errorf("%v", err)
	}
	if got, want := shown(t, res.Written), "[1]\n[2] stdout:before the end\n\n[3] stdout:last words\n KernelDied:"; !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\n[0]") {
		t.Errorf("%s", got)
	}
	for _, c := range []struct{ name, cell, want, text string }{
		{"fatal error", "import (\n\t\"fmt\"\n\t\"os\"\n\t\"os/exec\"\n)\nexec.Command(\"sh\", \"-c\", fmt.Sprint(\"kill -ABRT \", os.Getpid())).Run()\nselect {}",
			"cell 2 (In[2]): KernelDied: the kernel died: ", "SIGABRT"},
		{"map", "import (\n\t\"encoding/json\"\n\t\"time\"\n)\nm := map[string]int{} // compiled code writes it: of cells the kernel sees to it\nfor range 8 {\n\tgo func() {\n\t\tfor {\n\t\t\tjson.Unmarshal([]byte(`{\"a\":1,\"b\":2,\"c\":3}`), &m)\n\t\t}\n\t}()\n}\ntime.Sleep(2 * time.Minute)",
			"cell 2 (In[2]): KernelDied: the kernel died: two goroutines used a map at the same time", "goroutine"},
	} {
		if c.name == "map" && patience.RaceDetector {
			continue
		}
		path := write(t, "import \"fmt\"\nfmt.Println(\"fine\")", c.cell, "fmt.Println(\"never\")")
		res, err := Run(context.Background(), path, processes(t, "kernel"))
		var ce *CellError
		if !errors.As(err, &ce) || ce.Err.Kind != Died || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
			continue
		}
		got := shown(t, res.Written)
		if !strings.HasPrefix(got, "[1] stdout:fine\n") || !strings.Contains(got, c.text) || !strings.Contains(got, "KernelDied:") || !strings.HasSuffix(got, "\n[0]") {
			t.Errorf("%s:\n%s", c.name, got)
		}
		// With InPlace, the notebook stays unchanged.
		before, _ := os.ReadFile(path)
		opt := processes(t, "kernel")
		opt.InPlace = true
		if _, err := Run(context.Background(), path, opt); err == nil {
			t.Errorf("%s: no error in place", c.name)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
			t.Errorf("%s: the notebook was changed", c.name)
		}
	}
}

// TestMemory: a cell uses all the memory that its process may have.
func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" || patience.RaceDetector {
		t.Skip("needs a limit of the address space")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	opt := processes(t, "kernel")
	opt.New = func(folder string) (Kernel, error) {
		cmd := exec.Command("/bin/sh", "-c", `ulimit -v 3000000; exec "$0"`, self)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "HEADLESS_TEST=kernel")
		p, err := Start(cmd)
		if err != nil {
			return nil, err
		}
		return p, nil
	}
	res, err := Run(context.Background(), copied(t, "out-of-memory")[0], opt)
	if err == nil || !strings.Contains(err.Error(), "cell 2 (In[2])") || !strings.Contains(err.Error(), "memory") {
		t.Fatalf("%v", err)
	}
	if got := shown(t, res.Written); !strings.HasPrefix(got, "[1] stdout:fine\n") {
		t.Errorf("%s", got)
	}
}

func TestKill(t *testing.T) {
	// A cell that never yields the processor is killed together with its process.
	opt := processes(t, "kernel")
	opt.Grace = 100 * time.Millisecond
	opt.CellTimeout = time.Second
	// strings.Repeat and strings.Count are compiled code, which cannot be stopped.
	path := write(t, "import \"strings\"\n1", "s := strings.Repeat(\"ab\", 1<<20)\nn := 0\nfor i := range 1 << 30 {\n\tn += strings.Count(s[i%7:], \"ba\")\n\tdefer func() {\n\t\tif recover() != nil {\n\t\t\tfor {\n\t\t\t\tn += strings.Count(s, \"ba\")\n\t\t\t}\n\t\t}\n\t}()\n}\nn", "2")
	patience.Try(t, func() string { // on a busy machine the first cell may take a second
		res, err := Run(context.Background(), path, opt)
		if err == nil || !strings.Contains(err.Error(), "time-out: the cell took longer than 1s") || res.Abandoned {
			t.Errorf("%v, abandoned %v", err, res.Abandoned)
		}
		if got := shown(t, res.Written); !strings.HasPrefix(got, "[1] out1:1\n[2] ") || !strings.HasSuffix(got, "\n[0]") {
			return got
		}
		return ""
	})
}

func TestStopProcess(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	path := copied(t, "endless")[0]
	opt := processes(t, "kernel")
	var p *Process
	start := opt.New
	opt.New = func(folder string) (Kernel, error) {
		k, err := start(folder)
		p, _ = k.(*Process)
		time.AfterFunc(500*time.Millisecond, cancel)
		return k, err
	}
	res, err := Run(ctx, path, opt)
	if !errors.Is(err, context.Canceled) || res.Written != "" {
		t.Errorf("%v, written %q", err, res.Written)
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("%d files, want the notebook alone", len(files))
	}
	select {
	case <-p.ended:
	default:
		t.Error("the process is still there")
	}
}

func TestProcessDoesNotStart(t *testing.T) {
	for kind, want := range map[string]string{"fails": "the kernel did not start: ", "talks": "the kernel did not start: "} {
		res, err := Run(context.Background(), write(t, "1"), processes(t, kind))
		if err == nil || !strings.Contains(err.Error(), want) || res.Written != "" {
			t.Errorf("%s: %v, written %q", kind, err, res.Written)
		}
	}
}

func TestProcessParameters(t *testing.T) {
	opt := processes(t, "kernel")
	opt.Set = []Assignment{{"size", "full"}, {"n", "0x10"}, {"rate", "-Inf"}, {"wait", "2s"}, {"on", "true"}}
	res, err := Run(context.Background(), write(t,
		"import (\n\t\"fmt\"\n\t\"time\"\n)", "#tag parameters\nsize := \"lecture\"\nn := 3\nrate := 0.5\nwait := time.Second\nvar on bool", "fmt.Println(size, n, rate, wait, on)"), opt)
	if err != nil {
		t.Fatal(err)
	}
	if got := shown(t, res.Written); !strings.HasSuffix(got, "stdout:full 16 -Inf 2s true\n") {
		t.Errorf("%s", got)
	}
	n, _ := notebook.Read(res.Written)
	if got, want := n.Cells[2].Source, "import \"math\"\nsize = \"full\"\nn = 16\nrate = math.Inf(-1)\nwait = 2000000000 // 2s\non = true"; got != want {
		t.Errorf("injected %q", got)
	}
}

// TestParamsCommand: %params above a cell's code has the same effect as the tag.
func TestParamsCommand(t *testing.T) {
	opt := processes(t, "kernel")
	opt.Set = []Assignment{{"n", "5"}}
	cells := []string{"import \"fmt\"\n%timeit -n 1 -r 1 fmt.Sprint(1)", "%params", "// what to do\n%params\nn := 3\nsize := \"a\"", "fmt.Println(n, size)"}
	if _, err := Run(context.Background(), write(t, cells...), opt); err == nil || !strings.Contains(err.Error(), "has no parameters yet") {
		t.Errorf("a %%params that shows: %v", err)
	}
	res, err := Run(context.Background(), write(t, append(cells[:1:1], cells[2:]...)...), opt)
	if err != nil {
		t.Fatal(err)
	}
	if got := shown(t, res.Written); !strings.HasSuffix(got, "stdout:5 a\n") {
		t.Errorf("%s", got)
	}
	for name, want := range map[string]string{"m": "no parameter m; the notebook's parameters are n (int), size (string)", "n": "it must be an integer"} {
		opt.Set = []Assignment{{name, "1.5"}}
		if _, err := Run(context.Background(), write(t, cells[0], cells[2]), opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	// The kernel's own declarations are not parameters.
	got := settable("x := )", nil, []Variable{{Name: "b__"}, {Name: "x"}, {Name: "f_native__"}})
	if len(got) != 1 || got[0].Name != "x" {
		t.Errorf("settable: %v", got)
	}
}

// TestLate: goroutines produce output after their cells have ended.
func TestLate(t *testing.T) {
	for _, opt := range []Options{processes(t, "kernel"), {Progress: io.Discard, New: Here(openKernel)}} {
		res, err := Run(context.Background(), write(t,
			"import (\n\t\"fmt\"\n\t\"time\"\n)\nsaid := make(chan bool)",
			"go func() {\n\ttime.Sleep(50 * time.Millisecond)\n\tfmt.Println(\"late\")\n\tsaid <- true\n}()",
			"", "<-said\nfmt.Println(\"now\")"), opt)
		if err != nil {
			t.Fatal(err)
		}
		if got := shown(t, res.Written); strings.Count(got, "late") != 1 || !strings.Contains(got, "now") {
			t.Errorf("%s", got)
		}
	}
}

// TestSameHere: a run in this process and a run in another process give the same result.
func TestSameHere(t *testing.T) {
	cells := []string{
		"import (\n\t\"fmt\"\n\t\"os\"\n\n\t\"gonum.org/v1/gonum/mat\"\n\t\"gonum.org/v1/plot\"\n)",
		"fmt.Println(1)\nfmt.Fprintln(os.Stderr, \"careful\")\n3",
		"display.DisplayID(\"a\", display.Markdown(\"*one*\"))\nfor i := range 3 {\n\tdisplay.UpdateDisplay(\"a\", i)\n}",
		"mat.NewDense(2, 2, []float64{1, 2, 3, 4})",
		"plot.New()",
		"display.JSON(map[string]any{\"x\": 1e300, \"y\": 0.1, \"z\": []int{1}})",
		"display.JSON(make(chan int))",
		"#tag raises-exception\nvar q []int\nq[3]",
		"#tag raises-exception\nq + \"x\"",
	}
	var files [2][]byte
	for i, opt := range []Options{processes(t, "kernel"), {Progress: io.Discard, New: Here(openKernel)}} {
		res, err := Run(context.Background(), write(t, cells...), opt)
		if err != nil {
			t.Fatal(err)
		}
		files[i], _ = os.ReadFile(res.Written)
	}
	if same, err := Same(files[0], files[1]); err != nil || !same {
		t.Errorf("they differ (%v):\n%s\n%s", err, files[0], files[1])
	}
}

func TestCheck(t *testing.T) {
	cell := notebook.NewCode("// what can be set\nimport \"time\"\nconst k = 2\nfunc f() int { return 1 }\ntype mode string\nsize := \"a\"\nvar (\n\tn, m = 3, k * 2.5\n\tu8 uint8\n\td = 2 * time.Second\n\twho mode = \"x\"\n\ton = n > 2\n)\nlist := []int{1}\nodd := strings.ToUpper(\"x\")\nc := f()\n")
	cell.SetTags(tagParameters)
	for _, c := range []struct{ name, text, want string }{
		{"size", "anything", ""}, {"n", "-4", ""}, {"n", "1_000", ""}, {"m", "1e-3", ""}, {"u8", "255", ""}, {"d", "3m", ""}, {"who", "me", ""}, {"on", "false", ""}, {"c", "7", ""},
		{"odd", "what it is shows when it runs", ""},
		{"n", "1.5", `parameter n (int) cannot be "1.5": it must be an integer`},
		{"n", "many", "it must be a number"},
		{"u8", "256", `parameter u8 (uint8) cannot be "256": the number is out of range for uint8`},
		{"m", "x", "parameter m (float64)"},
		{"d", "soon", "parameter d (time.Duration) cannot be \"soon\": write a duration as in"},
		{"on", "maybe", "it must be true or false"},
		{"list", "1", "parameter list ([]int) cannot be \"1\": only strings"},
		{"k", "1", "no parameter k; the notebook's parameters are c (int), d (time.Duration), list ([]int), m (float64), n (int), odd, on (bool), size (string), u8 (uint8), who (mode)"},
	} {
		err := check([]*notebook.Cell{cell}, []Assignment{{c.name, c.text}})
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: %v, want %q", c.name, c.text, err, c.want)
		}
	}
	cell.Source = "size := )"
	if err := check([]*notebook.Cell{cell}, []Assignment{{"x", "1"}}); err != nil {
		t.Errorf("a cell that cannot be read: %v", err)
	}
}

func FuzzParameters(f *testing.F) {
	f.Add("size := 1\nvar x, y = 2, time.Second", "2")
	f.Add("import \"time\"\ntype t struct{}\nfunc (t) m() {}\nx := t{}", "")
	f.Fuzz(func(t *testing.T, source, text string) {
		for _, p := range parameters(source) {
			fits(p.typ, text)
			p.typeName()
		}
	})
}

func TestBoard(t *testing.T) {
	b := &Board{w: &bytes.Buffer{}, tty: true}
	now := time.Now()
	x, y := b.ticker("x.ipynb", now), b.ticker("y.ipynb", now)
	x.cell(1, 3, "a()")
	if got := b.line(); got != "x.ipynb  0:00  cell 1 of 3  a()" {
		t.Error(got)
	}
	y.cell(2, 9, "b()")
	if got := b.line(); got != "x  0:00  1/3 | y  0:00  2/9" {
		t.Error(got)
	}
	fmt.Fprintln(b, "said")
	x.finish("3 cells run")
	y.finish("failed")
	out := b.w.(*bytes.Buffer).String()
	for _, want := range []string{"\r\x1b[Ksaid\nx  0:00  1/3 | y", "\r\x1b[Kx.ipynb  0:00  3 cells run\ny.ipynb", "\r\x1b[Ky.ipynb  0:00  failed\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %q", want, out)
		}
	}
}

// TestBoardOverall: the overall progress is shown in the terminal's line, and is occasionally written to a log.
func TestBoardOverall(t *testing.T) {
	n := 0
	say := func() string { n++; return fmt.Sprintf("%d of 7", n) }
	var out bytes.Buffer
	b := &Board{w: &out, tty: true}
	b.Overall(say)
	x := b.ticker("x.ipynb", time.Now())
	out.Reset()
	x.cell(1, 3, "a()")
	if want := "\r\x1b[K1 of 7 | x.ipynb  0:00  cell 1 of 3  a()"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	out.Reset()
	x.finish("3 cells run") // if no notebook is running there is no line
	if want := "\r\x1b[Kx.ipynb  0:00  3 cells run\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}

	out.Reset()
	n = 0
	b = &Board{w: &out}
	b.Overall(say)
	begin := b.said
	for _, s := range []int{1, 29, 31, 50, 60, 62} {
		b.beat(begin.Add(time.Duration(s) * time.Second))
	}
	if want := "1 of 7\n2 of 7\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
