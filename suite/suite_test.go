package suite

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"overcomplete/data"
	"overcomplete/internal/module"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
)

// book returns a notebook of code cells. A source that begins with # becomes a text cell.
func book(sources ...string) *notebook.Notebook {
	nb := &notebook.Notebook{}
	for i, s := range sources {
		c := notebook.NewCode(s)
		c.ID = "c" + string(rune('a'+i))
		if i == 0 {
			c.SetTags("parameters")
		}
		if strings.HasPrefix(s, "#") {
			c.Type = notebook.Markdown
		}
		nb.Cells = append(nb.Cells, c)
	}
	return nb
}

const (
	paramCell = "size := \"lecture\" // or another\nseed := 1"
	openCell  = "import (\n\t\"fmt\"\n\t\"overcomplete/paper/toy\"\n)\nlab, err := toy.New(size, uint64(seed))\nif err != nil {\n\tpanic(err)\n}"
)

func TestCells(t *testing.T) {
	for _, c := range []struct {
		cell    string
		name    string // name of the experiment, "" for a plain cell
		needing string // the cells that this cell needs
	}{
		{"lab.Table1()", "toy-table1", "0 1"},
		{"lab.Table1();", "toy-table1", "0 1"},
		{"t := lab.KMeansTable(3, n)\nt\nt.Figure", "toy-k-means-table", "0 1 2"},
		{"display.Display(lab.Table1().Figure)", "toy-table1", "0 1"},
		{"curve.Figure()", "toy-curve", "0 1 4"},
		{"curve.Figure(m)", "toy-curve", "0 1 3 4"},
		{"display.Display(curve.Figure)\ncurve", "toy-curve", "0 1 4"},
		{"lab.Table1(func() int { return 1 })", "", "0 1"},
		{"lab.Table1(f())", "", "0 1"},
		{"fmt.Println(lab.Table1())", "", "0 1"},
		{"x := 1", "", ""},
		{"n", "", "2"},
		{"lab.Table1()\nfmt.Println(1)", "", "0 1"},
		{"import \"math\"\nlab.Table1()", "", "0 1"},
		{"if err := lab.Finish(); err != nil {\n\tpanic(err)\n}", "", "0 1"},
		{"m++", "", "3"},
		{"%who\nlab.Table1()", "", "0 1 2 3 4"},
		{"not go at all", "", "0 1 2 3 4"},
		{"", "none", ""},
	} {
		nb := book(paramCell, openCell, "n := 2", "m := 2\nm = 3", "curve := lab.Curve()", c.cell)
		cells := read(nb)
		if c.name == "none" {
			if len(cells) != 5 {
				t.Errorf("an empty cell counts")
			}
			continue
		}
		got := nameAll(cells)[5]
		if got != c.name {
			t.Errorf("%q is %q, want %q", c.cell, got, c.name)
		}
		var list []string
		for _, j := range needs(cells, 5) {
			list = append(list, string(rune('0'+j)))
		}
		if needing := strings.Join(list, " "); needing != c.needing {
			t.Errorf("%q needs %q, want %q", c.cell, needing, c.needing)
		}
	}
	cells := read(book(paramCell, openCell, "lab.Steps = 10", "lab.Table1()", "lab.Table1()"))
	if got := needs(cells, 3); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("needs %v", got)
	}
	if names := nameAll(cells); names[3] != "toy-table1" || names[4] != "toy-table1-2" {
		t.Errorf("%q", names)
	}
}

func TestKebab(t *testing.T) {
	for s, want := range map[string]string{"Table2": "table2", "LetterSearch": "letter-search", "KMeansLoss": "k-means-loss", "SVD": "svd", "SVDSteps": "svd-steps", "Figure1Left": "figure1-left"} {
		if got := kebab(s); got != want {
			t.Errorf("%s is %s, want %s", s, got, want)
		}
	}
}

func TestFind(t *testing.T) {
	targets := []Target{{Name: "bradley-table1"}, {Name: "bradley-table2"}, {Name: "lewicki-noise"}}
	if x, err := Find(targets, "bradley-table2"); err != nil || x != targets[1] {
		t.Errorf("%+v, %v", x, err)
	}
	if _, err := Find(targets, "bradley-table9"); err == nil || !strings.Contains(err.Error(), "bradley-table2") {
		t.Errorf("%v", err)
	}
	if _, err := Find(targets, "x"); err == nil || !strings.Contains(err.Error(), "lewicki-…") {
		t.Errorf("%v", err)
	}
}

