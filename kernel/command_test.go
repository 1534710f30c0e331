package kernel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/magic"
)

// varying matches the parts of a command's output that differ between runs.
var varying = []struct {
	re *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`[0-9.]+ (ns|µs|ms|s)\b`), "T"},
	{regexp.MustCompile(`[0-9.]+ (k|M)?B in [0-9]+ allocations?`), "MEM"},
	{regexp.MustCompile(`[0-9]+ B/op, [0-9]+ allocs/op`), "MEM"},
	{regexp.MustCompile(`T of this is the loop around the code\n`), ""},
}

var hint = regexp.MustCompile(`(?m)^  hint: .*\n`)

// command runs a cell and returns its output, then its error.
func command(t *testing.T, k *Kernel, n int, src string) string {
	t.Helper()
	out := &transcript{}
	err := k.Execute(context.Background(), engine.Cell{Name: fmt.Sprintf("In[%d]", n), Source: src}, out)
	text := out.String()
	for _, v := range varying {
		text = v.re.ReplaceAllString(text, v.by)
	}
	var e *engine.Error
	if errors.As(err, &e) {
		trace := strings.Join(e.Traceback(), "\n") + "\n"
		// The format of tracebacks is tested in package engine.
		trace = strings.ReplaceAll(trace, "--> ", "    ")
		text += hint.ReplaceAllString(trace, "")
	}
	return text
}

