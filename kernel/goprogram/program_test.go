package goprogram

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/format"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	_ "overcomplete/cmd/overcomplete/bindings" // for cells that import the library
	"overcomplete/internal/module"
	"overcomplete/internal/nested"
	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel"
	"overcomplete/kernel/headless"
	_ "overcomplete/kernel/internal/bindings"
	"overcomplete/kernel/notebook"
)

var update = flag.Bool("update", false, "write the programs in testdata anew")

const root = "../.."

// options returns options for a program that is built in this checkout.
func options(t testing.TB, name string) Options {
	t.Helper()
	opt := Options{Name: name}
	var err error
	if opt.Source, err = filepath.Abs(root); err != nil {
		t.Fatal(err)
	}
	opt.Source = filepath.ToSlash(opt.Source)
	opt.GoMod = testfile.Read(t, root+"/go.mod")
	opt.GoSum = testfile.Read(t, root+"/go.sum")
	return opt
}

// caseFile returns the cases of testdata. Each has a notebook and the program that is made of it.
func caseFile(t testing.TB) *nested.File {
	t.Helper()
	f, err := nested.Read("testdata/programs.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Archives() {
		if len(c.Files) != 2 || c.Files[0].Name != "notebook" || c.Files[1].Name != "main.go" {
			t.Fatalf("%s is not a notebook and a program", c.Name)
		}
	}
	return f
}

// cases returns the notebooks of testdata, by name.
func cases(t testing.TB) map[string]*notebook.Notebook {
	t.Helper()
	all := map[string]*notebook.Notebook{}
	for _, c := range caseFile(t).Archives() {
		nb, err := cellsOf(string(c.Files[0].Data))
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		all[c.Name] = nb
	}
	return all
}

// cellHead matches the first line of a cell in testdata. The line has the cell's type, unless it is code, and
// its metadata.
var cellHead = regexp.MustCompile(`(?m)^// %%(?: \[(\w+)\])?(?: (\{.*\}))?\n`)

// cellsOf parses a notebook from text that contains the cells one after the other, separated by an empty line.
// Lines of text cells begin with // and a blank.
func cellsOf(text string) (*notebook.Notebook, error) {
	nb := &notebook.Notebook{Minor: 5, Metadata: map[string]any{}, Extra: map[string]any{}}
	heads := cellHead.FindAllStringSubmatch(text, -1)
	for i, source := range cellHead.Split(text, -1)[1:] {
		c := &notebook.Cell{Type: notebook.Code, Source: strings.TrimRight(source, "\n"), Metadata: map[string]any{}, Extra: map[string]any{}}
		if heads[i][1] != "" {
			c.Type = heads[i][1]
			c.Source = regexp.MustCompile(`(?m)^// ?`).ReplaceAllString(c.Source, "")
		}
		if heads[i][2] != "" {
			if err := json.Unmarshal([]byte(heads[i][2]), &c.Metadata); err != nil {
				return nil, err
			}
		}
		nb.Cells = append(nb.Cells, c)
	}
	file, err := nb.Bytes() // assigns ids
	if err != nil {
		return nil, err
	}
	return notebook.Parse(file)
}

// TestGolden compares programs with those in testdata, and checks that Write is deterministic.
func TestGolden(t *testing.T) {
	file, notebooks := caseFile(t), cases(t)
	for _, c := range file.Archives() {
		name, nb := c.Name, notebooks[c.Name]
		opt := options(t, name)
		opt.Source = "../.."
		p, err := Write(nb, opt)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again, err := Write(nb, opt)
		if err != nil || !bytes.Equal(p.Files["main.go"], again.Files["main.go"]) || !bytes.Equal(p.Files["go.mod"], again.Files["go.mod"]) {
			t.Errorf("%s: another program the second time (%v)", name, err)
		}
		got := string(p.Files["main.go"])
		for _, r := range p.Remarks {
			got += "\n// Remark: " + r + "\n"
		}
		got = strings.ReplaceAll(got, module.Path+"/", "MODULE/") // independent of the project's module path
		if *update {
			c.Files[1].Data = []byte(got)
		}
		if sameButLists(string(c.Files[1].Data)) != sameButLists(got) {
			t.Errorf("%s: the program is\n%s", name, got)
		}
	}
	if *update {
		if err := file.Write(); err != nil {
			t.Fatal(err)
		}
	}
}

