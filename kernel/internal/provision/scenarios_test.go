package provision

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/modules"
)

var update = flag.Bool("update", false, "rewrite testdata/scenarios.txtar")

const (
	uuid   = "import \"github.com/google/uuid\"\nuuid.New()"
	color  = "import \"github.com/fatih/color\""
	lo     = "import \"github.com/samber/lo\""
	mine   = "import \"example.org/mine/tools\""
	uuidIn = "github.com/google/uuid"
)

func unfit(path, why string) error {
	return &modules.Error{Kind: modules.NotFromSource, What: path, Text: path + " cannot be run from source: " + why}
}

// scenarios lists situations in which cells import other modules. For each, testdata/scenarios.txtar holds
// the output that the user sees and, in brackets, the Provider's calls.
var scenarios = []struct {
	name string
	play func(w *world)
}{
	{"only compiled packages", func(w *world) { w.cells("import \"fmt\"\nfmt.Println(1)", "x := 1") }},
	{"a: the program is known", func(w *world) {
		w.cached = [][]string{{"github.com/fatih/color", uuidIn}}
		w.cells(uuid, color, uuid)
	}},
	{"a: the program may not be run", func(w *world) {
		w.cached = [][]string{{uuidIn, "x"}}
		w.fails["check program("+uuidIn+" x)"] = errors.New("somebody else can write to it")
		w.cells(uuid)
	}},
	{"b: no variables yet", func(w *world) { w.cells(uuid, uuid, color+"\n"+uuid) }},
	{"b: the program cannot replace this one", func(w *world) {
		w.fails["exec"] = errors.New("no")
		w.cells(uuid)
		w.settle()
		w.mod("")
	}},
	{"b: a module does not compile", func(w *world) {
		err := &modules.Error{Kind: modules.NotCompiling, What: uuidIn, Text: uuidIn + " v1.6.0 does not compile", Advice: "another version may: %get github.com/google/uuid@VERSION", Said: "uuid.go:3:2: undefined: x\nuuid.go:9:2: undefined: y"}
		w.fails["compile "+uuidIn] = err
		w.fails["load "+uuidIn] = &engine.Error{Kind: engine.Type, Message: "undefined: x"}
		w.cells(uuid, "x := 1")
	}},
	{"b: nothing compiles here, but it runs from source", func(w *world) {
		w.fails["compile "+uuidIn] = &modules.Error{Kind: modules.Failed, Text: "this program has no source of its own to compile with", Advice: "build it with make"}
		w.cells(uuid, color)
	}},
	{"b: it compiles, and does not run from source", func(w *world) {
		w.fails["sources "+uuidIn] = unfit(uuidIn, "it uses assembly")
		w.cells(uuid)
	}},
	{"c: the session has variables", func(w *world) {
		w.held = "the variable x"
		w.cells(uuid)
		w.settle()
		w.cells(uuid)
		w.mod("")
		w.cells(color)
		w.settle()
		w.mod("")
	}},
	{"c: the compile in the background fails", func(w *world) {
		w.held = "the variable x"
		w.fails["compile "+uuidIn] = errors.New("the disk is full")
		w.cells(uuid)
		w.settle()
		w.cells(uuid)
		w.mod("")
	}},
	{"c: what ran from source is compiled when the session is empty again", func(w *world) {
		w.held = "the variable x"
		w.cells(uuid)
		w.settle()
		w.held = ""
		w.cells(color)
	}},
	{"b: without C code that it has", func(w *world) {
		w.withoutC = []string{uuidIn}
		w.cells(uuid)
	}},
	{"c: without C code that it has", func(w *world) {
		w.withoutC = []string{uuidIn}
		w.held = "the variable x"
		w.cells(uuid)
		w.settle()
		w.cells(color)
	}},
	{"d: it cannot run from source", func(w *world) {
		w.held = "the variables a and b"
		w.fails["sources "+uuidIn] = unfit(uuidIn, "it uses assembly")
		w.cells(uuid, "x := 1")
	}},
	{"d: the interpreter cannot", func(w *world) {
		w.held = "the variable x"
		w.fails["load "+uuidIn] = &engine.Error{Kind: engine.Type, Message: "uuid.go line 3: cannot convert t (*timeType) to *format.TimeType"}
		w.cells(uuid)
	}},
	{"d: what it imports cannot run from source", func(w *world) {
		w.held = "the variable x"
		w.fails["sources "+uuidIn] = &modules.Error{Kind: modules.NotFromSource, What: "golang.org/x/sys/unix", Text: "golang.org/x/sys/unix cannot be run from source: it uses assembly", Advice: "not this"}
		w.cells(uuid)
	}},
	{"d: it cannot run from source, and its program does not start", func(w *world) {
		w.fails["sources "+uuidIn] = unfit(uuidIn, "it uses assembly")
		w.fails["exec"] = errors.New("the program does not start: exit status 2: panic: not with this Go\n\ngoroutine 1 [running]:")
		w.cells(uuid)
	}},
	{"d: its initialisation panics", func(w *world) {
		w.held = "the variable x"
		w.fails["load "+uuidIn] = &engine.Error{Kind: engine.Panic, Message: "nil pointer"}
		w.cells(uuid)
	}},
	{"d: it does not compile either", func(w *world) {
		w.held = "the variable x"
		w.fails["sources "+uuidIn] = unfit(uuidIn, "it uses cgo")
		w.fails["compile "+uuidIn] = &modules.Error{Kind: modules.NeedsCgo, What: uuidIn, Text: uuidIn + " needs cgo", Advice: "%mod cgo on, with a C compiler installed"}
		w.cells(uuid)
	}},
	{"d: no program can be made for a next start", func(w *world) {
		w.options = func(o *Options) { o.Interactive, o.Replaceable = false, false }
		w.begin(nil)
		w.fails["sources "+uuidIn] = unfit(uuidIn, "it uses assembly")
		w.cells(uuid, color)
	}},
	{"d: a system where no program can replace another", func(w *world) {
		w.options = func(o *Options) { o.Replaceable = false }
		w.begin(nil)
		w.fails["sources "+uuidIn] = unfit(uuidIn, "it uses assembly")
		w.cells(uuid, color)
		w.settle()
	}},
	{"generic packages run from source", func(w *world) {
		w.cells(lo, uuid, lo)
		w.mod("")
	}},
	{"generic and other packages in one cell", func(w *world) { w.cells(lo + "; " + uuid) }},
	{"a generic package beside one that cannot run from source", func(w *world) {
		w.fails["sources "+uuidIn] = unfit(uuidIn, "it uses assembly")
		w.cells(lo + "; " + uuid)
	}},
	{"a generic package that cannot run from source", func(w *world) {
		w.fails["load github.com/samber/lo"] = &engine.Error{Kind: engine.Type, Message: "lo.go line 3: cannot do this"}
		w.cells(lo)
	}},
	{"two imports of which one fails", func(w *world) {
		w.held = "the variable x"
		w.fails["sources github.com/fatih/color"] = &modules.Error{Kind: modules.NoPackage, What: "github.com/fatih/color", Text: "there is no package github.com/fatih/color", Advice: "look up its path on pkg.go.dev"}
		w.cells(uuid + "\n" + color)
		w.mod("")
	}},
	{"two imports of which one cannot run from source", func(w *world) {
		w.held = "the variable x"
		w.fails["sources github.com/fatih/color"] = unfit("github.com/fatih/color", "it uses assembly")
		w.cells(uuid + "\n" + color)
	}},
	{"errors of the go command", func(w *world) {
		for _, e := range []*modules.Error{
			{Kind: modules.Off, Text: "imports of other modules are switched off here", Advice: "%mod on"},
			{Kind: modules.NoToolchain, Text: "there is no go command", Advice: "install Go from go.dev/dl"},
			{Kind: modules.NoNetwork, What: uuidIn, Text: "github.com/google/uuid cannot be fetched: no network", Advice: "connect, and run the cell again", Said: "dial tcp: lookup proxy.example.org"},
			{Kind: modules.NotRequired, What: uuidIn, Text: "/home/me/go.mod does not require github.com/google/uuid", Advice: "go get github.com/google/uuid there, or %get github.com/google/uuid@latest for this notebook only"},
		} {
			w.fails["sources "+uuidIn] = e
			w.cells(uuid)
		}
		w.fails["open"] = &modules.Error{Kind: modules.Failed, Text: "/home/me/go.mod line 3: unknown directive"}
		w.provider.opened = nil
		w.cells(uuid)
	}},
	{"not another module's", func(w *world) {
		w.fails["not foreign"] = errors.New("x")
		w.cells("import \"tabwriter\"")
	}},
	{"nothing is fetched for a cell that does not parse", func(w *world) { w.cells(uuid+"\nf(", "%get a.b/c\n)") }},
	{"get", func(w *world) {
		w.cells("%get github.com/google/uuid@latest github.com/fatih/color@v1.0.0", "%get -u github.com/google/uuid\n"+uuid, "x := 1\n%get https://github.com/fatih/color", "%get", "%get -x a", "%get -u")
		w.fails["get"] = &modules.Error{Kind: modules.NoVersion, What: uuidIn, Text: "there is no version v9 of github.com/google/uuid", Advice: "the newest is v1.6.0"}
		w.cells("\n%get github.com/google/uuid@v9")
	}},
	{"get: another version of what runs from source", func(w *world) {
		w.held = "the variable x"
		w.cells(uuid)
		w.settle()
		w.cells("%get github.com/google/uuid@v1.0.0", "%get github.com/google/uuid@v1.0.0")
	}},
	{"get: another version of what is compiled in", func(w *world) {
		w.cells(uuid)
		w.held = "the variable x"
		w.cells("%get github.com/google/uuid@v1.0.0")
		w.mod("")
		w.held = ""
		w.cells("%get github.com/google/uuid@v1.1.0\n"+uuid, uuid)
	}},
	{"a package of the user's has changed", func(w *world) {
		w.held = "the variable x"
		w.cells(mine)
		w.settle()
		w.cells(mine)
		w.changed = []string{"example.org/mine/tools"}
		w.cells("x", mine, mine)
		w.mod("")
		w.mod("reload")
		w.changed = []string{"example.org/mine/tools"}
		w.mod("reload")
		w.mod("reload example.org/mine/tools")
		w.mod("reload fmt")
	}},
	{"a package of the user's has changed, and does not parse", func(w *world) {
		w.held = "the variable x"
		w.fails["broken example.org/mine/tools"] = errors.New("x")
		w.cells(mine)
		w.settle()
		w.changed = []string{"example.org/mine/tools"}
		w.cells(mine)
	}},
	{"a package of the user's has changed, and does not compile", func(w *world) {
		w.held = "the variable x"
		w.cells(mine)
		w.settle()
		w.changed = []string{"example.org/mine/tools"}
		w.fails["load example.org/mine/tools"] = &engine.Error{Kind: engine.Type, Message: "example.org/mine/tools does not compile: tools.go line 12: undefined: t"}
		w.cells(mine)
		delete(w.fails, "load example.org/mine/tools")
		w.cells(mine)
	}},
	{"a package of the user's compiles, and does not run from source", func(w *world) {
		w.held = "the variable x"
		w.fails["load example.org/mine/tools"] = &engine.Error{Kind: engine.Type, Message: "example.org/mine/tools does not compile: tools.go line 12: undefined: pair.Of"}
		w.cells(mine)
	}},
	{"a package of the user's does not compile, and nobody watches", func(w *world) {
		w.options = func(o *Options) { o.Interactive, o.Replaceable = false, false }
		w.begin(nil)
		w.fails["load example.org/mine/tools"] = &engine.Error{Kind: engine.Type, Message: "example.org/mine/deep does not compile: deep.go line 12: undefined: t"}
		w.cells(mine)
	}},
	{"a package of the user's runs from source, though nothing would be lost", func(w *world) {
		w.cells(mine, uuid+"; "+mine)
		w.changed = []string{"example.org/mine/tools"}
		w.cells(mine)
	}},
	{"what a package of the user's imports is compiled, and it runs from source", func(w *world) {
		w.outside = []string{uuidIn, "github.com/samber/lo"}
		w.cells(mine)
		w.changed = []string{"example.org/mine/tools"}
		w.cells(mine)
		w.changed = nil
		w.cells("import \"github.com/fatih/color\"")
	}},
	{"what a package of the user's imports does not compile", func(w *world) {
		w.outside = []string{uuidIn}
		w.fails["compile "+uuidIn] = errors.New("the disk is full")
		w.cells(mine)
	}},
	{"no program takes over for a package of the user's alone", func(w *world) {
		w.cached = [][]string{{"example.org/mine/tools"}}
		w.cells(mine)
	}},
	{"a package of the user's in a notebook that nobody watches", func(w *world) {
		w.options = func(o *Options) { o.Interactive = false }
		w.begin(nil)
		w.cells(mine)
	}},
	{"another version of what every kernel has", func(w *world) {
		const gonum = "import \"gonum.org/v1/gonum/mat\""
		w.bound = append(w.bound, "gonum.org/v1/gonum/mat")
		w.others = map[string]modules.Module{"gonum.org/v1/gonum/mat": {Path: "gonum.org/v1/gonum", Version: "v0.18.0"}}
		w.held = "the variable x"
		w.cells(gonum, gonum)
		w.held = ""
		w.begin(nil)
		w.bound = append(w.bound, "gonum.org/v1/gonum/mat")
		w.cells(gonum)
	}},
	{"another version of what every kernel has, which does not compile", func(w *world) {
		const gota = "import \"github.com/go-gota/gota/dataframe\""
		w.bound = append(w.bound, "github.com/go-gota/gota/dataframe")
		w.others = map[string]modules.Module{"github.com/go-gota/gota/dataframe": {Path: "github.com/go-gota/gota", Replace: "/home/me/gota", Local: true}}
		w.fails["compile github.com/go-gota/gota/dataframe"] = &modules.Error{Kind: modules.NotCompiling, Text: "github.com/go-gota/gota/dataframe does not compile"}
		w.cells(gota, gota)
	}},
	{"a compiled package of the user's has changed", func(w *world) {
		w.fails["sources example.org/mine/tools"] = unfit("example.org/mine/tools", "it uses assembly")
		w.cells(mine)
		w.changed = []string{"example.org/mine/tools"}
		w.cells("x", mine)
		w.held = "the variable x"
		w.changed = []string{"example.org/mine/tools"}
		w.cells(mine, mine)
		w.mod("reload")
		w.changed = []string{"example.org/mine/tools"}
		w.mod("reload")
		w.mod("reload example.org/mine/tools")
	}},
	{"mod", func(w *world) {
		w.mod("")
		w.fails["ruling"] = errors.New("/home/me/go.mod")
		w.cells("%get github.com/samber/lo@v1.0.0", uuid+"; "+color)
		w.mod("")
		w.mod("tidy")
		w.mod("tidy")
		w.mod("off")
		w.mod("on")
		w.t.Setenv(Variable, "off")
		w.mod("on")
		w.mod("cgo on")
		w.mod("cgo off")
		w.fails["modules"] = &modules.Error{Kind: modules.NoNetwork, Text: "no network", Advice: "connect"}
		w.mod("")
	}},
	{"a compiled package from source", func(w *world) {
		w.cells(uuid)
		w.mod("source " + uuidIn)
		w.fails["load "+uuidIn] = &engine.Error{Kind: engine.Type, Message: uuidIn + " cannot be run from source in this session: it is compiled in, and the session uses it"}
		w.mod("source " + uuidIn)
		w.fails["sources "+uuidIn] = unfit(uuidIn, "it uses assembly")
		w.mod("source " + uuidIn)
	}},
	{"the state cannot be kept", func(w *world) {
		w.fails["state"] = errors.New("the state cannot be kept")
		w.cells(uuid)
	}},
}

