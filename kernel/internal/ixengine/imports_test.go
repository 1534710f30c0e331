package ixengine

import (
	"context"
	"fmt"
	"go/types"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goplus/ixgo"

	_ "overcomplete/kernel/bind"
	"overcomplete/kernel/engine"
)

// exportsOf describes the exports of p, with methods and fields. If table is not nil, exportsOf omits the types that
// the table does not have: p gets such types from source patches, or with the first package that mentions them.
func exportsOf(p *types.Package, table *ixgo.Package) []string {
	var list []string
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() || strings.Contains(name, "[") { // instances of generic types are described where they are used
			continue
		}
		if t, ok := o.(*types.TypeName); ok {
			if table != nil && !hasType(table, name) {
				continue
			}
			list = append(list, "type "+name+" "+types.TypeString(t.Type(), nil))
		} else {
			list = append(list, types.ObjectString(o, nil))
		}
		if c, ok := o.(*types.Const); ok {
			list = append(list, c.Val().ExactString())
		}
		if n, ok := types.Unalias(o.Type()).(*types.Named); ok {
			if _, isType := o.(*types.TypeName); !isType {
				continue
			}
			if st, ok := n.Underlying().(*types.Struct); ok {
				for f := range st.Fields() {
					if f.Exported() {
						list = append(list, types.ObjectString(f, nil))
					}
				}
			} else {
				list = append(list, types.TypeString(n.Underlying(), nil))
			}
			var methods []string
			for m := range n.Methods() {
				if text := types.ObjectString(m, nil); !strings.Contains(text, "_unused") { // the linker has left out such methods
					methods = append(methods, text)
				}
			}
			slices.Sort(methods)
			list = append(list, methods...)
		}
	}
	for i, text := range list { // a session prints the package's path for types that a source patch adds to a package
		list[i] = strings.ReplaceAll(text, "@patch", "")
	}
	return list
}

// hasType reports whether a table has a type of the given name.
func hasType(table *ixgo.Package, name string) bool {
	_, isInterface := table.Interfaces[name]
	_, isNamed := table.NamedTypes[name]
	_, isAlias := table.AliasTypes[name]
	return isInterface || isNamed || isAlias
}

// TestImportsComplete imports packages in random order, some of them after a partial import, and compares
// them with the packages that the interpreter makes with all their dependencies.
func TestImportsComplete(t *testing.T) {
	if !alone(t) {
		return
	}
	all := ixgo.NewContext(ixgo.SupportMultipleInterp)
	// listed has what the packages' tables list, and want has everything, once all packages have been imported.
	listed, want := map[string][]string{}, map[string][]string{}
	tables := map[string]*ixgo.Package{}
	var paths []string
	for _, path := range ixgo.PackageList() {
		p, err := all.Importer.Import(path)
		if err != nil {
			t.Fatal(path, err)
		}
		tables[path], _ = ixgo.LookupPackage(path)
		listed[path] = exportsOf(p, tables[path])
		paths = append(paths, path)
	}
	for _, path := range paths {
		p, _ := all.Importer.Import(path)
		want[path] = exportsOf(p, nil)
	}
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 1))
		r.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
		s, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if r.IntN(2) == 0 {
				p, err := s.importer.Import(path)
				if err != nil {
					t.Fatal(path, err)
				}
				if pkg := s.loader.partly[path]; pkg != nil {
					for name := range pkg.NamedTypes {
						if r.IntN(2) == 0 {
							s.loader.insert(p, pkg, name)
						}
					}
					for name := range pkg.Funcs {
						if r.IntN(2) == 0 {
							s.loader.insert(p, pkg, name)
						}
					}
				}
			}
			p, err := s.ctx.Importer.Import(path)
			if err != nil {
				t.Fatal(path, err)
			}
			if got := exportsOf(p, tables[path]); !slices.Equal(got, listed[path]) {
				for i, text := range got {
					if i >= len(listed[path]) || text != listed[path][i] {
						t.Errorf("seed %d: %s has %s\nwant %s", seed, path, text, listed[path][min(i, len(listed[path])-1)])
						break
					}
				}
				t.Errorf("seed %d: %s has %d exports, want %d", seed, path, len(got), len(listed[path]))
			}
		}
		for _, path := range paths { // later imports have not changed the earlier packages
			if p, _ := s.ctx.Importer.Import(path); !slices.Equal(exportsOf(p, nil), want[path]) {
				t.Errorf("seed %d: %s has changed", seed, path)
			}
		}
	}
}