func TestCommands(t *testing.T) {
	k := open(t)
	dir := t.TempDir()
	old, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chdir(old) })
	t.Setenv("OC_TEST_TOKEN", "abc")
	t.Setenv("OC_TEST_PROXY", "http://me:abc@host:1/x")
	for i, test := range []struct{ src, want string }{
		{"x := 1\n%time x = 2\nx", "time: T, MEM\n[display ] 2\n"},
		{"%time y := x + 40", "time: T, MEM\n"},
		{"%time y", "time: T, MEM\n[display ] 42\n"},
		{"%%time\nimport \"fmt\"\nfunc f() int { return 7 }\nfmt.Println(f())\nf()", "7\ntime: T, MEM\n[display ] 7\n"},
		{"%timeit -n 10 -r 3 f()", "T per run (median of 3 × 10; T to T), MEM\n"},
		{"%%timeit -n 10 -r 1\nimport \"strings\"\ns := strings.Repeat(\"a\", 3)\n_ = s", "T per run (median of 1 × 10; T to T), MEM\n"},
		{"%timeit -n 5 -r 1 x + 1", "T per run (median of 1 × 5; T to T), MEM\n"},
		// positions in errors
		{"a := 1\n%time   undefined1 + a", "TypeError: In[8] line 2: undefined: undefined1\n    %time   undefined1 + a\n            ^\n"},
		{"a := 1\n %timeit -n 3 undefined1 + a", "TypeError: In[9] line 2: undefined: undefined1\n     %timeit -n 3 undefined1 + a\n                  ^\n"},
		{"%%time\n  undefined1", "TypeError: In[10] line 2: undefined: undefined1\n      undefined1\n      ^\n"},
		{"func g(i int) int {\n\treturn []int{1}[i]\n}\n%cd .\ng(0)\n%time g(3)", "@\n[...]time: T, MEM\nPanic: runtime error: index out of range [3] with length 1\n  In[11] line 2, in g\n    return []int{1}[i]\n  In[11] line 6\n    %time g(3)\n"},
		{"g(4)", "Panic: runtime error: index out of range [4] with length 1\n  In[11] line 2, in g\n    return []int{1}[i]\n  In[12] line 1\n    g(4)\n"},
		{"fmt.Println(1)\n%tme f()", "SyntaxError: In[13] line 2: unknown command %tme; did you mean %time? (%help lists the commands)\n    %tme f()\n    ^\n"},
		{"fmt.Println(1)\n%who\nfmt.Println(", "SyntaxError: In[14] line 3: this ( is never closed\n    fmt.Println(\n               ^\n"},
		// variables
		{"%reset", ""},
		{"%who", "no variables\n"},
		{"v := []float64{1, 2}; m := map[string]int{\"a\": 1}; s := \"text\"\n%who v s", "[display text/html] name  type       size  value\ns     string     20 B  \"text\"\nv     []float64  40 B  [1 2]\n2 variables, 60 B\n"},
		{"%reset v nothing", "CommandError: no variable nothing; %who lists the variables\n  In[18] line 1\n    %reset v nothing\n"},
		{"%reset v, s\n%who", "[display text/html] name  type            size  value\nm     map[string]int  37 B  map[a:1]\n1 variable, 37 B\n"},
		{"v", "TypeError: In[20] line 1: undefined: v\n    v\n    ^\n"},
		// parameters
		{"%params", "CommandError: the notebook has no parameters yet: write %params above the cell that declares them\n  In[21] line 1\n    %params\n"},
		{"%params\nsize := \"lecture\"\nvar n int = 3", "[display text/html] parameter  type    value\nn          int     3\nsize       string  \"lecture\"\n"},
		{"%params n=5 size=\"a b\"\nn", "@\n[...][display ] 5\n"},
		{"%params n=x", "CommandError: n has type int and cannot be \"x\"\n  In[24] line 1\n    %params n=x\n"},
		{"%params k=1", "CommandError: no parameter k; the parameters are n, size\n  In[25] line 1\n    %params k=1\n"},
		{"%params\nq := 1 // %params above code", "[display text/html] parameter  type  value\nq          int   1\n"},
		// the system
		{"func twice(n int) int { return 2 * n }\n\n%%\nfour := twice(2)\nfour", "@\n[...][display ] 4\n"},
		{"%cd " + dir, dir + "\n"},
		{"%%writefile a.txt\n%who\n 'x", "a.txt: 9 bytes\n"},
		{"%%writefile -a a.txt\nmore", "a.txt: 5 bytes\n"},
		{"$ cat a.txt", "%who\n 'x\nmore\n"},
		{"%cd -\n%cd", "@"},
		{"%cd /no/such", "CommandError: chdir /no/such: no such file or directory\n  In[33] line 1\n    %cd /no/such\n"},
		{"%env OC_TEST=1 2\n%env OC_TEST\n$ echo $OC_TEST", "1 2\n1 2\n"},
		{"%env OC_TEST_NONE", "CommandError: OC_TEST_NONE is not set\n  In[35] line 1\n    %env OC_TEST_NONE\n"},
		{"$ echo out; echo err >&2; exit 3", "@\n[...]CommandError: exit status 3: echo out; echo err >&2; exit 3\n  In[36] line 1\n    $ echo out; echo err >&2; exit 3\n"},
		{"!echo a \\\n  b\nready := true\n!ready", "a b\n[display ] false\n"},
		{"%go111module on", ""},
		{"%goroutines", "no cell has left a goroutine running\n"},
		{"Display(display.Markdown(\"*a*\"))", "[display text/markdown] *a*\n"},
		{"func Display(i int) int { return i + 1 }\nDisplay(1)", "[display ] 2\n"},
		// arguments
		{"import (\n\t\"flag\"\n\t\"os\"\n)\n%args -who=\"a b\" c\nos.Args[1:]", "@[\"-who=a b\" \"c\"]\n"},
		{"who := flag.String(\"who\", \"\", \"\")\nflag.Parse()\n*who + flag.Arg(0)", "[display ] a bc\n"},
		{"who = flag.String(\"who\", \"\", \"\")\n%% -who=d\n*who", "[display ] d\n"},
		{"%args\nlen(os.Args)", "[display ] 1\n"},
		// what would end a loop
		{"%%timeit -n 10 -r 1\na := 3\nif a > 2 { return }\na++", "T per run (median of 1 × 10; T to T), MEM\n"},
		{"%timeit -n 10 -r 1 break", "TypeError: In[47] line 1: break not in for, switch, or select statement\n    %timeit -n 10 -r 1 break\n                       ^\n"},
	} {
		if strings.Contains(test.src, "$ ") || strings.HasPrefix(test.src, "!") {
			if _, err := os.Stat("/bin/sh"); err != nil {
				continue
			}
		}
		got := command(t, k, i+1, test.src)
		want, anything := strings.CutPrefix(test.want, "@")
		if _, end, cut := strings.Cut(want, "[...]"); cut {
			want = end
		}
		if got != want && !(anything && strings.HasSuffix(got, want)) {
			t.Errorf("In[%d] %s\n got:\n%s\nwant:\n%s", i+1, test.src, got, want)
		}
	}
	// %env hides secrets, so that they are not saved in a notebook by accident.
	if got := command(t, k, 100, "%env"); !strings.Contains(got, "OC_TEST_TOKEN") || !strings.Contains(got, "http://(hidden)@host:1/x") || strings.Contains(got, "abc") {
		t.Errorf("%%env shows\n%s", got)
	}
	for _, c := range []string{"%help", "%data"} {
		if got := command(t, k, 101, c); !strings.Contains(got, "mnist") && !strings.Contains(got, "%timeit") {
			t.Errorf("%s shows\n%s", c, got)
		}
	}
}