// cells runs cells.
func (w *world) cells(list ...string) {
	for _, src := range list {
		w.run(context.Background(), src)
	}
}

// mod runs %mod.
func (w *world) mod(args string) {
	w.out.WriteString("--- " + strings.TrimSpace("%mod "+args) + "\n")
	ctx, p := context.Background(), w.provider
	verb, rest, _ := strings.Cut(args, " ")
	var err error
	switch verb {
	case "":
		var l *Listing
		if l, err = p.List(ctx); err == nil {
			for _, r := range l.Rows {
				w.out.WriteString(strings.Join(r, " | ") + "\n")
			}
			w.out.WriteString(strings.Join(l.Notes, "\n") + "\n")
		}
	case "tidy":
		err = p.Tidy(ctx)
	case "reload":
		err = p.Reload(ctx, strings.Fields(rest))
	case "source":
		err = p.Source(ctx, strings.Fields(rest))
	case "off", "on":
		err = p.SetOff(verb == "off")
	case "cgo":
		err = p.SetCgo(rest == "on")
	}
	w.fail(err)
}

// settle waits until the background compile has ended.
func (w *world) settle() {
	w.provider.mu.Lock()
	n := w.provider.next
	w.provider.mu.Unlock()
	for n != nil {
		select {
		case w.allow <- struct{}{}:
		case <-n.ended:
			return
		}
	}
}