// The types of a package for TestTypesOnce: each leads back to Notes.
type (
	Notes []*Note
	Note  struct {
		From Noter
		More Notes
	}
	Noter  interface{ Value(int) (Index, Notes) }
	Index  map[string]Notes
	Queue  chan Queued
	Queued struct{ Next Queue }
)

func (n *Note) Children() Notes { return n.More }

// Count returns the length of n.
func (n Notes) Count() int { return len(n) }

// Add appends to n.
func (n *Notes) Add(x *Note) { *n = append(*n, x) }

// TestTypesOnce imports types that lead back to themselves, in several orders: each exists once.
func TestTypesOnce(t *testing.T) {
	path := reflect.TypeFor[Note]().PkgPath()
	ixgo.RegisterPackage(&ixgo.Package{
		Name: "ixengine", Path: path,
		Interfaces: map[string]reflect.Type{"Noter": reflect.TypeFor[Noter]()},
		NamedTypes: map[string]reflect.Type{"Note": reflect.TypeFor[Note](), "Notes": reflect.TypeFor[Notes](), "Index": reflect.TypeFor[Index](),
			"Queue": reflect.TypeFor[Queue](), "Queued": reflect.TypeFor[Queued]()},
		Funcs: map[string]reflect.Value{"First": reflect.ValueOf(func(n Notes, q Queue) (*Note, Index) { return n[0], nil })},
	})
	for _, first := range []string{"", "var _ x.Notes", "var _ x.Index", "var _ x.Noter", "var _ x.Note", "var _ = x.First", "var _ x.Queue"} {
		s := fresh(t, Options{})
		run(t, s, fmt.Sprintf("import x %q\n%s", path, first))
		run(t, s, `type mine struct{}
func (mine) Value(n int) (x.Index, x.Notes) { return nil, x.Notes{{}} }
var _ x.Noter = mine{}
var value func(int) (x.Index, x.Notes) = x.Noter(mine{}).Value
var children func() x.Notes = (&x.Note{}).Children
_, n := value(1)
n.Add(&x.Note{More: n})
var q x.Queue = x.Queued{}.Next
note, index := x.First(n, q)
index = x.Index{"a": note.Children()}`)
		if got := fmt.Sprint(run(t, s, "[]int{n.Count(), len(n[1].More), len(index)}")[0].Value); got != "[2 1 1]" {
			t.Errorf("after %q: %s", first, got)
		}
	}
}

