package suite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/data"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
)

// book makes a notebook of code cells; one that begins with # is text.
func book(sources ...string) *notebook.Notebook {
	nb := &notebook.Notebook{}
	for i, s := range sources {
		c := notebook.NewCode(s)
		c.ID = "c" + string(rune('a'+i))
		if i == 0 {
			c.SetTags(tagParameters)
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
		name    string // of the experiment, "" for a plain cell
		needing string // the cells that it needs
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
	// What a cell does to the lab, experiments after it depend on.
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

// The notebooks of the project have experiments with names of their own, which begin as the
// Makefile has it: with the folder in which lab.go is, without the year.
func TestTargets(t *testing.T) {
	root, ok, err := record.Project(".")
	if err != nil || !ok {
		t.Fatal("not in the project", err)
	}
	targets, err := Targets(root)
	if err != nil {
		t.Fatal(err)
	}
	labs, err := filepath.Glob(filepath.Join(root, "paper", "*", "lab.go"))
	if err != nil {
		t.Fatal(err)
	}
	prefixes := map[string]bool{}
	for _, l := range labs {
		prefixes[prefix(filepath.Base(filepath.Dir(l)))] = true
	}
	seen := map[string]bool{}
	for _, x := range targets {
		if seen[x.Name] {
			t.Errorf("there are two experiments %s", x.Name)
		}
		seen[x.Name] = true
		if x.Size == "" || x.Heading == "" {
			t.Errorf("%+v", x)
		}
		p, _, _ := strings.Cut(x.Name, "-")
		if !prefixes[p] {
			t.Errorf("make does not know %s: there is no lab.go in a folder %s", x.Name, p)
		}
	}
	if x, err := Find(targets, "bradley-table2"); err != nil || x.Method != "paper/bradley2008.Lab.Table2" || x.Paper != "differentiable-sparse-coding" {
		t.Errorf("%+v, %v", x, err)
	}
	if _, err := Find(targets, "bradley-table9"); err == nil || !strings.Contains(err.Error(), "bradley-table2") {
		t.Errorf("%v", err)
	}
	if _, err := Find(targets, "x"); err == nil {
		t.Error("no error")
	}
}

// project makes a small one.
func project(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                  "module overcomplete\n\ngo 1.26\n",
		"go.sum":                  "",
		"kernel/render/render.go": "package render\n\nfunc Render() {}\n",
		"paper/toy/lab.go": `package toy

type Lab struct{ Steps int }

func New(size string, seed uint64) (*Lab, error) { return &Lab{}, nil }

// Table1 is an experiment.
func (l *Lab) Table1() int { return one() }

func (l *Lab) Table2() int { return 2 }
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

// A process answers the calls of a kernel's process in this one.
type process struct {
	headless.Kernel
	calls map[string]func(string) (string, error)
}

func (p process) Call(name, in string) (string, error) { return p.calls[name](in) }

// session runs a notebook of a small project: its two experiments each add a row and a
// figure, and the first asks for a data set and a file. It says which ran.
type session struct {
	root, cache string
	nb          *notebook.Notebook
	process     process
	set         []headless.Assignment
	opt         Options
	said        string
	rows        []string
}

func (s *session) run(t *testing.T) (ran []string) {
	t.Helper()
	run, err := record.StartIn(s.root, "toy", record.Lecture, 1)
	if err != nil {
		t.Fatal(err)
	}
	s.said = ""
	m := OpenIn(s.root, s.cache).Memory("notebooks/toy.ipynb", s.opt, func(text string) { s.said += text })
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
			if err := run.Add(record.Row{ID: name, What: name, Measured: record.Number(1, ""), Rule: record.AtLeast(0), Data: record.Generated("x"), Figure: name}); err != nil {
				t.Fatal(err)
			}
			write(t, run.Figure(name, name)+".svg", "<svg>"+name+"</svg>")
			if name == "table1" {
				if f, err := data.Open("mnist", ""); err == nil {
					f.Close()
				}
				if err := run.UseFile(filepath.Join(s.root, "trained.mat")); err != nil {
					t.Fatal(err)
				}
			}
		}
		c.Outputs = []notebook.Output{notebook.NewStream("stdout", "shows "+c.Source)}
		m.Keep(s.process, c, 1500*time.Millisecond)
	}
	s.rows = nil
	for _, r := range run.Rows() {
		s.rows = append(s.rows, r.ID)
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
		{"a parameter", func() { s.set = []headless.Assignment{{Name: "seed", Text: "2"}} }, both, "there is no result yet"},
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
		{"a damaged figure", func() {
			s.opt.Fresh = false
			for _, f := range kept("cc") {
				write(t, filepath.Join(f, "table1.svg"), "<svg>other</svg>")
			}
		}, both[:1], "table1.svg is damaged"},
		{"a damaged entry, and one that was begun", func() {
			for _, f := range kept("cd") {
				write(t, filepath.Join(f, entryName), "{")
				write(t, filepath.Join(filepath.Dir(f), ".new-1", "x"), "")
			}
		}, both[1:], "there is no result yet"},
		{"a cell", func() { s.nb.Cells[3].Source = "lab.Table2(1)" }, both[1:], "the cell changed"},
		{"the cell that opens the lab", func() { s.nb.Cells[1].Source += "\nlab.Steps = 3" }, both, "a cell that it needs changed"},
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
	for _, target := range []string{"cc", "cd"} {
		by := map[string]int{}
		for _, f := range kept(target) {
			if filepath.Base(f) == ".new-1" {
				continue // somebody's, of today
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

func TestOnly(t *testing.T) {
	t.Setenv(data.Variable, "")
	s := &session{root: project(t), cache: t.TempDir(), process: process{calls: Calls()},
		nb: book(paramCell, openCell, "lab.Table1()", "lab.Table2()", "plain := 1", "if err := lab.Finish(); err != nil {\n\tpanic(err)\n}")}
	s.opt.Only = []string{"toy-table2"}
	if ran := s.run(t); !slices.Equal(ran, []string{"table2"}) || !slices.Equal(s.rows, ran) {
		t.Errorf("ran %v, rows %v", ran, s.rows)
	}
	// What is kept of others is there too, in the notebook's order.
	s.opt.Only = []string{"toy-table1"}
	if ran := s.run(t); !slices.Equal(ran, []string{"table1"}) || !slices.Equal(s.rows, []string{"table1", "table2"}) {
		t.Errorf("ran %v, rows %v", ran, s.rows)
	}
	m := OpenIn(s.root, s.cache).Memory("toy.ipynb", Options{Only: []string{"toy-table3"}}, nil)
	if err := m.Begin(s.nb, nil); err == nil || !strings.Contains(err.Error(), "toy-table3") {
		t.Errorf("%v", err)
	}
}

func TestStale(t *testing.T) {
	s := OpenIn(project(t), t.TempDir())
	s.built = time.Now().Add(-time.Hour)
	p, err := s.Plan(book(paramCell, openCell, "lab.Table1()"), "toy", nil, Options{})
	if _, ok := err.(*Stale); !ok || p == nil || p.Steps[2].Action != Run {
		t.Errorf("%v, %+v", err, p)
	}
	s.built = time.Now().Add(time.Hour)
	if _, err := s.Plan(book(paramCell, openCell, "lab.Table1()"), "toy", nil, Options{}); err != nil {
		t.Error(err)
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