func TestScenarios(t *testing.T) {
	const file = "testdata/scenarios.txtar"
	want := map[string]string{}
	got := &txtar.Archive{Comment: []byte("What users see of other modules, and [what is done].\n")}
	if a, err := txtar.ParseFile(file); err == nil {
		for _, f := range a.Files {
			want[f.Name] = string(f.Data)
		}
	} else if !*update {
		t.Fatal(err)
	}
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			w := newWorld(t)
			w.allow = make(chan struct{}) // block the background compile, so that the record has a fixed order
			s.play(w)
			w.settle()
			text := strings.ReplaceAll(w.out.String(), "\r", "\\r")
			text = regexp.MustCompile(` +\n`).ReplaceAllString(text, "\n") // blanks that overwrite a longer line
			got.Files = append(got.Files, txtar.File{Name: s.name, Data: []byte(text)})
			if text != want[s.name] && !*update {
				t.Errorf("got:\n%s\nwant:\n%s", text, want[s.name])
			}
			delete(want, s.name)
			if bytes.Contains([]byte(text), []byte("not there")) {
				t.Error("the text of a nil error")
			}
		})
	}
	if *update {
		testfile.Write(t, file, txtar.Format(got))
	}
}

// TestInterrupt interrupts a cell in each phase: the cell ends at once, the session is unchanged, and the
// next attempt succeeds.
func TestInterrupt(t *testing.T) {
	for _, phase := range []string{"sources " + uuidIn, "load " + uuidIn, "compile " + uuidIn, "get"} {
		for _, held := range []string{"", "the variable x"} {
			t.Run(phase+held, func(t *testing.T) {
				w := newWorld(t)
				w.hidden = true
				w.held = held
				switch {
				case phase == "load "+uuidIn && held == "", phase == "compile "+uuidIn && held != "":
					// Make the earlier way fail, so that the cell reaches this phase.
					w.fails["sources "+uuidIn] = unfit(uuidIn, "no")
					if held == "" {
						delete(w.fails, "sources "+uuidIn)
						w.fails["compile "+uuidIn] = errors.New("no compiler")
					}
				}
				w.blocks, w.blocked = phase, make(chan struct{})
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				go func(reached <-chan struct{}) {
					<-reached
					cancel()
				}(w.blocked)
				w.run(ctx, "%get github.com/google/uuid@v1.6.0\n"+uuid)
				if !strings.Contains(w.out.String(), "Interrupted: "+engine.Stopped) {
					t.Errorf("it shows\n%s", &w.out)
				}
				if len(w.loaded) > 0 || len(w.provider.used) > 0 || len(w.cached) > 0 {
					t.Errorf("left behind: %v %v %v", w.loaded, w.provider.used, w.cached)
				}
				w.blocks, w.fails = "", map[string]error{}
				w.out.Reset()
				w.run(context.Background(), "%get github.com/google/uuid@v1.6.0\n"+uuid)
				if strings.Contains(w.out.String(), "Error") || !(*loader)(w).Importable(uuidIn) {
					t.Errorf("then it shows\n%s", &w.out)
				}
				w.settle()
			})
		}
	}
}

