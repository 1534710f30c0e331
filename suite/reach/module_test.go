package reach

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"overcomplete/internal/patience"
)

// labMethods returns the exported methods of the Labs under paper/, as roots.
func labMethods(t testing.TB, c *Code) []string {
	var roots []string
	for path, fo := range c.folders {
		if !c.isLab(fo, "Lab") {
			continue
		}
		if _, err := c.open(path); err != nil {
			t.Fatal(err)
		}
		for _, m := range fo.methods["Lab"] {
			if token.IsExported(strings.TrimPrefix(m.name, "Lab.")) {
				roots = append(roots, path+"."+m.name)
			}
		}
	}
	slices.Sort(roots)
	return roots
}

func median(x []int) int { return slices.Sorted(slices.Values(x))[len(x)/2] }

// TestExperiments checks which code each experiment of this module reaches; -v prints the numbers. The reach must be
// precise: it must not be all code, and must include no code of another paper's experiments.
func TestExperiments(t *testing.T) {
	patience.SkipShort(t, "it reads all packages")
	begin := time.Now()
	c, err := Scan("../..")
	if err != nil {
		t.Fatal(err)
	}
	scanned := time.Since(begin)
	roots := labMethods(t, c)
	if len(roots) < 100 {
		t.Fatalf("only %d experiments", len(roots))
	}
	begin = time.Now()
	decls, files := map[string][]int{}, map[string][]int{}
	var all []int
	for _, root := range roots {
		r, err := c.Reach(root)
		if err != nil {
			t.Fatal(err)
		}
		paper := packageOf(root)
		decls[paper] = append(decls[paper], len(r.Parts))
		files[paper] = append(files[paper], len(r.Files()))
		all = append(all, len(r.Parts))
		own := strings.TrimPrefix(paper, c.module+"/")
		for _, p := range r.Parts {
			if dir := path.Dir(p.File); strings.HasPrefix(p.Decl, "Lab.") && dir != own && dir != "paper/lab" {
				t.Errorf("%s reaches %s of %s", root, p.Decl, p.File)
			}
		}
	}
	t.Logf("scan %v; %d experiments %v", scanned, len(roots), time.Since(begin))
	total := 0
	for path := range c.folders {
		fo, err := c.open(path)
		if err != nil {
			t.Fatal(err)
		}
		for range fo.scope {
			total++
		}
	}
	t.Logf("of the module's %d declarations, an experiment reaches %d (median), at most %d", total, median(all), slices.Max(all))
	for paper, n := range decls {
		t.Logf("%-14s %3d methods: declarations median %4d, max %4d; files median %3d, max %3d", path.Base(paper), len(n), median(n), slices.Max(n), median(files[paper]), slices.Max(files[paper]))
	}
	if median(all) > total/3 {
		t.Errorf("an experiment reaches %d of %d declarations", median(all), total)
	}
}

// Table 2 must not reach code that only other tables run. It calls a method named words of a trial, and an interface
// of package figure has a method of this name. Neither is the Lab's method words, which belongs to table 6.
func TestTablesApart(t *testing.T) {
	r := reachIn(t, os.DirFS("../.."), experiment)
	for _, p := range r.Parts {
		dir, name := path.Split(p.File)
		switch {
		case strings.HasPrefix(p.Decl, "Lab.Table") && p.Decl != "Lab.Table2", name == "table6.go", p.Decl == "Lab.words",
			dir == "kernel-helpers/topics/", dir == "kernel-helpers/regress/":
			t.Errorf("table 2 reaches %s of %s", p.Decl, p.File)
		}
	}
}

