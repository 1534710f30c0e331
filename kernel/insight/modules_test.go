package insight_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/insight"
	"overcomplete/kernel/internal/ixengine"
)

// A loader is a session that claims to run packages from source, and has variables that no cell has declared.
type loader struct {
	*ixengine.Session
	list []engine.Source
	vars []engine.NamedVariable
}

func (l *loader) Load(context.Context, []engine.Source) error { panic("not asked for") }
func (l *loader) Unload([]string)                             {}
func (l *loader) Importable(string) bool                      { return true }
func (l *loader) Declarations() []engine.Cell                 { return nil }
func (l *loader) Loaded() []engine.Source                     { return l.list }
func (l *loader) Names() *engine.Names {
	names := *l.Session.Names()
	names.Imports = map[string]string{"garden": "example.com/garden", "fmt": "fmt"}
	names.Variables = l.vars
	return &names
}

// garden returns the packages of testdata/garden in the form that a session returns.
func garden(dir, version string) []engine.Source {
	const path = "example.com/garden"
	return []engine.Source{
		{Path: path + "/internal/soil", Name: "soil", Dir: filepath.Join(dir, "internal", "soil"), Files: []string{"soil.go"}, GoVersion: "go1.24", Module: path, Version: version},
		{Path: path, Name: "garden", Dir: dir, Files: []string{"garden.go", "generic.go", "weeds.go"}, GoVersion: "go1.24", Module: path, Version: version},
		{Path: path + "/tools", Name: "spade", Dir: filepath.Join(dir, "tools"), Files: []string{"tools.go"}, GoVersion: "go1.24", Module: path, Version: version},
	}
}

func startGarden(t *testing.T, dir, version string) (*insight.Insight, *loader) {
	t.Helper()
	in, s := start(t, nil)
	cell := engine.Cell{Name: "In[1]", Source: `p, err := garden.New("rosa")`}
	packages := map[string]string{"garden": "example.com/garden", "soil": "example.com/garden/internal/soil"}
	l := &loader{Session: s, list: garden(dir, version), vars: []engine.NamedVariable{
		{Name: "bed", Type: "soil.Bed", Packages: packages, Cell: cell},
		{Name: "p", Type: "*garden.Plant", Packages: packages, Cell: cell},
		{Name: "row", Type: "garden.Row[*garden.Plant]", Packages: packages, Cell: cell},
	}}
	in.Attach(l)
	return in, l
}

// TestCompleteSource is TestComplete for packages that are run from source.
func TestCompleteSource(t *testing.T) {
	in, _ := startGarden(t, "testdata/garden", "v1.2.0")
	for _, test := range []struct{ code, want, not string }{
		{"garden.|", "Each:function ErrDry:variable Grower:class New:function Plant:class Row:class Spring:constant Summer:constant Weed:function", "broken"},
		{"garden.N|", "New:function", "ErrDry"},
		{"garden.Weed(1).H|", "Height:field", ""},
		{"p.|", "Bed:field Grow:method Height:field Name:field Sizes:method String:method Depth:field Dig:method", "roots"},
		{"p.Grow(1).Si|", "Sizes:method", ""},
		{"p.Sizes().Dim|", "Dims:method", ""},
		{"bed.D|", "Depth:field Dig:method", ""},
		{"row.At(0).N|", "Name:field", ""},
		{"garden.Each(row, func(q *garden.Plant) float64 { return q.Hei|", "Height:field", ""},
		{"garden.Each(row, (*garden.Plant).Sizes).Items[0].RawM|", "RawMatrix:method", ""},
		{"q, err := garden.New(\"x\")\nq.H|", "Height:field", ""},
		{"garden.Plant{Na|", "Name:field", ""},
		{"import \"example.com/gar|\"", "example.com/garden:module example.com/garden/tools:module", "example.com/garden/internal/soil"},
		{"import \"gard|\"", "example.com/garden:module", ""},
		{"import g \"example.com/garden\"\ng.Sum|", "Summer:constant", ""},
		{"import \"example.com/garden/tools\"\nspade.E|", "Edge:constant", ""},
		{"spade.E|", "Edge:constant", ""}, // the package is not imported yet
		{"gard|", "garden:module", ""},
		{"import . \"example.com/garden\"\nNe|", "New:function", ""},
		{"type tree struct{ garden.Plant }\ntree{}.Gr|", "Grow:method", ""},
		{"var x garden.Gr|", "Grower:class", "Grow"},
	} {
		checkComplete(t, in, test.code, test.want, test.not)
	}
}

