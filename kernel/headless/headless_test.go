package headless

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	_ "overcomplete/cmd/overcomplete/bindings" // for cells that import the library
	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/notebook"
	"overcomplete/ui/display"
)

// unused has the methods of a session that the runner never calls.
type unused interface{ engine.Session }

// fake is a kernel for cells in a simple language, in which each line is a command.
type fake struct {
	unused
	mu    sync.Mutex
	vars  map[string]any // pointers to the values
	order []string
	ran   []string
}

func (f *fake) Terminal() *os.File      { return nil }
func (f *fake) Close() error            { return nil }
func (f *fake) Session() engine.Session { return f }
func (f *fake) Vars() []engine.Variable {
	var vs []engine.Variable
	for _, n := range f.order {
		vs = append(vs, engine.Variable{Name: n, Type: strings.TrimPrefix(fmt.Sprintf("%T", f.vars[n]), "*"), Addr: f.vars[n]})
	}
	return vs
}

func (f *fake) Set(name, text string) (err error) {
	switch p := f.vars[name].(type) {
	case *string:
		*p = text
	case *int:
		*p, err = strconv.Atoi(text)
	case *float64:
		*p, err = strconv.ParseFloat(text, 64)
	case *bool:
		*p, err = strconv.ParseBool(text)
	case *time.Duration:
		*p, err = time.ParseDuration(text)
	default:
		err = errors.New("no such variable")
	}
	return err
}

func (f *fake) Execute(ctx context.Context, cell engine.Cell, out kernel.Output) error {
	f.mu.Lock()
	f.ran = append(f.ran, cell.Source)
	f.mu.Unlock()
	fail := func(k engine.Kind, message string, line int) error {
		return &engine.Error{Kind: k, Message: message, Frames: []engine.Frame{{Cell: cell.Name, Line: line}}}
	}
	for i, line := range strings.Split(cell.Source, "\n") {
		cmd, arg, _ := strings.Cut(line, " ")
		switch cmd {
		case "print":
			out.Stream("stdout", arg)
		case "eprint":
			out.Stream("stderr", arg)
		case "result":
			out.Result(display.Text(arg))
		case "show", "update":
			id, text, _ := strings.Cut(arg, " ")
			out.Display(display.Data{Data: map[string]any{"text/plain": text}, Transient: map[string]any{"display_id": id}}, cmd == "update")
		case "badjson":
			out.Result(display.JSON(make(chan int)))
		case "clear":
			out.Clear(arg == "wait")
		case "pwd":
			wd, _ := os.Getwd()
			out.Stream("stdout", filepath.Base(wd))
		case "panic":
			return fail(engine.Panic, arg, i+1)
		case "wait":
			<-ctx.Done()
			return fail(engine.Interrupted, engine.Stopped, i+1)
		case "hang":
			time.Sleep(300 * time.Millisecond)
		}
		if name, value, ok := strings.Cut(line, " := "); ok {
			p := map[string]any{"size": new(string), "n": new(int), "x": new(float64), "d": new(time.Duration), "solutions": new(bool)}[name]
			if _, old := f.vars[name]; !old {
				f.order = append(f.order, name)
			}
			f.vars[name] = p
			if text, err := strconv.Unquote(value); err == nil {
				value = text
			}
			f.Set(name, value) // a value that Set cannot parse stays 0
		}
	}
	return nil
}

