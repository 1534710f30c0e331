package kernel

import (
	"context"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/modules"
)

// shed is a module next to the notebook. It has a type for each way in which a value can determine how it is
// shown.
const shed = `// Package tools is the user's own.
package tools

import (
	"errors"
	"fmt"
	"io"
)

type Note struct{ Text string }

func (n Note) HTML() string { return "<b>" + n.Text + "</b>" }

type Name struct{ first, last string }

func (n Name) String() string { return n.last + ", " + n.first }

func NewName(first, last string) Name { return Name{first, last} }

type Drawing struct{ r int }

func (d *Drawing) SVG() (string, error) {
	if d.r < 0 {
		return "", errors.New("negative")
	}
	return fmt.Sprintf("<svg><circle r='%d'/></svg>", d.r), nil
}

func Circle(r int) *Drawing { return &Drawing{r} }

type base struct{ io.WriterTo }

type renderer interface{ Render(w io.Writer) error }

type page struct{ text string }

func (p page) Render(w io.Writer) error { _, err := io.WriteString(w, p.text); return err }

// A Chart gets its method as those of go-echarts do: from an interface in a struct that is
// embedded in it.
type Chart struct {
	rect
	base
}

type rect struct{ renderer }

func NewChart() *Chart { return &Chart{rect: rect{page{"<!DOCTYPE html><html><head></head><body>chart</body></html>"}}} }

type Plain struct {
	Name  string
	Count int
	inner []float64
}

type Row struct {
	City string
	N    int
}

func Rows() []Row { return []Row{{"Oslo", 1}, {"Bergen", 2}} }

type Grid [][]float64

type Fault struct{ Code int }

func (f *Fault) Error() string { return fmt.Sprint("code ", f.Code) }

func Fail() error { return &Fault{7} }

func Wait(c chan int) int { return <-c }

func Deep(n int) int {
	if n == 0 {
		panic("at the bottom")
	}
	return Deep(n-1) + 1
}
`

// TestShown: values of types from packages that run from source are shown in the same way as those of compiled
// packages. Errors in these types are reported with file and line.
func TestShown(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("this needs the go command")
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	t.Setenv("OVERCOMPLETE_MODULES", "")
	dir := t.TempDir()
	testfile.WriteAll(t, dir, map[string]string{"go.mod": "module shed\n\ngo 1.26\n", "tools/tools.go": shed})
	cache := t.TempDir()
	k, err := New(Options{Modules: func([]byte) (Modules, error) {
		return modules.Open(modules.Options{Folder: dir, Cache: cache})
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	run := func(ctx context.Context, src string) (string, error) {
		shown := new(transcript)
		err := k.Execute(ctx, engine.Cell{Name: "In[1]", Source: src}, shown)
		return shown.String(), err
	}
	if out, err := run(context.Background(), "x := 1 // something to lose, so that the package runs from source"); err != nil {
		t.Fatal(out, err)
	}
	for _, test := range []struct{ src, want string }{
		{"import \"shed/tools\"\ntools.Note{\"one\"}", `text/html`},
		{"display.Display(tools.Note{\"two\"})", `text/html`},
		{"tools.NewName(\"Ada\", \"Lovelace\")", `Lovelace, Ada`},
		{"[]tools.Name{tools.NewName(\"Ada\", \"Lovelace\")}", `Lovelace, Ada`},
		{"tools.Circle(3)", `image/svg\+xml`},
		{"tools.NewChart()", `text/html\] <\*tools.Chart, shown as a page>`},
		{"tools.Plain{Name: \"p\", Count: 2}", `\{p 2 \[\]\}`},
		{"tools.Rows()", `text/html`},
		{"tools.Grid{{1, 2}, {3, 4}}", `text/`},
		{"tools.Fail()", `code 7`},
		{"fmt.Printf(\"%v %T\\n\", tools.Fail(), tools.Fail())", `code 7 \*tools.Fault`},
		{"type mine struct{ tools.Note }\nmine{tools.Note{\"three\"}}", `text/html`},
	} {
		src := test.src
		if strings.Contains(src, "fmt.") {
			src = "import \"fmt\"\n" + src
		}
		out, err := run(context.Background(), src)
		if err != nil || !regexp.MustCompile(test.want).MatchString(out) {
			t.Errorf("%s: %v\n%s", test.src, err, out)
		}
	}

	// A picture that cannot be drawn fails its cell.
	if _, err := run(context.Background(), "tools.Circle(-1)"); err == nil || !strings.Contains(err.Error(), "method SVG: negative") {
		t.Error(err)
	}

	// A panic in the module is reported with file and line.
	_, err = run(context.Background(), "tools.Deep(3)")
	e, _ := err.(*engine.Error)
	if e == nil || e.Kind != engine.Panic {
		t.Fatalf("got %v", err)
	}
	text := strings.Join(e.Traceback(), "\n")
	line := 1 + strings.Count(shed[:strings.Index(shed, `panic("at the bottom")`)], "\n")
	for _, want := range []string{"at the bottom", "tools.go", "line " + strconv.Itoa(line), `panic("at the bottom")`, "in tools.Deep", "tools.Deep(3)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}

	// A wait inside the module can be interrupted, and a goroutine in the module is listed.
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	_, err = run(ctx, "tools.Wait(make(chan int))")
	if e, _ := err.(*engine.Error); e == nil || e.Kind != engine.Interrupted {
		t.Error(err)
	}
	out, err := run(context.Background(), "c := make(chan int)\ngo tools.Wait(c)\n")
	if err != nil {
		t.Fatal(out, err)
	}
	out, err = run(context.Background(), "%goroutines")
	if err != nil || !strings.Contains(out, "go tools.Wait(c)") || !strings.Contains(out, "chan receive") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err = run(context.Background(), "%goroutines stop"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