// TestInspectSource is TestInspect for packages that are run from source.
func TestInspectSource(t *testing.T) {
	in, _ := startGarden(t, "testdata/garden", "v1.2.0")
	for _, test := range []struct {
		code   string
		detail int
		want   string
	}{
		{"garden~", 0, "package garden // import \"example.com/garden\"|Package garden grows plants."},
		{"garden.New(~", 0, "func garden.New(name string) (*garden.Plant, error)|parameter 1 of 1: name string|New returns a plant."},
		{"garden.Ne~w", 1, "declared in testdata/garden/garden.go line |return &Plant{Name: name}, nil"},
		{"p.Gro~w", 0, "func (p *garden.Plant) Grow(by float64) *garden.Plant|adds to the height"},
		{"p.Gro~w", 1, "p.Height += by|Grow adds to the height|garden.go line 23"},
		{"p.Di~g()", 1, "Dig deepens the bed.|func (b *Bed) Dig() { b.Depth++ }|soil.go line 11"},
		{"p.Dep~th", 0, "soil.Bed.Depth int // field|Depth is in centimetres."},
		{"p.Heig~ht", 1, "garden.Plant.Height float64 // field|in metres|type Plant struct {"},
		{"garden.Plan~t{}", 1, "type garden.Plant struct|methods: Dig, Grow, Sizes, String|A Plant grows in a bed.|roots  []soil.Grain"},
		{"garden.Grow~er", 1, "type garden.Grower interface|Grower is what grows.|// Grow must be called in spring."},
		{"garden.Spr~ing", 1, "const garden.Spring = 1|begins in March|Spring = iota + 1"},
		{"garden.ErrDr~y", 1, "var garden.ErrDry error|ErrDry says that nothing grows.|errors.New(\"dry\")"},
		{"garden.Eac~h", 1, "func garden.Each[T, U any](r garden.Row[T], f func(T) U) garden.Row[U]|Each maps f over a row.|for _, x := range r.Items"},
		{"garden.Each(row, ~", 0, "parameter 2 of 2: f func(T) U"},
		{"ro~w", 0, "var row garden.Row[*garden.Plant]|variable of In[1]"},
		{"import \"example.com/gar~den\"", 0, "package garden|grows plants"},
		{"spade.Ed~ge", 0, "const spade.Edge = 0.5|not imported yet: import \"example.com/garden/tools\""},
	} {
		text := inspectText(t, in, test.code, test.detail)
		for _, want := range strings.Split(test.want, "|") {
			if !strings.Contains(text, want) {
				t.Errorf("%q: no %q in\n%s", test.code, want, text)
			}
		}
		if test.detail == 0 && strings.Contains(text, "return") && !strings.Contains(text, "returns") {
			t.Errorf("%q: shows the source at detail 0", test.code)
		}
	}
}

// TestLoaded uses a session that has run a package from source.
func TestLoaded(t *testing.T) {
	in, s := start(t, nil)
	list := garden("testdata/garden", "v1.2.0")
	list[1].Files = []string{"garden.go", "generic.go"}
	checkComplete(t, in, "import \"example.com/garden\"\ngarden.|", "", "nothing")
	if err := s.Load(context.Background(), list); err != nil {
		t.Fatal(err)
	}
	for _, src := range []string{
		"import \"example.com/garden\"",
		"p, err := garden.New(\"rosa\")\nrow := garden.Row[*garden.Plant]{Items: []*garden.Plant{p}}\nheights := garden.Each(row, func(p *garden.Plant) float64 { return p.Height })\nbed := &p.Bed",
	} {
		if _, err := s.Run(context.Background(), engine.Cell{Name: "In[1]", Source: src}); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ code, want, not string }{
		{"p.Gr|", "Grow:method", ""},
		{"row.A|", "At:method", ""},
		{"heights.It|", "Items:field", ""},
		{"bed.D|", "Depth:field Dig:method", ""},
		{"garden.S|", "Spring:constant Summer:constant", ""},
	} {
		checkComplete(t, in, test.code, test.want, test.not)
	}
	for code, want := range map[string]string{
		"p~":       "var p *garden.Plant|value: &{Name: \"rosa\", Height: 0|variable of In[1]",
		"heights~": "var heights garden.Row[float64]|{Items: [0]}",
		"p.Gro~w":  "Grow adds to the height",
	} {
		checkInspect(t, in, code, want)
	}
}