// TestMentioned runs cells that mention all exports of packages, each package in a session of its own, and
// checks that the cells get these exports without the interpreter's builder.
func TestMentioned(t *testing.T) {
	if !alone(t) {
		return
	}
	allMentioned = true
	defer func() { allMentioned = false }()
	for i, path := range ixgo.PackageList() {
		if testing.Short() && i%7 != 0 {
			continue
		}
		loaded, _ := ixgo.LookupPackage(path)
		s, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := all.ctx.Importer.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		var names, mentions []string
		for _, name := range p.Scope().Names() {
			o := p.Scope().Lookup(name)
			if !o.Exported() {
				continue
			}
			switch o := o.(type) {
			case *types.Func:
				if o.Signature().TypeParams().Len() == 0 {
					names, mentions = append(names, name), append(mentions, "it."+name)
				}
			case *types.Var:
				names, mentions = append(names, name), append(mentions, "&it."+name)
			case *types.TypeName:
				n, ok := o.Type().(*types.Named)
				if !ok || n.TypeParams().Len() > 0 || types.IsInterface(n) {
					continue
				}
				for m := range n.Methods() {
					if m.Exported() {
						names, mentions = append(names, name+"."+m.Name()), append(mentions, fmt.Sprintf("(*it.%s).%s", name, m.Name()))
					}
				}
			}
		}
		if len(names) == 0 {
			continue
		}
		values, fail := s.Run(context.Background(), engine.Cell{Name: "all", Source: fmt.Sprintf("import it %q\n[]any{%s}", path, strings.Join(mentions, ", "))})
		if fail != nil {
			t.Errorf("%s: %v", path, fail)
			continue
		}
		for k, v := range values[0].Value.([]any) {
			got := reflect.ValueOf(v)
			if !got.IsValid() || got.Kind() == reflect.Func && got.IsNil() {
				t.Errorf("%s.%s is nil", path, names[k])
			}
			if want, ok := loaded.Vars[names[k]]; ok && got.Pointer() != want.Pointer() {
				t.Errorf("%s.%s is another variable", path, names[k])
			}
			if want, ok := loaded.Funcs[names[k]]; ok && got.Type() != want.Type() && !slices.Contains([]string{"log", "log/slog", "runtime", "runtime/debug"}, path) { // replacements in these packages take the frame as a parameter
				t.Errorf("%s.%s is a %v, want %v", path, names[k], got.Type(), want.Type())
			}
		}
	}
}

// TestMentionedCells runs cells with programs that need more than the names that they mention: promoted
// methods, methods of type arguments, variables of packages that are not imported, packages that are run from
// source.
func TestMentionedCells(t *testing.T) {
	for _, all := range []bool{false, true} {
		t.Run(fmt.Sprint("interpreter's builder ", all), func(t *testing.T) {
			allMentioned, noneMentioned = !all, all
			defer func() { allMentioned, noneMentioned = false, false }()
			testMentionedCells(t)
		})
	}
}