// TestPinsOnce checks that %get lines above a cell are executed once, even if the cell begins again in another
// program, and again when the cell is rerun.
func TestPinsOnce(t *testing.T) {
	w := newWorld(t)
	src := "%get github.com/google/uuid@v1.6.0\n" + uuid
	w.cells(src)
	if n := strings.Count(w.out.String(), "\n%get github.com/google/uuid@v1.6.0\n"); n != 1 {
		t.Errorf("the pin is printed %d times:\n%s", n, &w.out)
	}
	if n := strings.Count(w.out.String(), "[get "); n != 1 {
		t.Errorf("carried out %d times:\n%s", n, &w.out)
	}
	w.cells(src)
	if n := strings.Count(w.out.String(), "[get "); n != 2 {
		t.Errorf("the cell ran twice, and the pin was carried out %d times:\n%s", n, &w.out)
	}
}

// TestProgress checks that a progress line counts the seconds, and that one line remains at the end.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	var text string
	patience.Try(t, func() string {
		out.Reset()
		l := &line{w: &out, now: time.Now, every: 20 * time.Millisecond, quiet: time.Hour}
		l.begin("compiling a.b/c v1.0.0")
		time.Sleep(70 * time.Millisecond)
		l.endWith("compiled it")
		text = out.String()
		if n := strings.Count(text, "\r"); n < 2 || n > 5 {
			return fmt.Sprintf("%d updates: %q", n, text)
		}
		return ""
	})
	if !strings.HasPrefix(text, "compiling a.b/c v1.0.0 ... 0 s\r") || !strings.HasSuffix(text, "\rcompiled it"+strings.Repeat(" ", len("compiling a.b/c v1.0.0 ... 0 s")-len("compiled it"))+"\n") {
		t.Errorf("%q", text)
	}
	out.Reset()
	l := &line{w: &out, now: time.Now, every: time.Hour, quiet: time.Hour}
	l.say("resolving")
	l.end()
	l.end()
	if out.Len() > 0 {
		t.Errorf("what is quick shows %q", &out)
	}
	patience.Try(t, func() string {
		out.Reset()
		l := &line{w: &out, now: time.Now, every: time.Hour, quiet: 10 * time.Millisecond}
		l.say("resolving")
		time.Sleep(50 * time.Millisecond)
		l.end()
		if !strings.HasPrefix(out.String(), "resolving ... 0 s") || !strings.HasSuffix(out.String(), "\n") {
			return fmt.Sprintf("%q", &out)
		}
		return ""
	})
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 1234 * time.Millisecond: "1.2 s", 9 * time.Second: "9 s", 75 * time.Second: "75 s", 125 * time.Second: "2 min 5 s",
	} {
		if got := seconds(d); got != want {
			t.Errorf("%v is %q", d, got)
		}
	}
}