// TestSourceChanges: after an edit, the new content of a package is known, and a package that is no longer
// loaded is unknown.
func TestSourceChanges(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "garden")
	if err := os.CopyFS(dir, os.DirFS("testdata/garden")); err != nil {
		t.Fatal(err)
	}
	in, l := startGarden(t, dir, "")
	checkComplete(t, in, "p.Gr|", "Grow:method", "Greet")
	name := filepath.Join(dir, "garden.go")
	data := testfile.Read(t, name)
	testfile.Write(t, name, append(data, "\n// Greet is new.\nfunc (p *Plant) Greet() {}\n"...))
	later := time.Now().Add(time.Second) // the file system may store times with a low resolution
	if err := os.Chtimes(name, later, later); err != nil {
		t.Fatal(err)
	}
	checkComplete(t, in, "p.Gr|", "Greet:method Grow:method", "")
	if text := inspectText(t, in, "p.Gre~et", 0); !strings.Contains(text, "Greet is new.") {
		t.Errorf("the comment is missing:\n%s", text)
	}
	l.list = l.list[:1]
	checkComplete(t, in, "p.|", "", "nothing")
	checkComplete(t, in, "bed.Di|", "Dig:method", "")
	l.list = nil
	checkComplete(t, in, "import \"example.com/|", "", "example.com/garden")
}

// TestSourceGone: if files are missing or not Go, only the declarations in these files are missing.
func TestSourceGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "garden")
	if err := os.CopyFS(dir, os.DirFS("testdata/garden")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "internal", "soil", "soil.go")); err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, filepath.Join(dir, "generic.go"), "package garden\nfunc Half( {")
	in, _ := startGarden(t, dir, "v1.2.0")
	checkComplete(t, in, "p.Gr|", "Grow:method", "")
	if text := inspectText(t, in, "p.Gro~w", 1); !strings.Contains(text, "p.Height += by") {
		t.Errorf("got\n%s", text)
	}
}

// TestInspectCompiled: the source of compiled-in packages is found in Go's own folder. (A test binary does not
// record its linked modules; see modcache.)
func TestInspectCompiled(t *testing.T) {
	in, _ := start(t, nil)
	for _, test := range []struct{ code, want string }{
		{"strings.ToUp~per", "declared in |strings.go line |func ToUpper(s string) string {"},
		{"fmt.Stringe~r", "type Stringer interface {"},
		{"http.StatusTeap~ot", "StatusTeapot "},
	} {
		text := inspectText(t, in, test.code, 1)
		for _, want := range strings.Split(test.want, "|") {
			if !strings.Contains(text, want) {
				t.Errorf("%q: no %q in\n%s", test.code, want, text)
			}
		}
	}
}

func inspectText(t *testing.T, in *insight.Insight, code string, detail int) string {
	t.Helper()
	i := strings.LastIndex(code, "~")
	src := code[:i] + code[i+1:]
	d, _, err := in.Inspect(context.Background(), src, utf8.RuneCountInString(code[:i]), detail)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(d.Data["text/plain"])
}

// checkInspect checks that the description of the name at ~ in code contains each part of want; | separates the parts.
func checkInspect(t *testing.T, in *insight.Insight, code, want string) {
	t.Helper()
	text := inspectText(t, in, code, 1)
	for _, want := range strings.Split(want, "|") {
		if !strings.Contains(text, want) {
			t.Errorf("%q: no %q in\n%s", code, want, text)
		}
	}
}

// checkComplete checks a line of TestComplete.
func checkComplete(t *testing.T, in *insight.Insight, code, want, not string) {
	t.Helper()
	c, _ := complete(t, in, code)
	var got []string
	for i, m := range c.Matches {
		got = append(got, m+":"+c.Types[i])
	}
	if words := strings.Fields(want); len(got) < len(words) || !slices.Equal(got[:len(words)], words) {
		t.Errorf("%q: want %s, got %s", code, want, strings.Join(got[:min(len(got), 12)], " "))
	}
	if not == "nothing" && len(got) > 0 {
		t.Errorf("%q: want nothing, got %s", code, strings.Join(got[:min(len(got), 12)], " "))
	}
	for _, m := range strings.Fields(not) {
		if slices.Contains(c.Matches, m) {
			t.Errorf("%q: %s is among the matches", code, m)
		}
	}
}