// project makes a small project.
func project(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                           "module " + module.Path + "\n\ngo 1.26\n",
		"go.sum":                           "",
		"kernel/kernel.go":                 "package kernel\n\nfunc New() {}\n",
		"kernel/internal/render/render.go": "package render\n\nfunc Render() {}\n",
		"paper/toy/lab.go": `package toy

type Lab struct{ Steps int }

func New(size string, seed uint64) (*Lab, error) { return &Lab{}, nil }

// Table1 is an experiment.
func (l *Lab) Table1() int { return one() }

func (l *Lab) Table2() int { return 2 }

var Steps int

func Use(n int) { Steps = n }

func (l *Lab) Options() *Lab { return l }
`,
		"paper/toy/one.go": "package toy\n\nfunc one() int { return 1 }\n",
	} {
		write(t, filepath.Join(root, name), text)
	}
	return root
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// A process answers the calls to a kernel's process within the test's process.
type process struct {
	headless.Kernel
	calls map[string]func(string) (string, error)
}

func (p process) Call(name, in string) (string, error) { return p.calls[name](in) }

// openToy opens the suite of a small project with a paper that declares two experiments.
func openToy(root, cache string) *Suite {
	s := OpenIn(root, cache)
	s.data[module.Package("paper/toy")] = []string{"Faces"}
	for _, fun := range []string{"Table1", "Table2"} {
		name := strings.ToLower(fun)
		s.experiments = append(s.experiments, declaredExperiment{pkg: module.Package("paper/toy"), fun: fun, call: "lab." + fun + "()", notebook: "toy", name: name, target: "toy-" + name})
	}
	return s
}

// A session runs a notebook of a small project. Its two experiments each add a row and a figure, and the first uses a
// data set and a file. The session records which experiments ran.
type session struct {
	root, cache string
	nb          *notebook.Notebook
	process     process
	set         []headless.Assignment
	opt         Options
	said        string
	rows        []string
	// fail holds the sources of cells that fail. If an experiment's cell fails, it first adds a row.
	fail map[string]bool
	// learn makes table1 write the file trained.mat, which table2 also reads.
	learn string
	after func(c *notebook.Cell) // called after each cell that runs; may be nil
	// unwritten is set if table2 does not write its figure.
	unwritten bool
	notebook  string // name of the notebook; "" means toy
}

func (s *session) run(t *testing.T) (ran []string) {
	t.Helper()
	run, err := record.StartIn(s.root, "toy", record.Lecture, 1)
	if err != nil {
		t.Fatal(err)
	}
	s.said = ""
	m := openToy(s.root, s.cache).Memory("notebooks/"+cmp.Or(s.notebook, "toy")+".ipynb", s.opt, func(text string) { s.said += text })
	defer m.End()
	if err := m.Begin(s.nb, s.set); err != nil {
		t.Fatal(err)
	}
	for _, c := range s.nb.Cells {
		if c.Type != notebook.Code {
			continue
		}
		if past := m.Recall(s.process, c); past.Skip {
			if past.Outputs != nil && past.Outputs[0].Text() != "shows "+c.Source {
				t.Errorf("%s: %v", c.Source, past.Outputs)
			}
			continue
		}
		if strings.HasPrefix(c.Source, "lab.Table") {
			name := strings.ToLower(c.Source[4:10])
			ran = append(ran, name)
			row := record.Row{ID: name, What: name, Measured: record.Number(1, ""), Rule: record.AtLeast(0), Data: record.Generated("x"), Figure: name}
			if s.fail[c.Source] {
				row.Figure = ""
			}
			if err := run.Add(row); err != nil {
				t.Fatal(err)
			}
			if s.fail[c.Source] {
				continue
			}
			if path := run.Figure(name, name); name == "table1" || !s.unwritten {
				write(t, path+".svg", "<svg>"+name+"</svg>")
			}
			if s.learn != "" {
				path := filepath.Join(s.root, "trained.mat")
				if name == "table1" {
					write(t, path, s.learn)
				}
				if err := run.UseFile(path); err != nil {
					t.Fatal(err)
				}
			} else if name == "table1" {
				if f, err := data.Open("mnist", ""); err == nil {
					f.Close()
				}
				if err := run.UseFile(filepath.Join(s.root, "trained.mat")); err != nil {
					t.Fatal(err)
				}
			}
		}
		if s.fail[c.Source] {
			continue
		}
		c.Outputs = []notebook.Output{notebook.NewStream("stdout", "shows "+c.Source)}
		if s.after != nil {
			s.after(c)
		}
		m.Keep(s.process, c, headless.Cost{Wall: 1500 * time.Millisecond, Processor: 2 * time.Second})
	}
	s.rows = nil
	for _, r := range run.Rows() {
		s.rows = append(s.rows, r.ID)
	}
	if s.unwritten {
		return ran
	}
	if err := run.Finish(); err != nil {
		t.Error(err)
	}
	return ran
}