func TestMostlyGeneric(t *testing.T) {
	for dir, want := range map[string]bool{"generic": true, "plain": false, "not there": false} {
		s := engine.Source{Dir: "testdata/" + dir, Files: []string{dir + ".go"}}
		if got := mostlyGeneric(s); got != want {
			t.Errorf("%s: %v", dir, got)
		}
	}
}

// TestClose: Close ends a background compile.
func TestClose(t *testing.T) {
	w := newWorld(t)
	w.hidden, w.held, w.blocks = true, "the variable x", "compile "+uuidIn
	w.cells(uuid)
	w.provider.Close() // otherwise the fake compiler would complain that it is never stopped
}

// TestOneCompile checks that a background compile gives way to a compile for which a cell waits, and
// continues if the other compile is stopped.
func TestOneCompile(t *testing.T) {
	w := newWorld(t)
	w.hidden, w.held = true, "the variable x"
	w.blocks, w.blocked = "compile "+uuidIn, make(chan struct{})
	blocked := w.blocked
	w.cells(uuid)
	<-blocked
	w.mu.Lock()
	w.blocks, w.blocked = "compile github.com/fatih/color", make(chan struct{})
	blocked = w.blocked
	w.mu.Unlock()
	w.fails["sources github.com/fatih/color"] = unfit("github.com/fatih/color", "no")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-blocked
		cancel()
	}()
	w.run(ctx, color)
	w.settle()
	if len(w.cached) != 1 || strings.Join(w.cached[0], " ") != uuidIn {
		t.Errorf("after the interrupt there is %q", w.cached)
	}
	if about := w.provider.aboutNext(); about != "compiled for the next start" {
		t.Error(about)
	}
}

// TestResumeBroken resumes from invalid states.
func TestResumeBroken(t *testing.T) {
	w := newWorld(t)
	for _, state := range []string{"", "[]", "{\"used\": 3}"} {
		if err := w.provider.Resume(context.Background(), []byte(state)); err == nil {
			t.Errorf("%q is a state", state)
		}
	}
}