// TestWhoBesideGoroutines lists variables while a goroutine writes to one of them, a map. Reading the map
// would crash the process.
func TestWhoBesideGoroutines(t *testing.T) {
	if patience.RaceDetector {
		t.Skip("interpreted goroutines race on purpose")
	}
	k := open(t)
	command(t, k, 1, "m := map[int]int{}\nn := 3\ngo func() { for i := 0; ; i++ { m[i%1000] = i; clear(m) } }()")
	want := "[display text/html] name  type         size  value\nm     map[int]int        (not shown)\nn     int                (not shown)\n" +
		"2 variables; sizes and values are hidden while goroutines that may change variables run (%goroutines lists them)\n"
	for range 20 {
		if got := command(t, k, 2, "%who"); got != want {
			t.Fatalf("%%who shows\n%s", got)
		}
	}
	if got := command(t, k, 3, "%params\nk := 1"); !strings.Contains(got, "k          int   (not shown)") {
		t.Errorf("%%params shows\n%s", got)
	}
	if got := command(t, k, 4, "%goroutines stop\n%who n"); !strings.Contains(got, "n     int    8 B  3") {
		t.Errorf("then %%who shows\n%s", got)
	}
	// Methods of values may call functions of cells.
	if got := command(t, k, 5, "import \"fmt\"\ntype named struct{ s string }\nfunc (n named) String() string { return fmt.Sprint(\"I am \", n.s) }\nv := named{\"V\"}\n_ = fmt.Sprint(v)\n%who v"); !strings.Contains(got, "I am V") {
		t.Errorf("%%who shows\n%s", got)
	}
}

// An interrupter stops a cell when the cell prints something.
type interrupter struct {
	*transcript
	stop func()
}

func (i interrupter) Stream(name, text string) {
	i.transcript.Stream(name, text)
	i.stop()
}

// interruptAtPrint runs a cell and interrupts it when it prints.
func interruptAtPrint(k *Kernel, src string) (shown string, took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience.Long)
	defer cancel()
	var stopped time.Time
	out := interrupter{&transcript{}, func() { stopped = time.Now(); cancel() }}
	err = k.Execute(ctx, engine.Cell{Name: "In[1]", Source: src}, out)
	return out.String(), time.Since(stopped), err
}

// TestShellInterrupt checks that an interrupt ends the whole process group.
func TestShellInterrupt(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no /bin/sh")
	}
	k := open(t)
	patience.Try(t, func() string {
		file := filepath.Join(t.TempDir(), "alive")
		begin := time.Now()
		// The inner shell ignores the signal SIGINT.
		src := fmt.Sprintf("$ echo begun; sh -c 'trap \"\" INT; sleep 2; touch %s' & wait; sleep 5\nx := 1", file)
		shown, took, err := interruptAtPrint(k, src)
		var e *engine.Error
		if !errors.As(err, &e) || e.Kind != engine.Interrupted || shown != "begun\n" {
			t.Errorf("%v, shown: %q", err, shown)
		}
		if got, err := execute(t, k, "x := 2; x"); err != nil || got != "[display ] 2\n" {
			t.Errorf("the next cell: %q, %v", got, err)
		}
		if took > 1500*time.Millisecond {
			return fmt.Sprintf("it took %v", took)
		}
		time.Sleep(2500*time.Millisecond - time.Since(begin))
		if _, err := os.Stat(file); err == nil {
			return "a process of the command lives on"
		}
		return ""
	})
}