// sameButLists removes differences in the layout of lists in comments. gofmt of Go 1.26 reformats some lists,
// gofmt of Go 1.27 does not.
func sameButLists(program string) string {
	program = regexp.MustCompile(`(?m)^\s*//\n`).ReplaceAllString(program, "")
	return regexp.MustCompile(`(?m)^(\s*//) +`).ReplaceAllString(program, "$1 ")
}

// smoke lists the project's notebooks that take only seconds at the smallest size.
var smoke = []string{"lecture-pca", "lecture-attention", "demo"}

// TestRun vets and builds the programs of all notebooks of the project and of testdata. It runs the quick programs (of
// the project's quick programs only a third, see patience.LeftOut), and compares their output with the output of the
// kernel.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	notebooks := cases(t)
	paths, _ := filepath.Glob(root + "/notebooks/*.ipynb")
	for _, path := range append(paths, root+"/cmd/overcomplete/testdata/demo.ipynb") {
		nb, err := notebook.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		notebooks[strings.TrimSuffix(filepath.Base(path), ".ipynb")] = nb
	}
	// Use one module, so that shared packages are built only once.
	dir := t.TempDir()
	var shared Module
	for name, nb := range notebooks {
		p, err := Write(nb, options(t, name))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, r := range p.Remarks {
			if strings.Contains(r, "compile") {
				t.Errorf("%s: %s", name, r)
			}
		}
		testfile.Write(t, filepath.Join(dir, name, "main.go"), p.Files["main.go"])
		if len(p.Files["go.sum"]) > len(shared.Sum) {
			shared = Module{p.Files["go.mod"], p.Files["go.sum"]}
		}
	}
	if err := shared.write(dir); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	small := caseFile(t)
	var quick []string // the other programs are only compiled, because linking takes long
	for name := range notebooks {
		if small.Archive(name) != nil || slices.Contains(smoke, name) {
			quick = append(quick, name)
		}
	}
	slices.Sort(quick)
	link := []string{"build", "-o", bin}
	for _, name := range quick {
		link = append(link, "./"+name)
	}
	// The module has all packages that the programs import. But the programs are built in a workspace with the
	// project's module, which would be compiled again if it were a dependency.
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "go.work")
	testfile.Write(t, work, fmt.Sprintf("go %s\n\nuse (\n\t.\n\t%q\n)\n", strings.TrimPrefix(runtime.Version(), "go"), filepath.ToSlash(checkout)))
	alone, together := []string{"GOWORK=off", "GOFLAGS=-mod=mod -trimpath"}, []string{"GOWORK=" + work, "GOFLAGS=-trimpath"}
	for _, c := range []struct{ env, args []string }{
		{alone, []string{"list", "-deps", "./..."}}, {together, []string{"vet", "./..."}}, {together, []string{"build", "./..."}}, {together, link},
	} {
		cmd := exec.Command(goCommand, c.args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), c.env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", c.args[0], err, out)
		}
	}
	for _, name := range quick {
		if slices.Contains(smoke, name) && patience.LeftOut(name) {
			continue
		}
		t.Run(name, func(t *testing.T) { compare(t, filepath.Join(bin, name), notebooks[name]) })
	}
}

// changing matches output that differs between runs: times, and the text around times in the notebooks.
var changing = regexp.MustCompile(`(?s)Seconds:\s*"?[0-9.e+-]+|(time: |[^\n]*per run \(median|of this(?:, | is the loop)|compiled in |note.txt: )[^\n]*\n|[0-9.]+ ?(ns|µs|ms|s)\b`)

// different matches text that differs between the kernel's form of a value and fmt's: quotes and commas, names
// of types and fields, the frame of a matrix.
var different = regexp.MustCompile(`\w+:|\w+\{|mat\.Dense, \d+×\d+|[\s",&{}\[\]⎡⎤⎣⎦]|map\[`)