func TestMemory(t *testing.T) {
	t.Setenv(data.Variable, "")
	s := &session{root: project(t), cache: t.TempDir(), process: process{calls: Calls()},
		nb: book(paramCell, openCell, "lab.Table1()", "lab.Table2()", "if err := lab.Finish(); err != nil {\n\tpanic(err)\n}")}
	lab, one := filepath.Join(s.root, "paper/toy/lab.go"), filepath.Join(s.root, "paper/toy/one.go")
	edit := func(path, from, to string) func() {
		return func() {
			b, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(b), from) {
				t.Fatal(path, from, err)
			}
			write(t, path, strings.Replace(string(b), from, to, 1))
		}
	}
	kept := func(target string) []string {
		list, err := filepath.Glob(filepath.Join(s.cache, "toy", target, "*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	both := []string{"table1", "table2"}
	for _, c := range []struct {
		name string
		do   func()
		ran  []string
		said string
	}{
		{"the first time", func() {}, both, "there is no result yet"},
		{"again", func() {}, nil, "0 experiments run, 2 are kept"},
		{"a comment", edit(lab, "an experiment", "the experiment"), nil, ""},
		{"code", edit(one, "return 1", "return 1 + 0"), both[:1], "code changed: paper/toy/one.go"},
		{"code that both reach", edit(lab, "return &Lab{}, nil", "return new(Lab), nil"), both, "code changed: paper/toy/lab.go"},
		{"back again", edit(lab, "return new(Lab), nil", "return &Lab{}, nil"), nil, ""},
		{"a parameter", func() { s.set = []headless.Assignment{{Name: "seed", Text: "2"}} }, both, "there is no result yet with these parameters"},
		{"the parameter again", func() {}, nil, ""},
		{"no parameter", func() { s.set = nil }, nil, ""},
		{"a comment in the parameters", func() { s.nb.Cells[0].Source = "seed := 1\nsize := \"lecture\"" }, nil, ""},
		{"a file", func() { write(t, filepath.Join(s.root, "trained.mat"), "1") }, both, "file arrived: trained.mat"},
		{"another", func() { write(t, filepath.Join(s.root, "trained.mat"), "2") }, both, "file changed: trained.mat"},
		{"none", func() { os.Remove(filepath.Join(s.root, "trained.mat")) }, nil, ""},
		{"data", func() {
			dir := t.TempDir()
			set, _ := data.Find("mnist")
			write(t, filepath.Join(dir, set.Files[0].Name), "")
			t.Setenv(data.Variable, dir)
		}, both, "data arrived: mnist"},
		{"no data", func() { t.Setenv(data.Variable, "") }, nil, ""},
		{"fresh", func() { s.opt.Fresh = true }, both, "--fresh"},
		{"for the record", func() { s.opt.Fresh, s.opt.Committed = false, true }, both, "names no commit"},
		{"a damaged figure", func() {
			s.opt.Committed = false
			for _, f := range kept("table1") {
				write(t, filepath.Join(f, "table1.svg"), "<svg>other</svg>")
			}
		}, both[:1], "table1.svg is damaged"},
		{"a damaged entry, and one that was begun", func() {
			for _, f := range kept("table2") {
				write(t, filepath.Join(f, entryName), "{")
				write(t, filepath.Join(filepath.Dir(f), ".new-1", "x"), "")
			}
		}, both[1:], "there is no result yet"},
		{"a cell that is not declared", func() { s.nb.Cells[3].Source = "lab.Table2(1)" }, both[1:], "the declaration is lab.Table2()"},
		{"and never kept", func() {}, both[1:], "the declaration is lab.Table2()"},
		{"a lab that is changed", func() { s.nb.Cells[3].Source, s.nb.Cells[1].Source = "lab.Table2()", openCell+"\nlab.Steps = 3" }, both, "must only open the lab"},
		{"as it was", func() { s.nb.Cells[1].Source = openCell }, nil, ""},
		{"source that cannot be read", edit(one, "func", "fun"), both, "one.go"},
		{"and is left so", func() {}, both, "one.go"},
	} {
		c.do()
		ran := s.run(t)
		if !slices.Equal(ran, c.ran) || !strings.Contains(s.said, c.said) {
			t.Errorf("%s: ran %v, want %v; said\n%s", c.name, ran, c.ran, s.said)
		}
		if !slices.Equal(s.rows, both) {
			t.Errorf("%s: rows %v", c.name, s.rows)
		}
	}
	for _, target := range []string{"table1", "table2"} {
		by := map[string]int{}
		for _, f := range kept(target) {
			if filepath.Base(f) == ".new-1" {
				continue // belongs to another process, of today
			}
			by[filepath.Dir(f)]++
		}
		for dir, n := range by {
			if n > most {
				t.Errorf("%d results in %s", n, dir)
			}
		}
	}
}

func newSession(t *testing.T, cells ...string) *session {
	t.Helper()
	t.Setenv(data.Variable, "")
	return &session{root: project(t), cache: t.TempDir(), process: process{calls: Calls()}, nb: book(cells...)}
}

// ran checks which experiments ran.
func (s *session) ran(t *testing.T, what string, want ...string) {
	t.Helper()
	if got := s.run(t); !slices.Equal(got, want) {
		t.Errorf("%s: ran %v, want %v; said\n%s", what, got, want, s.said)
	}
}

// A result is kept only if a declared experiment produced it, on a lab that no other cell has touched.
func TestKept(t *testing.T) {
	const table = "lab.Table1()"
	for _, c := range []struct {
		name  string
		cells []string // the last cell is the experiment's
		why   string   // why nothing is kept, "" if a result is kept
	}{
		{"nothing else", []string{paramCell, openCell, table}, ""},
		{"plain cells", []string{paramCell, openCell, "x := 1\nx++", "fmt.Println(x)", table}, ""},
		{"files and the clock", []string{paramCell, openCell, "import (\n\"os\"\n\"time\"\n)\nb, _ := os.ReadFile(\"f\")\nt := time.Now()", table}, ""},
		{"another experiment", []string{paramCell, openCell, "lab.Table2()", table}, ""},
		{"a parameter that it does not have", []string{paramCell + "\nother := 1", openCell, table}, ""},
		{"a control", []string{paramCell, openCell, "import \"overcomplete/ui/widget\"\nwidget.Interact(func(k int) any {\n\treturn k\n}, widget.IntSlider(\"k\", 1, 9, 1))", table}, ""},
		{"a check", []string{paramCell, openCell, "import \"overcomplete/kernel-helpers/check\"\ncheck.Close(1, 1)", table}, ""},
		{"data", []string{paramCell, openCell, "X := lab.Faces()\nX.Set(0, 0, 1)\nfmt.Println(lab.Faces().At(0, 0))", "faces := lab.Faces()", table}, ""},
		{"what comes after it", []string{paramCell, openCell, table, "lab.Steps = 3"}, ""},

		{"an argument", []string{paramCell, openCell, "lab.Table1(3)"}, "the declaration is lab.Table1()"},
		{"how many files there are", []string{paramCell, openCell, "import \"path/filepath\"\nfiles, _ := filepath.Glob(\"*\")\nn := len(files)", "lab.Table1(n)"}, "the declaration is lab.Table1()"},
		{"what an archive has", []string{paramCell, openCell, "import \"archive/zip\"\nr, _ := zip.OpenReader(\"x.zip\")", "lab.Table1(r.Comment)"}, "the declaration is lab.Table1()"},
		{"the clock", []string{paramCell, openCell, "import \"time\"\nn := time.Now().Nanosecond()", "lab.Table1(n)"}, "the declaration is lab.Table1()"},
		{"the environment", []string{paramCell, openCell, "import \"os\"\nn := len(os.Getenv(\"N\"))", "lab.Table1(n)"}, "the declaration is lab.Table1()"},
		{"chance", []string{paramCell, openCell, "import \"math/rand/v2\"\nn := rand.IntN(9)", "lab.Table1(n)"}, "the declaration is lab.Table1()"},
		{"a goroutine's number", []string{paramCell, openCell, "c := make(chan int)\ngo func() { c <- 2 }()\nn := <-c", "lab.Table1(n)"}, "the declaration is lab.Table1()"},
		{"a function that reads a file", []string{paramCell, openCell, "import \"os\"\nfunc lines() int {\n\tb, _ := os.ReadFile(\"f\")\n\treturn len(b)\n}", "n := lines()", "lab.Table1(n)"}, "the declaration is lab.Table1()"},
		{"an undeclared experiment", []string{paramCell, openCell, "lab.Table3()"}, "toy does not declare Table3"},
		{"two at once", []string{paramCell, openCell, "lab.Table1()\nlab.Table2()"}, "only results of declared"},
		{"an undeclared one before", []string{paramCell, openCell, "lab.Faster()", table}, "the earlier cell cc uses lab"},
		{"another size", []string{paramCell, strings.Replace(openCell, "size", "\"smoke\"", 1), table}, "must only open the lab"},
		{"a size from a file", []string{"import \"os\"\nb, _ := os.ReadFile(\"f\")\nsize, seed := string(b), 1", openCell, table}, "the cell ca may change the size"},
		{"a size set twice", []string{"size, seed := \"smoke\", 1\nsize = \"full\"", openCell, table}, "the cell ca may change the size"},
		{"a size of a later cell", []string{paramCell, "size = \"full\"", openCell, table}, "may change the size"},
		{"the address of the size", []string{paramCell, "p := &size\n*p = \"full\"", openCell, table}, "may change the size"},
		{"the function of the data", []string{paramCell, openCell, "f := lab.Faces", table}, "the earlier cell cc uses lab"},
		{"data, and more", []string{paramCell, openCell, "X := lab.Faces()\nlab.X = X", table}, "the earlier cell cc uses lab"},
		{"a setting in the first cell", []string{paramCell, openCell + "\nlab.Steps = 3", table}, "must only open the lab"},
		{"a field", []string{paramCell, openCell, "lab.Steps = 3", table}, "the earlier cell cc uses lab"},
		{"another name of the lab", []string{paramCell, openCell, "l := lab", "l.Steps = 3", table}, "the earlier cell cc uses lab"},
		{"a part of the lab", []string{paramCell, openCell, "o := lab.Options()\nfmt.Print(o)", "o.Steps = 3", table}, "the earlier cell cc uses lab"},
		{"a loop", []string{paramCell, openCell, "for _, o := range lab.All {\n\to.Steps = 3\n}", table}, "the earlier cell cc uses lab"},
		{"the lab handed on", []string{paramCell, openCell, "tune := func(l *toy.Lab) { l.Steps = 3 }", "tune(lab)", table}, "the earlier cell cd uses lab"},
		{"a function", []string{paramCell, openCell, "func tune(n int) { lab.Steps = n }", "tune(2)", table}, "the earlier cell cc uses lab"},
		{"a method", []string{paramCell, openCell, "type T int\nfunc (t T) Tune(n int) { lab.Steps = n }", table}, "the earlier cell cc uses lab"},
		{"a control that sets", []string{paramCell, openCell, "import \"overcomplete/ui/widget\"\nwidget.Interact(func(k int) any {\n\tlab.Steps = k\n\treturn k\n}, widget.IntSlider(\"k\", 1, 9, 1))", table}, "the earlier cell cc uses lab"},
		{"a goroutine that sets", []string{paramCell, openCell, "go func() { lab.Steps = 3 }()", table}, "the earlier cell cc uses lab"},
		{"a method value", []string{paramCell, openCell, "tune := lab.Faster", "tune()", table}, "the earlier cell cc uses lab"},
		{"another lab", []string{paramCell, openCell, "own, _ := toy.New(size, 2)\nown.Steps = 3", table}, "opens another lab of toy"},
		{"another lab of that name", []string{paramCell, openCell, "lab, err = toy.New(size, 2)", table}, "must only open the lab"},
		{"a variable of a package", []string{paramCell, openCell, "toy.Steps = 3", table}, "may set a package's variable"},
		{"its address", []string{paramCell, openCell, "p := &toy.Steps\n*p = 3", table}, "may set a package's variable"},
		{"a function of a package", []string{paramCell, openCell, "toy.Use(3)", table}, "may set a package's variable"},
		{"a function of a package in a goroutine", []string{paramCell, openCell, "go toy.Use(3)", table}, "may set a package's variable"},
		{"a deferred function of a package", []string{paramCell, openCell, "func() { defer toy.Use(3) }()", table}, "may set a package's variable"},
		{"a function of a package in a function", []string{paramCell, openCell, "func tune() { toy.Use(3) }", "tune()", table}, "may set a package's variable"},
		{"a command", []string{paramCell, openCell, "%who", table}, "it is unknown what the earlier cell cc does"},
		{"all names of a package", []string{paramCell, openCell, "import . \"overcomplete/paper/toy\"", table}, "it is unknown what the earlier cell cc does"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSession(t, c.cells...)
			first := s.run(t)
			again := s.run(t)
			if c.why == "" {
				if len(first) == 0 || len(again) > 0 {
					t.Errorf("ran %v, then %v; said\n%s", first, again, s.said)
				}
				return
			}
			if !slices.Equal(first, again) || !strings.Contains(s.said, c.why) {
				t.Errorf("ran %v, then %v; said\n%s\nwant %s", first, again, s.said, c.why)
			}
			// The first run must leave no entries that the declared experiment would use as its own.
			for _, name := range []string{"table1", "table3"} {
				list, err := filepath.Glob(filepath.Join(s.cache, "toy", name, "*", "*", entryName))
				if err != nil || len(list) > 0 {
					t.Errorf("kept %v, %v", list, err)
				}
			}
		})
	}
}

// A cell that shows more of an experiment's result is kept together with that result.
func TestShowsMore(t *testing.T) {
	for between, kept := range map[string]bool{"x := 1": true, "t.Rows[0] = 1": false, "fmt.Println(t)": false} {
		nb := book(paramCell, openCell, "t := lab.Table1()\nt", between, "t.Figure")
		s := openToy(project(t), t.TempDir())
		p, err := s.Plan(nb, "toy", nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if st := p.Steps[4]; (st.place != "") != kept {
			t.Errorf("after %q: %+v", between, st)
		}
	}
}

// If a cell changes its process, by any means, the experiments after it run.
func TestSurroundings(t *testing.T) {
	s := newSession(t, paramCell, openCell, "x := 1", "lab.Table1()", "lab.Table2()")
	s.ran(t, "first", "table1", "table2")
	s.ran(t, "again")
	surroundings := "as it began"
	s.process.calls[callSurroundings] = func(string) (string, error) { return surroundings, nil }
	s.after = func(c *notebook.Cell) {
		if c.ID == "cc" {
			surroundings = "another"
		}
	}
	s.ran(t, "a cell changes the environment", "table1", "table2")
	if !strings.Contains(s.said, "environment") {
		t.Error(s.said)
	}
	s.after = nil
	s.ran(t, "no cell changes it")
	s.nb.Cells = slices.Delete(s.nb.Cells, 2, 3)
	os.RemoveAll(s.cache)
	surroundings = "as it began"
	s.after = func(c *notebook.Cell) { surroundings = c.ID }
	s.ran(t, "a cell changes it before anything is kept", "table1", "table2")
	if list, err := filepath.Glob(filepath.Join(s.cache, "toy", "*", "*", "*", entryName)); err != nil || len(list) > 0 {
		t.Errorf("kept %v, %v", list, err)
	}
}

// Results that a cell added before it failed do not belong to the next cell.
func TestFailed(t *testing.T) {
	s := newSession(t, paramCell, openCell, "n := 1", "lab.Table1()", "lab.Table2()")
	s.fail = map[string]bool{"lab.Table1()": true, "n := 1": true}
	s.ran(t, "a cell fails", "table1", "table2")
	s.fail = nil
	list, _ := filepath.Glob(filepath.Join(s.cache, "toy", "table2", "*", "*", entryName))
	if len(list) != 1 {
		t.Fatalf("kept: %v", list)
	}
	if b, err := os.ReadFile(list[0]); err != nil || strings.Contains(string(b), "table1") {
		t.Errorf("the result of table2 has rows of table1, which failed: %v\n%s", err, b)
	}
	s.ran(t, "no cell fails", "table1")
	s = newSession(t, paramCell, openCell, "lab.Table1()")
	s.fail = map[string]bool{openCell: true}
	s.ran(t, "the lab is not opened", "table1")
	if !strings.Contains(s.said, "the cell cb, which it needs, failed") {
		t.Errorf("said\n%s", s.said)
	}
}

// An experiment that runs replaces a file that a kept experiment had read.
func TestFileMadeMeanwhile(t *testing.T) {
	s := newSession(t, paramCell, openCell, "lab.Table1()", "lab.Table2()")
	s.learn = "one"
	s.ran(t, "first", "table1", "table2")
	s.ran(t, "again")
	s.learn = "two"
	s.opt.Fresh, s.opt.Only = true, []string{"toy-table1"}
	s.ran(t, "learnt anew", "table1", "table2")
	if !strings.Contains(s.said, "table2 also runs: file changed: trained.mat") {
		t.Errorf("said\n%s", s.said)
	}
	// Cells may still hold the old content of the file, so the experiment runs once more, and then its result
	// is kept.
	s.run(t)
	s.opt = Options{}
	s.ran(t, "at rest")
}

func TestUsed(t *testing.T) {
	m := &Memory{}
	for _, c := range []struct {
		state string
		want  string
	}{{absent, "absent"}, {"a", "a"}, {"a", "a"}, {"b", "a b"}, {"b", "a b"}} {
		m.use(record.Dependency{Kind: record.UsedFile, Name: "f", State: c.state})
		var states []string
		for _, u := range m.used {
			states = append(states, u.State)
		}
		if got := strings.Join(states, " "); got != c.want {
			t.Errorf("after %s: %s, want %s", c.state, got, c.want)
		}
	}
}

// Files that an earlier run left in the folder do not belong to the cell.
func TestFiguresOfAnotherRun(t *testing.T) {
	s := newSession(t, paramCell, openCell, "lab.Table1()", "lab.Table2()")
	left := filepath.Join(s.root, "figures", "run", "toy")
	write(t, filepath.Join(left, "table1.csv"), "old")
	write(t, filepath.Join(left, "table2.svg"), "old")
	s.unwritten = true
	s.ran(t, "first", "table1", "table2")
	if !strings.Contains(s.said, "announced the figure table2, but did not write it") {
		t.Errorf("said\n%s", s.said)
	}
	if list, _ := filepath.Glob(filepath.Join(s.cache, "toy", "*", "*", "*", "*.csv")); len(list) > 0 {
		t.Errorf("kept: %v", list)
	}
	s.ran(t, "again", "table2")
	if strings.Contains(s.said, "with these parameters") {
		t.Errorf("said\n%s", s.said)
	}
}

// A copy of a notebook writes to the folder of its lab, and its results are kept from there.
func TestCopy(t *testing.T) {
	s := newSession(t, paramCell, openCell, "lab.Table1()")
	s.notebook = "copy"
	s.ran(t, "first", "table1")
	list, _ := filepath.Glob(filepath.Join(s.cache, "toy", "table1", "*", "*", "table1.svg"))
	if len(list) != 1 {
		t.Errorf("kept: %v; said\n%s", list, s.said)
	}
	s.ran(t, "again")
}

func TestTwoAtOnce(t *testing.T) {
	s := newSession(t, paramCell, openCell, "lab.Table1()")
	suite := openToy(s.root, s.cache)
	one, two := suite.Memory("toy.ipynb", Options{}, nil), suite.Memory("copy.ipynb", Options{}, nil)
	if err := one.Begin(s.nb, nil); err != nil {
		t.Fatal(err)
	}
	defer one.End()
	if err := two.Begin(s.nb, nil); err == nil || !strings.Contains(err.Error(), "another run is using the lab of toy") {
		if runtime.GOOS == "windows" {
			t.Skip("there is no lock")
		}
		t.Errorf("%v", err)
	}
	one.End()
	one.End()
	if err := two.Begin(s.nb, nil); err != nil {
		t.Error(err)
	}
	two.End()
}

// Entries that were damaged or dropped after planning are not used.
func TestDamagedMeanwhile(t *testing.T) {
	for _, damage := range []func(entry string){
		func(entry string) { os.Remove(filepath.Join(entry, cellName)) },
		func(entry string) { os.WriteFile(filepath.Join(entry, "table1.svg"), []byte("<svg/>"), 0o666) },
		func(entry string) { os.RemoveAll(entry) },
	} {
		s := newSession(t, paramCell, openCell, "lab.Table1()")
		s.ran(t, "first", "table1")
		m := openToy(s.root, s.cache).Memory("toy.ipynb", Options{}, func(text string) { s.said += text })
		if err := m.Begin(s.nb, nil); err != nil {
			t.Fatal(err)
		}
		damage(m.plan.Steps[2].entry.folder)
		if past := m.Recall(s.process, s.nb.Cells[2]); past.Skip || !strings.Contains(s.said, "cannot be used") {
			t.Errorf("%+v; said\n%s", past, s.said)
		}
		m.End()
	}
}

// If several processes keep the same result at once, one complete entry remains.
func TestWriteAtOnce(t *testing.T) {
	st := store{t.TempDir()}
	place := st.place("toy", "cell", nil)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 10 {
				if err := st.write(place, &entry{Target: "x"}, notebook.NewCode("x"), t.TempDir(), nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := st.write(place, &entry{Target: "x"}, notebook.NewCode("x"), t.TempDir(), nil); err != nil {
		t.Fatal(err)
	}
	list := st.entries(place)
	if len(list) != 1 || list[0].verify() != nil {
		t.Errorf("%d entries", len(list))
	}
}

func TestFreshOnly(t *testing.T) {
	s := newSession(t, paramCell, openCell, "lab.Table1()", "lab.Table2()")
	s.ran(t, "first", "table1", "table2")
	s.opt = Options{Fresh: true, Only: []string{"toy-table2"}}
	s.ran(t, "fresh", "table2")
	if !slices.Equal(s.rows, []string{"table1", "table2"}) {
		t.Errorf("rows %v: what is kept of the others is gone", s.rows)
	}
}

func TestOnly(t *testing.T) {
	t.Setenv(data.Variable, "")
	s := &session{root: project(t), cache: t.TempDir(), process: process{calls: Calls()},
		nb: book(paramCell, openCell, "lab.Table1()", "lab.Table2()", "plain := 1", "if err := lab.Finish(); err != nil {\n\tpanic(err)\n}")}
	s.opt.Only = []string{"toy-table2"}
	if ran := s.run(t); !slices.Equal(ran, []string{"table2"}) || !slices.Equal(s.rows, ran) {
		t.Errorf("ran %v, rows %v", ran, s.rows)
	}
	// Kept results of other experiments are included, in the notebook's order.
	s.opt.Only = []string{"toy-table1"}
	if ran := s.run(t); !slices.Equal(ran, []string{"table1"}) || !slices.Equal(s.rows, []string{"table1", "table2"}) {
		t.Errorf("ran %v, rows %v", ran, s.rows)
	}
	m := openToy(s.root, s.cache).Memory("toy.ipynb", Options{Only: []string{"toy-table3"}}, nil)
	if err := m.Begin(s.nb, nil); err == nil || !strings.Contains(err.Error(), "toy-table3") {
		t.Errorf("%v", err)
	}
}

func TestStale(t *testing.T) {
	s := openToy(project(t), t.TempDir())
	s.built = time.Now().Add(-time.Hour)
	p, err := s.Plan(book(paramCell, openCell, "lab.Table1()"), "toy", nil, Options{})
	if _, ok := err.(*StaleError); !ok || p == nil || p.Steps[2].Action != Run {
		t.Errorf("%v, %+v", err, p)
	}
	s.built = time.Now().Add(time.Hour)
	s.elsewhere = "/elsewhere"
	if p, err := s.Plan(book(paramCell, openCell, "lab.Table1()"), "toy", nil, Options{}); err == nil || !strings.Contains(err.Error(), "/elsewhere") || p.Steps[2].Action != Run {
		t.Errorf("%v", err)
	}
	s.elsewhere = ""
	mod := filepath.Join(s.root, "go.mod")
	if err := os.Chtimes(mod, s.built.Add(time.Hour), s.built.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Plan(book(paramCell, openCell, "lab.Table1()"), "toy", nil, Options{}); err == nil || !strings.HasPrefix(err.Error(), "go.mod is newer") {
		t.Errorf("%v", err)
	}
	if err := os.Chtimes(mod, time.Time{}, s.built.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Plan(book(paramCell, openCell, "lab.Table1()"), "toy", nil, Options{}); err != nil {
		t.Error(err)
	}
}

// The notebooks of a release run without its source, and a message says so.
func TestWithoutSource(t *testing.T) {
	s := openToy(t.TempDir(), t.TempDir())
	p, err := s.Plan(book(paramCell, openCell, "lab.Table1()"), "toy", nil, Options{})
	if err == nil || !strings.Contains(err.Error(), s.root+" does not contain the source") || p == nil || p.Steps[2].Action != Run {
		t.Errorf("%v, %+v", err, p)
	}
}

func TestBuiltIn(t *testing.T) {
	root, _, err := record.Project(".")
	if err != nil {
		t.Fatal(err)
	}
	if from := builtRoot(); from != "" && !sameFolder(from, root) {
		t.Errorf("built in %s, which is not %s", from, root)
	}
	if sameFolder(root, t.TempDir()) || sameFolder(root, "nowhere") || sameFolder("nowhere", root) {
		t.Error("other folders are the same")
	}
}

func TestPlatform(t *testing.T) {
	before := platform()
	t.Setenv("OVERCOMPLETE_GEMM", "gonum")
	if why := platforms(before, platform()); !slices.Equal(why, []string{"platform changed: OVERCOMPLETE_GEMM=gonum"}) {
		t.Errorf("%q", why)
	}
	if why := platforms(platform(), before); !slices.Equal(why, []string{"platform changed: no longer OVERCOMPLETE_GEMM=gonum"}) {
		t.Errorf("%q", why)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{openCell, "lab.Table1()", "t := lab.Table1()\nt.Figure", "x, y = 1, 2", "%%native\nfunc", "%params\na := 1", "func (l *T) m() {}", "for i = range x {}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		cells := read(book(paramCell, openCell, s, "lab.Table1()", s))
		nameAll(cells)
		for i := range cells {
			for _, j := range needs(cells, i) {
				if j >= i {
					t.Fatal("a cell needs a later one")
				}
			}
		}
	})
}

// TestNoteRun: the run of a notebook without experiments, of which nothing has been kept before, is noted too.
func TestNoteRun(t *testing.T) {
	root, cache := project(t), t.TempDir()
	path := filepath.Join(root, "docs", "plain.ipynb")
	nb := book("x := 1")
	write(t, path, "")
	if err := nb.Write(path); err != nil {
		t.Fatal(err)
	}
	s := openToy(root, cache)
	if _, ok := s.Unchanged(path, nil, Options{}); ok {
		t.Error("unchanged before the first run")
	}
	m := s.Memory(path, Options{}, func(string) {})
	if err := m.Begin(nb, nil); err != nil {
		t.Fatal(err)
	}
	if err := m.NoteRun(path, path, nil); err != nil {
		t.Fatal(err)
	}
	m.End()
	if _, ok := s.Unchanged(path, nil, Options{}); !ok {
		t.Error("not unchanged after a run")
	}
}