// TestTimeitInterrupt stops a measurement.
func TestTimeitInterrupt(t *testing.T) {
	k := open(t)
	_, _, err := interruptAtPrint(k, "import \"fmt\"\nn := 0\n%timeit for { if n == 1 { fmt.Println(n) }; n++ }")
	var e *engine.Error
	if !errors.As(err, &e) || e.Kind != engine.Interrupted {
		t.Fatal(err)
	}
	if got, err := execute(t, k, "n > 0"); err != nil || got != "[display ] true\n" {
		t.Errorf("the next cell: %q, %v", got, err)
	}
}

// TestGoroutines lists and stops goroutines left running by a cell.
func TestGoroutines(t *testing.T) {
	k := open(t)
	command(t, k, 1, "import \"time\"\nfor i := range 2 {\n\tgo func() {\n\t\tfor { time.Sleep(time.Duration(i+1) * time.Millisecond) }\n\t}()\n}\ntime.Sleep(5*time.Millisecond)")
	list := command(t, k, 2, "%goroutines")
	ids := regexp.MustCompile(`(?m)^ *([0-9]+)  In\[1\] line 3  go func\(\) \{`).FindAllStringSubmatch(list, -1)
	if len(ids) != 2 {
		t.Fatalf("%d goroutines are listed:\n%s", len(ids), list)
	}
	if got := command(t, k, 3, "%goroutines stop "+ids[1][1]); !strings.Contains(got, ids[0][0]) || strings.Contains(got, ids[1][0]) {
		t.Errorf("after stopping one:\n%s", got)
	}
	if got := command(t, k, 4, "%goroutines stop"); got != "no cell has left a goroutine running\n" {
		t.Errorf("after stopping all:\n%s", got)
	}
	if got := command(t, k, 5, "%goroutines stop 999"); !strings.HasPrefix(got, "CommandError: ") {
		t.Errorf("stopping what is not implemented:\n%s", got)
	}
}