// write writes a notebook with the given cells. A first line such as "#tag a b" gives a cell's tags.
func write(t *testing.T, cells ...string) string {
	t.Helper()
	n := &notebook.Notebook{}
	for _, s := range cells {
		c := notebook.NewCode(s)
		if rest, ok := strings.CutPrefix(s, "#tag "); ok {
			tags, source, _ := strings.Cut(rest, "\n")
			c.Source = source
			c.SetTags(strings.Fields(tags)...)
		}
		n.Cells = append(n.Cells, c)
	}
	path := filepath.Join(t.TempDir(), "n.ipynb")
	if err := n.Write(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func options(f **fake) Options {
	return Options{
		Progress: io.Discard,
		Grace:    50 * time.Millisecond,
		New: Here(func() (InProcess, error) {
			k := &fake{vars: map[string]any{}}
			if f != nil {
				*f = k
			}
			return k, nil
		}),
	}
}

// shown returns the outputs of a notebook in a short form.
func shown(t *testing.T, path string) string {
	t.Helper()
	n, err := notebook.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, c := range n.Cells {
		fmt.Fprintf(&b, "[%d]", c.ExecutionCount)
		for _, o := range c.Outputs {
			switch o.Type() {
			case notebook.Stream:
				fmt.Fprintf(&b, " %s:%s", o["name"], o.Text())
			case notebook.ErrorOutput:
				fmt.Fprintf(&b, " %s:%s", o["ename"], o["evalue"])
			case notebook.ExecuteResult:
				fmt.Fprintf(&b, " out%v:%s", o["execution_count"], o.Text())
			default:
				fmt.Fprintf(&b, " shown:%s", o.Text())
			}
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestOutputs(t *testing.T) {
	for _, c := range []struct {
		name  string
		cells []string
		want  string
	}{
		{"merged streams", []string{"print a\nprint b\neprint c\nprint d"}, "[1] stdout:ab stderr:c stdout:d"},
		{"counts", []string{"result a", "", "  \n", "result b\nresult c"}, "[1] out1:a\n[0]\n[0]\n[2] out2:b out2:c"},
		{"update in the same cell", []string{"show i one\nprint x\nupdate i two"}, "[1] shown:two stdout:x"},
		{"update of an earlier cell", []string{"show i one", "show j three\nupdate i two"}, "[1] shown:two\n[2] shown:three"},
		{"shown twice under one id", []string{"show i one\nshow i two"}, "[1] shown:two shown:two"},
		{"update of nothing", []string{"update i two"}, "[1]"},
		{"clear", []string{"print a\nclear\nprint b"}, "[1] stdout:b"},
		{"clear at the end", []string{"print a\nclear wait"}, "[1] stdout:a"},
		{"clear that waits", []string{"print a\nclear wait\nprint b\nprint c"}, "[1] stdout:bc"},
		{"update does not end the wait", []string{"show i a\nclear wait\nupdate i b"}, "[1] shown:b"},
		{"skipped", []string{"#tag skip-execution\nprint a", "print b"}, "[0]\n[1] stdout:b"},
		{"expected error", []string{"#tag raises-exception\npanic x", "print b"}, "[1] Panic:x\n[2] stdout:b"},
		{"Unicode", []string{"print ☃ é\u2028"}, "[1] stdout:☃ é\u2028"},
		{"no JSON", []string{"badjson"}, "[1] shown:cannot show this: notebook: application/json: json: unsupported type: chan int"},
	} {
		path := write(t, c.cells...)
		res, err := Run(context.Background(), path, options(nil))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if want := filepath.Join(filepath.Dir(path), "run", "n.ipynb"); res.Written != want {
			t.Errorf("%s: written to %s, want %s", c.name, res.Written, want)
		}
		if got := shown(t, res.Written); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestFailure(t *testing.T) {
	path := write(t, "print a", "print b\npanic boom", "print c")
	res, err := Run(context.Background(), path, options(nil))
	var ce *CellError
	if !errors.As(err, &ce) || ce.Error() != "n.ipynb: cell 2 (In[2]) line 2: Panic: boom" {
		t.Fatalf("error %v", err)
	}
	if got, want := shown(t, res.Written), "[1] stdout:a\n[2] stdout:b Panic:boom\n[0]"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}

	opt := options(nil)
	opt.InPlace = true
	before, _ := os.ReadFile(path)
	if res, err := Run(context.Background(), path, opt); err == nil || res.Written != "" {
		t.Errorf("in place: %v, written %q", err, res.Written)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("a failed run in place changed the notebook")
	}

	opt = options(nil)
	opt.AllowErrors = true
	res, err = Run(context.Background(), path, opt)
	if err != nil || res.Failed != 1 {
		t.Errorf("allowed errors: %v, %d failed", err, res.Failed)
	}
	if got, want := shown(t, res.Written), "[1] stdout:a\n[2] stdout:b Panic:boom\n[3] stdout:c"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	opt.Record = true
	if _, err := Run(context.Background(), path, opt); err == nil {
		t.Error("a notebook with an error was recorded")
	}
}

func TestTimeouts(t *testing.T) {
	for _, c := range []struct {
		name      string
		cell      string
		opt       func(*Options)
		abandoned bool
		want      string
	}{
		{"cell", "wait", func(o *Options) { o.CellTimeout = 20 * time.Millisecond }, false, "time-out: the cell took longer than 20ms"},
		{"notebook", "wait", func(o *Options) { o.Timeout = 20 * time.Millisecond }, false, "time-out: the notebook took longer than 20ms"},
		{"no stopping", "hang", func(o *Options) { o.Timeout = 20 * time.Millisecond }, true, "time-out: the notebook took longer than 20ms"},
	} {
		opt := options(nil)
		opt.AllowErrors = true // does not matter: a time-out ends the run
		c.opt(&opt)
		path := write(t, "print a", "print b\n"+c.cell+"\nprint late", "print c")
		patience.Try(t, func() string { // on a stalled machine the cell, or its grace, may end late
			res, err := Run(context.Background(), path, opt)
			if err == nil || !strings.Contains(err.Error(), c.want) || res.Abandoned != c.abandoned {
				return fmt.Sprintf("%s: %v, abandoned %v", c.name, err, res.Abandoned)
			}
			if got := shown(t, res.Written); !strings.HasPrefix(got, "[1] stdout:a\n[2] stdout:b Interrupted:time-out after 20ms: ") || !strings.HasSuffix(got, "\n[0]") {
				return fmt.Sprintf("%s: %s", c.name, got)
			}
			return ""
		})
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	path := write(t, "print a", "wait")
	time.AfterFunc(30*time.Millisecond, cancel)
	res, err := Run(ctx, path, options(nil))
	if !errors.Is(err, context.Canceled) || res.Written != "" {
		t.Errorf("%v, written %q", err, res.Written)
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("%d files, want the notebook alone", len(files))
	}
}

func TestFolder(t *testing.T) {
	path := write(t, "pwd")
	before, _ := os.Getwd()
	res, err := Run(context.Background(), path, options(nil))
	if err != nil {
		t.Fatal(err)
	}
	if after, _ := os.Getwd(); after != before {
		t.Errorf("left in %s", after)
	}
	if got, want := shown(t, res.Written), "[1] stdout:"+filepath.Base(filepath.Dir(path)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestParameters(t *testing.T) {
	cells := []string{"other := 1\nx := 1", "#tag parameters\nsize := \"lecture\"\nn := 3\nd := time.Second", "print b"}
	var f *fake
	opt := options(&f)
	opt.Set = []Assignment{{"size", `fu"ll`}, {"n", "5"}, {"d", "2s"}}
	path := write(t, cells...)
	res, err := Run(context.Background(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := notebook.Read(res.Written)
	if len(n.Cells) != 4 || !n.Cells[2].Tagged("injected-parameters") {
		t.Fatalf("no injected cell among %d", len(n.Cells))
	}
	want := "size = \"fu\\\"ll\"\nn = 5\nd = 2000000000 // 2s"
	if n.Cells[2].Source != want || f.ran[2] != want {
		t.Errorf("injected %q, ran %q", n.Cells[2].Source, f.ran[2])
	}
	if got := *f.vars["n"].(*int); got != 5 {
		t.Errorf("n is %d", got)
	}
	// The written notebook can be run again. The run replaces its injected cell.
	opt.Set = []Assignment{{"n", "7"}}
	opt.Out = filepath.Join(t.TempDir(), "again.ipynb")
	if res, err = Run(context.Background(), res.Written, opt); err != nil {
		t.Fatal(err)
	}
	if n, _ := notebook.Read(res.Written); len(n.Cells) != 4 || n.Cells[2].Source != "n = 7" {
		t.Errorf("%d cells, injected %q", len(n.Cells), n.Cells[2].Source)
	}
	for _, c := range []struct {
		cells []string
		set   Assignment
		want  string
		ran   int
	}{
		{cells, Assignment{"seeds", "1"}, "no parameter seeds; the notebook's parameters are d (time.Duration), n (int), size (string)", 0},
		{cells, Assignment{"x", "1"}, "no parameter x", 0},
		{cells, Assignment{"n", "many"}, `parameter n (int) cannot be "many": it must be a number`, 0},
		{cells[:1], Assignment{"n", "1"}, `no cell of the notebook has the tag "parameters"`, 0},
	} {
		f = &fake{}
		opt := options(&f)
		opt.Set = []Assignment{c.set}
		path := write(t, c.cells...)
		res, err := Run(context.Background(), path, opt)
		if err == nil || !strings.Contains(err.Error(), c.want) || res.Written != "" || len(f.ran) != c.ran {
			t.Errorf("%v: error %v, written %q, %d cells ran", c.set, err, res.Written, len(f.ran))
		}
	}
}

func TestParseAssignment(t *testing.T) {
	if a, err := ParseAssignment("a=b=c"); err != nil || a != (Assignment{"a", "b=c"}) {
		t.Errorf("%v, %v", a, err)
	}
	for _, s := range []string{"", "a", "=1", "1a=2", "a b=1"} {
		if _, err := ParseAssignment(s); err == nil {
			t.Errorf("%q was accepted", s)
		}
	}
}

func TestDeterministic(t *testing.T) {
	path := write(t, "print a\nshow i x\nresult y", "result z")
	var runs [2][]byte
	for i := range runs {
		res, err := Run(context.Background(), path, options(nil))
		if err != nil {
			t.Fatal(err)
		}
		runs[i], _ = os.ReadFile(res.Written)
		time.Sleep(2 * time.Millisecond)
	}
	if same, err := Same(runs[0], runs[1]); err != nil || !same {
		t.Errorf("two runs differ (%v)", err)
	}
	if same, _ := Same(runs[0], bytes.Replace(runs[1], []byte(`"z"`), []byte(`"w"`), 1)); same {
		t.Error("Same does not see a difference")
	}
}

func TestRecord(t *testing.T) {
	path := write(t, "result a")
	promoted := ""
	opt := options(nil)
	opt.Record = true
	opt.Promote = func(p string) error { promoted = p; return nil }
	if _, err := Run(context.Background(), path, opt); err != nil {
		t.Fatal(err)
	}
	if promoted != path || shown(t, path) != "[1] out1:a" {
		t.Errorf("promoted %q, notebook %s", promoted, shown(t, path))
	}
}

// A notebook in another language is not run as Go, because its outputs would be replaced by errors.
func TestOtherLanguage(t *testing.T) {
	for _, c := range []struct {
		metadata map[string]any
		runs     bool
	}{
		{map[string]any{}, true},
		{map[string]any{"kernelspec": map[string]any{"name": "gophernotes", "language": "go"}}, true},
		{map[string]any{"kernelspec": map[string]any{"name": "gonb", "language": "Go"}, "language_info": map[string]any{"name": "python"}}, true},
		{map[string]any{"kernelspec": map[string]any{"name": "python3", "language": "python"}}, false},
		{map[string]any{"kernelspec": map[string]any{"name": "python3"}, "language_info": map[string]any{"name": "python"}}, false},
	} {
		path := write(t, "result a")
		nb, err := notebook.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		nb.Metadata = c.metadata
		if err := nb.Write(path); err != nil {
			t.Fatal(err)
		}
		res, err := Run(context.Background(), path, options(nil))
		if (err == nil) != c.runs || (res.Written != "") != c.runs || err != nil && !strings.Contains(err.Error(), "kernel is for python") {
			t.Errorf("%v: %v, written %q", c.metadata, err, res.Written)
		}
	}
}

// A record is replaced atomically: if Promote refuses, the notebook stays unchanged, even with InPlace, and
// only the output file of the run is written.
func TestRecordRefused(t *testing.T) {
	for _, c := range []struct {
		name    string
		set     func(opt *Options, path string)
		written bool // a copy has been written
	}{
		{"beside", func(opt *Options, path string) {}, true},
		{"in place", func(opt *Options, path string) { opt.InPlace = true }, false},
		{"out is the notebook", func(opt *Options, path string) { opt.Out = path }, false},
		{"a cell failed", func(opt *Options, path string) { opt.InPlace, opt.AllowErrors, opt.Promote = true, true, nil }, false},
	} {
		path := write(t, "result a", "#tag x\n"+map[bool]string{true: "panic x", false: "result b"}[c.name == "a cell failed"])
		before := testfile.Read(t, path)
		refusal := errors.New("it has smoke size, the record full")
		opt := options(nil)
		opt.Record = true
		opt.Promote = func(p string) error {
			if now, _ := os.ReadFile(p); !bytes.Equal(now, before) {
				t.Errorf("%s: the notebook was replaced before anybody was asked", c.name)
			}
			return refusal
		}
		c.set(&opt, path)
		res, err := Run(context.Background(), path, opt)
		if err == nil || opt.Promote != nil && !errors.Is(err, refusal) {
			t.Errorf("%s: %v", c.name, err)
		}
		if now, _ := os.ReadFile(path); !bytes.Equal(now, before) {
			t.Errorf("%s: the notebook was replaced", c.name)
		}
		if (res.Written != "") != c.written {
			t.Errorf("%s: written to %q", c.name, res.Written)
		}
		files, _ := os.ReadDir(filepath.Dir(path))
		for _, f := range files {
			if f.Name() != filepath.Base(path) && f.Name() != "run" {
				t.Errorf("%s: %s is left", c.name, f.Name())
			}
		}
	}
}

// A recorded notebook keeps its declared parameters, whatever was set for the run, so that Run all in Jupyter
// uses the values in its cell. The metadata say that the outputs were made with other parameters.
func TestRecordKeepsParameters(t *testing.T) {
	const declared = "size := \"lecture\"\nn := 3"
	path := write(t, "import", "#tag parameters\n"+declared, "result a", "#tag raises-exception\npanic x")
	for _, c := range []struct {
		name string
		set  []Assignment
		want map[string]string
	}{
		{"another size", []Assignment{{"size", "full"}, {"n", "3"}}, map[string]string{"size": `"full"`}},
		{"the same size", []Assignment{{"size", "lecture"}}, nil},
		{"two", []Assignment{{"size", "smoke"}, {"n", "7"}}, map[string]string{"size": `"smoke"`, "n": "7"}},
		{"nothing set", nil, nil},
	} {
		opt := options(nil)
		opt.Record, opt.Set = true, c.set
		res, err := Run(context.Background(), path, opt)
		if err != nil {
			t.Fatal(err)
		}
		n, err := notebook.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(n.Cells) != 4 || slices.ContainsFunc(n.Cells, Injected) || n.Cells[1].Source != declared || !n.Cells[1].Tagged(tagParameters) {
			t.Errorf("%s: the notebook has %d cells, its parameters are %q", c.name, len(n.Cells), n.Cells[1].Source)
		}
		if got, want := shown(t, path), "[1]\n[2]\n[3] out3:a\n[4] Panic:x"; got != want {
			t.Errorf("%s: the notebook is\n%s\nwant\n%s", c.name, got, want)
		}
		if ran := Ran(n); len(ran) != 4 {
			t.Errorf("%s: %d cells have run, want the notebook's 4", c.name, len(ran))
		}
		changed := n.Changed()
		if c.want == nil && changed != nil || c.want != nil && (changed == nil || changed.Cell != n.Cells[1].ID || !maps.Equal(changed.Values, c.want)) {
			t.Errorf("%s: changed %+v, want %v", c.name, changed, c.want)
		}
		// The output file has a cell with the assignments, and can be run.
		copied, err := notebook.Read(res.Written)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := slices.ContainsFunc(copied.Cells, Injected), c.set != nil; got != want {
			t.Errorf("%s: a cell with what was set in the copy: %v", c.name, got)
		}
	}

	// The recorded notebook has no injected cell of an earlier run either.
	res, err := Run(context.Background(), path, Options{New: options(nil).New, Progress: io.Discard, Set: []Assignment{{"size", "full"}}})
	if err != nil {
		t.Fatal(err)
	}
	opt := options(nil)
	opt.Record = true
	if _, err := Run(context.Background(), res.Written, opt); err != nil {
		t.Fatal(err)
	}
	n, err := notebook.Read(res.Written)
	if err != nil || slices.ContainsFunc(n.Cells, Injected) || n.Changed() != nil {
		t.Errorf("%v, %d cells, changed %v", err, len(n.Cells), n.Changed())
	}
}

// Assignments for a single run get no cell in the output file or in an overwritten notebook, so Run all uses
// the declared values. The metadata record the values with which the outputs were made.
func TestParametersOfOneRun(t *testing.T) {
	const declared = "size := \"lecture\"\nn := 3\nsolutions := false"
	for _, c := range []struct {
		name   string
		change func(opt *Options, path string)
		cell   string // the cell in the written file that sets parameters
		want   map[string]string
	}{
		{"once", func(o *Options, _ string) { o.Set = nil }, "", map[string]string{"size": `"smoke"`}},
		{"both", func(*Options, string) {}, "n = 7", map[string]string{"size": `"smoke"`, "n": "7"}},
		{"set goes before once", func(o *Options, _ string) { o.Set[0] = Assignment{"size", "full"} }, `size = "full"`, map[string]string{"size": `"full"`}},
		{"in place", func(o *Options, _ string) { o.InPlace = true }, "", map[string]string{"size": `"smoke"`, "n": "7"}},
		{"out is the notebook", func(o *Options, path string) { o.Out = path }, "", map[string]string{"size": `"smoke"`, "n": "7"}},
	} {
		path := write(t, "import", "#tag parameters\n"+declared, "result a", "#tag solution\nresult b")
		opt := options(nil)
		opt.Once, opt.Set = []Assignment{{"size", "smoke"}}, []Assignment{{"n", "7"}}
		c.change(&opt, path)
		res, err := Run(context.Background(), path, opt)
		if err != nil {
			t.Fatal(err)
		}
		n, err := notebook.Read(res.Written)
		if err != nil {
			t.Fatal(err)
		}
		cell := ""
		for _, x := range n.Cells {
			if Injected(x) {
				cell = x.Source
			}
		}
		if cell != c.cell {
			t.Errorf("%s: a cell sets %q, want %q", c.name, cell, c.cell)
		}
		if changed := n.Changed(); changed == nil || !maps.Equal(changed.Values, c.want) {
			t.Errorf("%s: changed %+v, want %v", c.name, changed, c.want)
		}
		if kept := slices.ContainsFunc(n.Cells, func(x *notebook.Cell) bool { return x.Tagged(tagSolution) }); kept != (res.Written == path) {
			t.Errorf("%s: solutions kept: %v", c.name, kept)
		}
	}
}

func TestProgress(t *testing.T) {
	var b bytes.Buffer
	opt := options(nil)
	opt.Progress = &b
	if _, err := Run(context.Background(), write(t, "print a", "\n// Learn\nprint b"), opt); err != nil {
		t.Fatal(err)
	}
	want := "n.ipynb  0:00  cell 1 of 2  print a\nn.ipynb  0:00  cell 2 of 2  Learn\nn.ipynb  0:00  2 cells run\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