func testMentionedCells(t *testing.T) {
	for _, cells := range [][][2]string{
		{{"import \"bytes\"\ntype T struct{ *bytes.Buffer; n int }\nt := T{bytes.NewBufferString(\"ab\"), 1}", ""},
			{"t.Len()", "2"},
			{"import \"fmt\"\nvar w fmt.Stringer = t\nw.String()", "ab"},
			{"type U struct{ T }\nvar v interface{ Len() int } = U{t}\nv.Len()", "2"}},
		{{"import (\"fmt\"; \"time\")\nfunc name[T fmt.Stringer](x T) string { return x.String() }\nname(3*time.Second)", "3s"},
			{"f := name[time.Month]\nf(time.May)", "May"}},
		{{"import \"strings\"\nb := new(strings.Builder)", ""},
			{"b.WriteString(\"x\"); b.String()", "x"}},
		{{"import (\"slices\"; \"maps\"; \"cmp\")\nm := map[string]int{\"b\": 2, \"a\": 1}\nslices.Sorted(maps.Keys(m))", "[a b]"},
			{"slices.SortFunc([]int{2, 1}, cmp.Compare[int])\nslices.Max([]float64{1, 3, 2})", "3"}},
		{{"import (\"strings\"; \"errors\"; \"io/fs\")\nn := 0\nfor w := range strings.SplitSeq(\"a b c\", \" \") { n += len(w) }\nn", "3"},
			{"err := error(&fs.PathError{Op: \"open\", Path: \"p\", Err: fs.ErrNotExist})\np, ok := errors.AsType[*fs.PathError](err)\np.Path", "p"},
			{"ok && errors.Is(err, fs.ErrNotExist)", "true"}},
		{{"import \"sync/atomic\"\nvar p atomic.Pointer[string]\nx := \"s\"\np.Store(&x)\n*p.Load()", "s"},
			{"type C struct{ atomic.Int64 }\nvar c C\nc.Add(2)\nc.Load()", "2"}},
		{{"import \"gonum.org/v1/gonum/mat\"\nd := mat.NewDense(2, 2, []float64{1, 2, 3, 4})", ""},
			{"d.T().At(0, 1)", "3"},
			{"type M struct{ mat.Matrix }\nvar m mat.Matrix = M{d}\nmat.Sum(m)", "10"},
			{"struct{ *mat.Dense }{d}.At(1, 1)", "4"}},
		{{"import \"net/http\"\nr, _ := http.NewRequest(\"GET\", \"http://a.b/c\", nil)", ""},
			{"r.URL.Hostname()", "a.b"},
			{"import \"net/url\"\nu, _ := url.Parse(\"http://x.y/z\")\nr.URL = u\nr.URL.Path", "/z"},
			{"f := r.Header.Set\nf(\"A\", \"b\")\nr.Header.Get(\"A\")", "b"}},
		{{"import . \"math\"\nSqrt(4) + Pi - Pi", "2"}},
		{{"import \"math/rand/v2\"\nr := rand.New(rand.NewPCG(1, 2))\nr.IntN(1)", "0"}},
		{{"import (\"sort\"; \"container/heap\")\ntype H struct{ sort.IntSlice }\nfunc (h *H) Push(x any) { h.IntSlice = append(h.IntSlice, x.(int)) }\nfunc (h *H) Pop() any { k := len(h.IntSlice) - 1; x := h.IntSlice[k]; h.IntSlice = h.IntSlice[:k]; return x }\nh := &H{sort.IntSlice{3, 1, 2}}\nheap.Init(h)\nheap.Pop(h)", "1"},
			{"sort.Sort(sort.Reverse(h))\nh.IntSlice", "[3 2]"}},
		{{"import \"time\"\ntype D struct{ time.Duration }\nd := D{time.Minute}\nd.Seconds()", "60"},
			{"defer func() { _ = recover() }()\ngo d.String()\ndefer d.Hours()\nany(d).(interface{ String() string }).String()", "1m0s"}},
	} {
		s, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cells {
			values, err := s.Run(context.Background(), engine.Cell{Name: "c", Source: c[0]})
			got := ""
			if len(values) > 0 {
				got = fmt.Sprint(values[0].Value)
			}
			if err != nil || c[1] != "" && got != c[1] {
				t.Errorf("%s\ngives %s, %v; want %s", c[0], got, err, c[1])
			}
		}
	}
}

// tenImports is the cell of the imports benchmark in kernel/internal/bench.
const tenImports = `import (
	"archive/zip"
	"compress/gzip"
	"container/heap"
	"encoding/csv"
	"encoding/json"
	"html"
	"image/png"
	"math/big"
	"net/http"
	"text/template"
)
use := func(...interface{}) {}
use(zip.NewReader, gzip.NewReader, heap.Init, csv.NewReader, json.Marshal, html.EscapeString, png.Decode, big.NewInt, http.NewRequest, template.New)`

const numericImports = `import (
	"bytes"
	"fmt"
	"math"
	"os"
	"sort"
	"strings"
	"time"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
)
use := func(...interface{}) {}
use(bytes.NewBuffer, fmt.Sprint, math.Sqrt, os.Getenv, sort.Ints, strings.Fields, time.Now, mat.NewDense, stat.Mean, plot.New)`