// dense removes all text that differs between the kernel's form of a value and fmt's.
func dense(s string) string {
	s = changing.ReplaceAllString(withoutSeconds(s), "")
	return different.ReplaceAllString(s, "")
}

// withoutSeconds removes the last column of each table whose last column is named Seconds.
func withoutSeconds(s string) string {
	var out strings.Builder
	timed := false
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\n")
		rest, last := "", line
		if i := strings.LastIndexByte(line, ' '); i >= 0 {
			rest, last = line[:i], line[i+1:]
		}
		_, err := strconv.ParseFloat(last, 64)
		if timed = last == "Seconds" || timed && err == nil; timed {
			line = rest
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

// compare compares the output of a program with the outputs in its notebook.
func compare(t *testing.T, program string, nb *notebook.Notebook) {
	dir := t.TempDir()
	t.Chdir(dir)
	var args []string
	opt := headless.Options{New: headless.Here(func() (headless.InProcess, error) { return kernel.New(kernel.Options{}) }), Out: filepath.Join(dir, "out.ipynb"), Progress: io.Discard}
	if slices.Contains(smoke, filepath.Base(program)) {
		opt.Set = []headless.Assignment{{Name: "size", Text: "smoke"}}
		args = []string{"-size", "smoke"}
	}
	path := filepath.Join(dir, "in.ipynb")
	if err := nb.Write(path); err != nil {
		t.Fatal(err)
	}
	if _, err := headless.Run(context.Background(), path, opt); err != nil {
		t.Fatal(err)
	}
	ran, err := notebook.Read(opt.Out)
	if err != nil {
		t.Fatal(err)
	}
	pictures := 0
	for _, c := range ran.Cells {
		for _, o := range c.Outputs {
			data, _ := o["data"].(map[string]any)
			text, _ := data["text/plain"].(string)
			if (data["image/svg+xml"] != nil || data["image/png"] != nil) && !strings.HasPrefix(text, "plot") { // gonum's plots are drawn by the kernel alone
				pictures++
			}
		}
	}
	if pictures > 0 {
		args = append(args, "-figures", "pictures")
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "pictures", "figure-*.*")); len(files) != pictures {
		t.Errorf("%d pictures in the notebook, %d files: %v", pictures, len(files), files)
	}
	rest := dense(string(out))
	for i, c := range ran.Cells {
		for _, o := range c.Outputs {
			text := ""
			switch o.Type() {
			case notebook.Stream:
				if o["name"] == "stdout" {
					text, _ = o["text"].(string)
				}
			case notebook.ExecuteResult, notebook.DisplayData:
				data, _ := o["data"].(map[string]any)
				text, _ = data["text/plain"].(string)
				if strings.Contains(text, "VERDICT") || strings.Contains(text, "name  type") || strings.Contains(text, "parameter  type") {
					continue // these cells print times, or the output of %who and %params
				}
			}
			want := dense(text)
			at := strings.Index(rest, want)
			if at < 0 {
				t.Errorf("cell %d (%s) shows\n%s\nwhich the program does not print behind the cell before it; it goes on\n%.300s", i+1, c.Source, text, rest)
				continue
			}
			rest = rest[at+len(want):]
		}
	}
}

// TestPackage writes a package instead of a program.
func TestPackage(t *testing.T) {
	opt := options(t, "guarded")
	opt.Package = "exercises"
	p, err := Write(cases(t)["guarded"], opt)
	if err != nil {
		t.Fatal(err)
	}
	text := string(p.Files["exercises.go"])
	if mod := string(p.Files["go.mod"]); !strings.HasPrefix(mod, "module exercises\n") {
		t.Errorf("go.mod is\n%s", mod)
	}
	if len(p.Files) > 3 || !strings.Contains(text, "\npackage exercises\n") || !strings.Contains(text, "\nfunc Run(solutions bool, seed uint64) {\n") || strings.Contains(text, "flag.") {
		t.Errorf("%d files:\n%s", len(p.Files), text)
	}
}

// TestFormatted: a cell that the kernel only formats becomes a comment.
func TestFormatted(t *testing.T) {
	p, err := Write(&notebook.Notebook{Cells: []*notebook.Cell{
		{Type: notebook.Code, Source: "%fmt\npanic(1)"},
		{Type: notebook.Code, Source: "2"},
	}}, Options{Name: "formatted"})
	if err != nil {
		t.Fatal(err)
	}
	if text := string(p.Files["main.go"]); !strings.Contains(text, "// panic(1)") || strings.Contains(text, "\tpanic(1)") {
		t.Errorf("the program is\n%s", text)
	}
}

func ExampleWrite() {
	p, err := Write(&notebook.Notebook{Cells: []*notebook.Cell{
		{Type: notebook.Markdown, Source: "# Squares"},
		{Type: notebook.Code, Source: "func square(x int) int { return x * x }\nn := 3"},
		{Type: notebook.Code, Source: "square(n)"},
	}}, Options{Name: "squares"})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s", p.Files["main.go"])
	// Output:
	// // Squares is the notebook of that name, written by 'overcomplete export --go'.
	// //
	// // # Squares
	// package main
	//
	// import (
	// 	"fmt"
	// )
	//
	// func square(x int) int { return x * x }
	//
	// func main() {
	// 	n := 3
	//
	// 	// Cell 3.
	// 	fmt.Println(square(n))
	// }
}

// TestDisplayWithoutPackage: notebooks of gophernotes call Display without a package name. The kernel allows
// that, so the program must allow it too.
func TestDisplayWithoutPackage(t *testing.T) {
	for _, c := range []struct {
		cells    []string
		provided bool
	}{
		{[]string{"x := 1", "Display(x)", "Display(x + 1)"}, true},
		{[]string{"func Display(v any) error { return nil }", "Display(1)"}, false},
		{[]string{"display.Display(1)"}, false},
	} {
		nb := &notebook.Notebook{}
		for _, s := range c.cells {
			nb.Cells = append(nb.Cells, notebook.NewCode(s))
		}
		p, err := Write(nb, options(t, "shows"))
		if err != nil {
			t.Fatal(err)
		}
		text := string(p.Files["main.go"])
		if p.Faulty || strings.Count(text, "return display.Display(v)") != map[bool]int{true: 1, false: 0}[c.provided] {
			t.Errorf("%q: %v\n%s", c.cells, p.Remarks, text)
		}
	}
}

// FuzzWrite: Write turns any cells into a program of formatted Go, or returns an error. The cells are the parts
// of the fuzzed text.
func FuzzWrite(f *testing.F) {
	for _, nb := range cases(f) {
		var cells []string
		for _, c := range nb.Cells {
			if c.Type == notebook.Code {
				cells = append(cells, c.Source)
			}
		}
		f.Add(strings.Join(cells, "\n\x00\n"), false)
	}
	f.Add("x, y := 1, 2\n\x00\nfunc f() int { return x }\n\x00\ny := \"a\"; y", true)
	f.Add("var x, y = 1, 2\n\x00\nfunc f() int { return x }\n\x00\nvar x int; x, z := 1, 2", false)
	f.Fuzz(func(t *testing.T, text string, solution bool) {
		nb := &notebook.Notebook{}
		for i, s := range strings.Split(strings.ToValidUTF8(text, "?"), "\x00") { // JSON stores text in this form
			c := notebook.NewCode(s)
			if solution && i%2 == 1 {
				c.SetTags(tagSolution)
			}
			nb.Cells = append(nb.Cells, c)
		}
		p, err := Write(nb, Options{Name: "fuzz"})
		if err != nil {
			if strings.Contains(err.Error(), "would not be Go") {
				t.Fatalf("%v\n%s", err, text)
			}
			return
		}
		got := p.Files["main.go"]
		if again, err := format.Source(got); err != nil || string(again) != string(got) {
			t.Fatalf("%v, not formatted:\n%s", err, got)
		}
	})
}