// TestNilError: a call that returns a nil error shows nothing, but a variable with a nil error is shown.
func TestNilError(t *testing.T) {
	k := open(t)
	for src, want := range map[string]string{
		"var e error\ne": "[display ] <nil>\n", "e": "[display ] <nil>\n", "nil": "[display ] <nil>\n", "func f() error { return nil }\nf()": "", "f() // nothing": "", "e;": "",
		"es := []error{nil}\nes[0]": "[display ] <nil>\n",
	} {
		if got := command(t, k, 1, "var e error\nfunc f() error { return nil }"); got != "" {
			t.Fatal(got)
		}
		if got := command(t, k, 2, src); got != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

// TestUnnamedWho: %who shows an unnamed struct with its fields, because methods of an embedded field cannot be called
// on it.
func TestUnnamedWho(t *testing.T) {
	k := open(t)
	if got := command(t, k, 1, "type M map[string]int\nfunc (m M) String() string { return \"M!\" }\nvar sm struct{ M }\nvar m M\n%who"); !strings.Contains(got, "{M: ") || strings.Contains(got, "panicked") {
		t.Error(got)
	}
}

// TestWhoUnused: %who lists values of types that no cell has converted to an interface, although the interpreter may
// have left out the methods of these types.
func TestWhoUnused(t *testing.T) {
	k := open(t)
	got := command(t, k, 1, "import \"fmt\"\ntype named struct{ s string }\nfunc (n named) String() string { return fmt.Sprint(\"I am \", n.s) }\nv := named{\"V\"}\n%who v")
	if !strings.Contains(got, "named{s: \"V\"}") && !strings.Contains(got, "I am V") {
		t.Error(got)
	}
	if got := command(t, k, 2, "type bad struct{}\nfunc (bad) String() string { panic(fmt.Sprint(\"no\")) }\nb := bad{}\n_ = fmt.Sprint(b)\n%who b"); !strings.Contains(got, "method String panicked: no") {
		t.Error(got)
	}
}

// TestServer: %goroutines stop closes a web server. A call that cannot be stopped is listed, with what it waits for.
func TestServer(t *testing.T) {
	k := open(t)
	command(t, k, 1, "import (\"net\"; \"net/http\"; \"time\")\nl, err := net.Listen(\"tcp\", \"127.0.0.1:0\")\ngo http.Serve(l, http.NotFoundHandler())\nhttp.Get(\"http://\" + l.Addr().String()) // it serves\ntime.Sleep(20 * time.Millisecond)")
	if got := command(t, k, 2, "%goroutines stop"); got != "no cell has left a goroutine running\n" {
		t.Error(got)
	}
	command(t, k, 3, "l, err = net.Listen(\"tcp\", \"127.0.0.1:0\")\ngo l.Accept()\ntime.Sleep(20 * time.Millisecond)")
	list := command(t, k, 4, "%goroutines stop")
	id := regexp.MustCompile(`(?m)^ *([0-9]+)  In\[3\].*told to stop`).FindStringSubmatch(list)
	if id == nil {
		t.Fatal(list)
	}
	if got := command(t, k, 5, "%goroutines stop "+id[1]); !strings.HasPrefix(got, "CommandError: goroutine ") || !strings.Contains(got, "was asked to stop") {
		t.Error(got)
	}
	command(t, k, 6, "l.Close()")
}

func TestMentions(t *testing.T) {
	for src, want := range map[string][2]bool{
		"Display(1)": {true, false}, "display.Display(1)": {}, "x.Display": {}, `"Display"`: {}, "// Display": {},
		"func Display() {}; Display()": {true, true}, "Display := 1": {true, true}, "var Display int": {false, true},
	} {
		used, declared := magic.Read(src).Mentions("Display")
		if [2]bool{used, declared} != want {
			t.Errorf("%s: %v, %v", src, used, declared)
		}
	}
}

// rewritten is an Output of a front end that can replace a cell's text.
type rewritten struct {
	transcript
	cell string
}

func (r *rewritten) Rewrite(source string) { r.cell = source }

// TestFmt: %fmt replaces the cell's text or prints it, and runs nothing.
func TestFmt(t *testing.T) {
	k := open(t)
	for i, test := range []struct{ src, want string }{
		{"%fmt\nnosuch . f( )\n$ exit 1", "nosuch.f()\n$ exit 1\n"},
		{"\n%fmt \n%%time\nx:=1", "%%time\nx := 1\n"},
		{"%fmt\nimport \"nowhere.example/no/such\"\nx:=1", "import \"nowhere.example/no/such\"\nx := 1\n"},
		{"%fmt\nx:=1\ny:=", "SyntaxError: In[4] line 3: expected operand, found the end of the cell\n    y:=\n       ^\n"},
		{"%fmt\n%nosuch", "SyntaxError: In[5] line 2: unknown command %nosuch (%help lists the commands)\n    %nosuch\n    ^\n"},
		{"%fmt", "SyntaxError: In[6] line 1: %fmt must stand above the code to format\n    %fmt\n    ^\n"},
		{"%fmt -w\nx", "SyntaxError: In[7] line 1: usage: %fmt, with nothing else on the line\n    %fmt -w\n    ^\n"},
		{"x := 1\n%fmt", "SyntaxError: In[8] line 2: %fmt formats the cell instead of running it: put it in the cell's first line\n    %fmt\n    ^\n"},
	} {
		if got := command(t, k, i+1, test.src); got != test.want {
			t.Errorf("%q:\n%s\nwant\n%s", test.src, got, test.want)
		}
	}
	out := &rewritten{}
	if err := k.Execute(t.Context(), engine.Cell{Name: "In[9]", Source: "%fmt\nx:=1"}, out); err != nil || out.cell != "x := 1" || strings.TrimSpace(out.String()) != "" {
		t.Errorf("%v, rewritten to %q, shown %q", err, out.cell, out.String())
	}
}