// inMemory returns a copy of the module's files that Scan reads, so that a test can change the copy.
func inMemory(t *testing.T) fstest.MapFS {
	tree := fstest.MapFS{}
	real := os.DirFS("../..")
	err := fs.WalkDir(real, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if b := d.Name(); name != "." && b[0] == '.' || slices.Contains(bindings, name) || name == "notebooks" || name == "figures" {
				return fs.SkipDir
			}
			return nil
		}
		switch path.Ext(name) {
		case ".go", ".mod", ".sum", ".s", ".h":
		default:
			return nil
		}
		src, err := fs.ReadFile(real, name)
		tree[name] = &fstest.MapFile{Data: src}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

const experiment = "overcomplete/paper/bradley2008.Lab.Table2"

func reachIn(t *testing.T, tree fs.FS, root string) *Result {
	c, err := scan(tree)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Reach(root)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Removing comments or changing the layout does not change the hashes.
func TestCommentsAndLayoutDoNotCount(t *testing.T) {
	patience.SkipShort(t, "it reads all packages again")
	if patience.RaceDetector {
		t.Skip("nothing runs side by side in it")
	}
	tree := inMemory(t)
	before := reachIn(t, tree, experiment)
	stripped := 0
	for _, name := range before.Files() {
		src := tree[name].Data
		if path.Ext(name) != ".go" || bytes.Contains(src, []byte("//go:")) {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := (&printer.Config{Mode: printer.RawFormat, Indent: 3}).Fprint(&out, set, file); err != nil {
			t.Fatal(err)
		}
		if len(out.Bytes()) < len(src) {
			stripped++
		}
		tree[name] = &fstest.MapFile{Data: append([]byte("// A comment.\n\n"), out.Bytes()...)}
	}
	if stripped < 50 {
		t.Fatalf("only %d files have become shorter", stripped)
	}
	if d := Diff(before.Parts, reachIn(t, tree, experiment).Parts); d != nil {
		t.Error(strings.Join(d, "\n"))
	}
}

// An additional statement in a reached function changes only that function's hash; in an unreached function
// it changes nothing.
func TestOneStatementCounts(t *testing.T) {
	patience.SkipShort(t, "it reads all packages again for each change")
	if patience.RaceDetector {
		t.Skip("nothing runs side by side in it")
	}
	tree := inMemory(t)
	before := reachIn(t, tree, experiment)
	parts := map[string]bool{}
	for _, p := range before.Parts {
		parts[p.File+" "+p.Decl] = true
	}
	type change struct {
		file, decl string
		at         int
	}
	var reached, others []change
	for _, name := range before.Files() {
		if path.Ext(name) != ".go" {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, tree[name].Data, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			ch := change{name, f.Name.Name, set.Position(f.Body.Lbrace).Offset + 1}
			if f.Recv != nil {
				ch.decl = typeName(f.Recv.List[0].Type) + "." + ch.decl
			}
			if parts[name+" "+ch.decl] {
				reached = append(reached, ch)
			} else {
				others = append(others, ch)
			}
		}
	}
	if len(reached) < 500 || len(others) < 20 {
		t.Fatal(len(reached), len(others))
	}
	with := func(ch change) []string {
		old := tree[ch.file]
		defer func() { tree[ch.file] = old }()
		tree[ch.file] = &fstest.MapFile{Data: slices.Concat(old.Data[:ch.at], []byte(" _ = 0;"), old.Data[ch.at:])}
		return Diff(before.Parts, reachIn(t, tree, experiment).Parts)
	}
	for i := 0; i < len(reached); i += len(reached) / 4 {
		want := []string{"code changed: " + reached[i].file + " (" + reached[i].decl + ")"}
		if got := with(reached[i]); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for i := 0; i < len(others); i += len(others) / 2 {
		if got := with(others[i]); got != nil {
			t.Errorf("%s of %s is not reached, but: %q", others[i].decl, others[i].file, got)
		}
	}
}

// Several goroutines may call Reach at the same time, and all get the same result.
func TestTogether(t *testing.T) {
	c, err := Scan("../..")
	if err != nil {
		t.Fatal(err)
	}
	var results [4]*Result
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			r, err := c.Reach(experiment)
			if err != nil {
				t.Error(err)
			}
			results[i] = r
		})
	}
	wg.Wait()
	for _, r := range results[1:] {
		if !reflect.DeepEqual(r, results[0]) {
			t.Error("two calls differ")
		}
	}
}

// BenchmarkScanAndReach measures one experiment without cached parses, which is the cost for a command that
// calls Reach once.
func BenchmarkScanAndReach(b *testing.B) {
	for b.Loop() {
		c, err := Scan("../..")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Reach(experiment); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWholeModule measures all packages of the module, without cached parses.
func BenchmarkWholeModule(b *testing.B) {
	for b.Loop() {
		c, err := Scan("../..")
		if err != nil {
			b.Fatal(err)
		}
		var roots []string
		for path := range c.folders {
			if fo, err := c.open(path); err == nil && len(fo.exportedDecls()) > 0 {
				roots = append(roots, path)
			}
		}
		r, err := c.Reach(roots...)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(r.Parts)), "parts")
	}
}

// BenchmarkReach measures another experiment after a first one.
func BenchmarkReach(b *testing.B) {
	c, err := Scan("../..")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.Reach(experiment); err != nil {
			b.Fatal(err)
		}
	}
}