// BenchmarkImports measures the first cell with imports, and the same cell again.
func BenchmarkImports(b *testing.B) {
	run := func(b *testing.B, s *Session, src string) {
		b.Helper()
		if _, err := s.Run(context.Background(), engine.Cell{Name: "bench", Source: src}); err != nil {
			b.Fatal(err)
		}
	}
	for _, c := range []struct{ name, src string }{{"ten", tenImports}, {"numeric", numericImports}} {
		b.Run(c.name+"/first", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s, err := New(Options{})
				if err != nil {
					b.Fatal(err)
				}
				run(b, s, "6*7")
				b.StartTimer()
				run(b, s, c.src)
			}
		})
		b.Run(c.name+"/again", func(b *testing.B) {
			s, err := New(Options{})
			if err != nil {
				b.Fatal(err)
			}
			run(b, s, c.src)
			for b.Loop() {
				run(b, s, c.src)
			}
		})
	}
}

// TestUnique: unique.Make gives equal handles in all cells.
func TestUnique(t *testing.T) {
	for _, l := range Levels {
		t.Run(l.Name, func(t *testing.T) {
			defer l.Force()()
			s := fresh(t, Options{})
			run(t, s, `import ("fmt"; "unique")
type T struct{ A any; S string }
s, n := unique.Make("a"), unique.Make(T{2, "b"})
none, err := unique.Make[any](nil), unique.Make[error](nil)`)
			got := run(t, s, `b := []byte("a")
fmt.Sprint(unique.Make(string(b)) == s, unique.Make("b") == s, s.Value(), unique.Make(T{2, "b"}) == n, unique.Make(T{2.0, "b"}) == n, n.Value().A,
	none == unique.Make[any](nil), none.Value(), err.Value(), unique.Make[any]("a") == none, map[unique.Handle[string]]int{s: 1}[unique.Make("a")])`)[0].Value
			if want := "true falseatrue false 2 true <nil> <nil> false 1"; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestIterators: the iterators that compiled methods return are of the types iter.Seq and iter.Seq2, also if cells have
// used these types with the same arguments before, with runtime types of their own.
func TestIterators(t *testing.T) {
	for _, l := range Levels {
		t.Run(l.Name, func(t *testing.T) {
			defer l.Force()()
			s := fresh(t, Options{})
			run(t, s, `import ("fmt"; "iter"; "reflect"; "slices"; "strings")
type Seq = iter.Seq[reflect.StructField]
func own() Seq { return func(yield func(reflect.StructField) bool) { yield(reflect.StructField{Name: "own"}) } }
type G struct { seq Seq; list []Seq }
first := own()
g := G{first, []Seq{first}}
var x any = first
m := map[string]Seq{"a": first}
isSeq := func(v any) bool { _, ok := v.(Seq); return ok }
count := func(s Seq) int { return len(slices.Collect(s)) }`)
			for _, c := range []struct{ src, want string }{
				{`type T struct { A, B int }
t := reflect.TypeOf(T{})
slices.Collect(t.Fields())[1].Name`, "B"},
				{`g.seq, g.list, m["b"] = t.Fields(), append(g.list, t.Fields()), t.Fields()
fmt.Sprint(count(g.seq), count(g.list[0]), count(g.list[1]), count(m["a"]), count(m["b"]), count(first), isSeq(x), isSeq(t.Fields()), isSeq(own()), isSeq(1))`, "2 1 2 1 2 1 true true true false"},
				{`first = t.Fields()
x = own()
next, stop := iter.Pull(first)
f, ok := next()
stop()
pairs := 0
for range iter.Seq2[reflect.Value, reflect.Value](reflect.ValueOf([]int{4, 5}).Seq2()) { pairs++ }
strings.Join(slices.Collect(strings.SplitSeq("r,s", ",")), "") + strings.Join(slices.Sorted(strings.FieldsSeq(" u t ")), "") +
	fmt.Sprintf(" %s %v %T %T %v %d", f.Name, ok, first, t.Fields(), isSeq(x), pairs)`, "rstu A true iter.Seq[reflect.StructField] iter.Seq[reflect.StructField] true 2"},
			} {
				if got := run(t, s, c.src)[0].Value; got != c.want {
					t.Errorf("%s\ngives %v, want %s", c.src, got, c.want)
				}
			}
		})
	}
}
