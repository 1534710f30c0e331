package insight_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	_ "overcomplete/kernel/bind"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/insight"
	"overcomplete/kernel/internal/apidoc"
	"overcomplete/kernel/internal/ixengine"

	_ "overcomplete/cmd/overcomplete/bindings" // for cells that import the library
	"overcomplete/internal/patience"
	_ "overcomplete/kernel/internal/bindings"
)

var verbose = flag.Bool("show", false, "print what each case of the tables gives")

// cells lists the cells that have run in the session of the test tables.
var cells = []string{
	`import (
	"fmt"
	"gonum.org/v1/gonum/mat"
	str "strings"
)`,
	`// A Shape has an area.
type Shape interface {
	// Area is in square metres.
	Area() float64
}

// Base is embedded.
type Base struct {
	ID int // counts from one
}

// Describe says what it is.
func (b *Base) Describe() string { return fmt.Sprint(b.ID) }

// Square is a shape.
type Square struct {
	Base
	// Side is its length.
	Side float64
	inner map[string]*Base
}

// Area is the side squared.
func (s Square) Area() float64 { return s.Side * s.Side }

func (s *Square) Grow(by float64) { s.Side += by }

type Stack[T any] struct{ items []T }

func (s *Stack[T]) Push(x T) { s.items = append(s.items, x) }
func (s *Stack[T]) Pop() (x T) { return x }

type Color int

const (
	Red Color = iota // like blood
	Green
	Blue
)

const limit = 100

// area adds up areas.
//
// It takes any number of shapes.
func area(first Shape, more ...Shape) (total float64) { return first.Area() }

func pairs(n int) []struct{ Left, Right int } { return nil }`,
	`sq := Square{Side: 2}
ptr := &sq
squares := []Square{sq}
byName := map[string]*Square{"a": ptr}
dense := mat.NewDense(2, 3, nil)
builder := &str.Builder{}
stack := &Stack[Square]{}
gr\u00f6\u00dfe := 3.5
word := "hello"
var shape Shape = sq
anon := struct{ Alpha, Beta int }{1, 2}
next := func() *Square { return ptr }
ch := make(chan Square, 1)`,
}

func start(t testing.TB, cells []string) (*insight.Insight, *ixengine.Session) {
	t.Helper()
	insight.OnPanic(func(r any) { t.Errorf("panic: %v\n%s", r, debug.Stack()) })
	s, err := ixengine.New(ixengine.Options{Predeclared: map[string]string{"display": "overcomplete/ui/display"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, src := range cells {
		src = strings.ReplaceAll(strings.ReplaceAll(src, `\u00f6`, "ö"), `\u00df`, "ß")
		if _, err := s.Run(context.Background(), engine.Cell{Name: fmt.Sprintf("In[%d]", i+1), Source: src}); err != nil {
			t.Fatalf("%s\n%v", src, err)
		}
	}
	in := insight.New()
	in.Attach(s)
	return in, s
}

// complete completes code at its last |, which stands for the cursor.
func complete(t testing.TB, in *insight.Insight, code string) (c insight.Completion, src string) {
	t.Helper()
	i := strings.LastIndex(code, "|")
	src = code[:i] + code[i+1:]
	c, err := in.Complete(context.Background(), src, utf8.RuneCountInString(code[:i]))
	if err != nil {
		t.Fatal(err)
	}
	return c, src
}

// TestComplete has a line for each case. A line has the code with the cursor; the first expected matches, with
// their types after a colon; and names that must not match.
func TestComplete(t *testing.T) {
	in, _ := start(t, cells)
	for _, test := range []struct{ code, want, not string }{
		// Names of the session.
		{"squ|", "squares:variable", "sq"},
		{"sq|", "sq:variable squares:variable", ""},
		{"x := wor|", "word:variable", ""},
		{"are|", "area:function", ""},
		{"Squ|", "Square:class squares:variable", ""},
		{"lim|", "limit:constant", ""},
		{"Gr|", "Green:constant größe:variable", ""},
		{"größ|", "größe:variable", ""},
		{"st|", "stack:variable str:module", ""},
		{"displ|", "display:module", ""},
		// Names of Go itself.
		{"app|", "append:function", ""},
		{"fals|", "false:constant", "fallthrough"},
		{"fal|", "false:constant fallthrough:keyword", ""},
		{"x := ran|", "range:keyword", ""},
		{"ret|", "return:keyword", ""},
		{"x := ret|", "", "return"},
		{"var x int6|", "int64:class", ""},
		{"var x st|", "str:module string:class struct:keyword Stack:class stat:module", "stack"},
		// Case and humps.
		{"SQ|", "Square:class sq:variable squares:variable", ""},
		{"bN|", "byName:variable", ""},
		{"mat.nd|", "NewDense:function NewDiagDense:function", ""},
		{"mat.NewDe|", "NewDense:function", "CDense"},
		{"mat.newde|", "NewDense:function", ""},
		// Packages.
		{"mat.|", "BandCholesky:class", "newWorkspace"},
		{"fmt.Pri|", "Print:function Printf:function Println:function", "Sprint"},
		{"str.ToU|", "ToUpper:function ToUpperSpecial:function", ""},
		{"display.HT|", "HTML:function HTMLer:class", ""},
		{"math.Pi|", "Pi:constant", ""},
		{"sort.Float6|", "Float64Slice:class Float64s:function Float64sAreSorted:function", ""},
		{"var t time.Dur|", "Duration:class", ""},
		{"plotut|", "plotutil:module", ""},
		{"x := rand.New|", "New:function NewChaCha8:function NewPCG:function", ""},
		{"import \"net/url\"\nurl.Par|", "Parse:function ParseQuery:function ParseRequestURI:function", ""},
		{"import u \"net/url\"\nu.Par|", "Parse:function ParseQuery:function", ""},
		{"import . \"math\"\nAcos|", "Acos:function Acosh:function", ""},
		{"import (\n\t. \"math\"\n)\nx := Acos|", "Acos:function Acosh:function", ""},
		{"import (\n\t\"time\"\n)\nt := time.Now()\nt.Unix|", "Unix:method UnixMicro:method", ""},
		{"slices.Sor|", "Sort:function SortFunc:function SortStableFunc:function Sorted:function", ""},
		{"unsafe.Po|", "Pointer:class", ""},
		// Import paths.
		{"import \"gonum.org/v1/plot/plott|", "gonum.org/v1/plot/plotter:module", ""},
		{"import \"plotte|\"", "gonum.org/v1/plot/plotter:module", ""},
		{"import (\n\t\"fmt\"\n\t\"enc|", "encoding:module encoding/ascii85:module", ""},
		{"import x \"strc|\"\nfmt.Println()", "strconv:module", ""},
		{"fmt.Println(\"strc|\")", "", "strconv"},
		// Fields and methods.
		{"sq.|", "Area:method Base:field Grow:method Side:field inner:field Describe:method ID:field", ""},
		{"ptr.|", "Area:method Base:field Grow:method", ""},
		{"sq.Base.|", "Describe:method ID:field", "Area"},
		{"squares[0].Si|", "Side:field", ""},
		{"byName[\"a\"].gro|", "Grow:method", ""},
		{"dense.Di|", "DiagView:method Dims:method", ""},
		{"dense.T().Di|", "Dims:method", "DiagView"},
		{"builder.WriteS|", "WriteString:method", ""},
		{"stack.|", "Pop:method Push:method items:field", ""},
		{"stack.Pop().|", "Area:method Base:field", ""},
		{"shape.|", "Area:method", "Side"},
		{"shape.(Square).|", "Area:method Base:field", ""},
		{"anon.|", "Alpha:field Beta:field", ""},
		{"next().Base.|", "Describe:method ID:field", ""},
		{"(<-ch).Si|", "Side:field", ""},
		{"(*ptr).Si|", "Side:field", ""},
		{"(&sq).Gr|", "Grow:method", ""},
		{"Square.|", "Area:method", "Side"},
		{"(*Square).|", "Area:method Grow:method Describe:method", "Side"},
		{"pairs(3)[0].|", "Left:field Right:field", ""},
		{"mat.NewDense(2, 3, nil).Ro|", "RowView:method", ""},
		{"Red.|", "", "Area"},
		{"sq.inner[\"x\"].|", "Describe:method ID:field", ""},
		{"fmt.Sprint(sq.Si|)", "Side:field", ""},
		{"fmt.Println(sq.Side, ptr.|", "Area:method", ""},
		// Struct literals.
		{"Square{|", "Base:field Side:field inner:field", ""},
		{"Square{Side: 1, |", "Base:field inner:field", "Side"},
		{"x := &Square{Si|: 1}", "Side:field", ""},
		{"Square{Side: lim|", "limit:constant", ""},
		{"[]Square{{Si|", "Side:field", ""},
		{"map[string]Square{\"a\": {Si|", "Side:field", ""},
		{"Square{Base: Base{I|", "ID:field", ""},
		// Variables of the unfinished cell.
		{"alpha := 1\nbeta := alp|", "alpha:variable", "beta"},
		{"func f(count int) int {\n\treturn cou|", "count:variable", ""},
		{"func f(s Square) float64 { return s.Si| }", "Side:field", ""},
		{"func (s *Square) Twice() float64 {\n\treturn s.Ar|\n}", "Area:method", ""},
		{"for i, item := range squares {\n\titem.Si|", "Side:field", ""},
		{"for i, item := range squares {\n\tfmt.Println(ite|)\n}", "item:variable", ""},
		{"for _, item := range byName {\n\tif item.|", "Area:method", ""},
		{"for i := 0; i < lim|", "limit:constant", ""},
		{"for i := 0; i < len(squares); i++ { squares[i].Si|", "Side:field", ""},
		{"if v, ok := byName[\"a\"]; ok && v.Si|", "Side:field", ""},
		{"if v, ok := byName[\"a\"]; ok {\n\tv.|\n}", "Area:method Base:field", ""},
		{"switch v := shape.(type) {\ncase Square:\n\tv.Si|", "Side:field", ""},
		{"switch shape.(type) {\ncase Squ|", "Square:class", ""},
		{"select {\ncase v := <-ch:\n\tv.Si|", "Side:field", ""},
		{"go func() { ptr.Gr|", "Grow:method", ""},
		{"defer ptr.Gr|", "Grow:method", ""},
		{"x := mat.NewVecDense(3, nil)\nfunc f() { x.AtV|", "AtVec:method", ""},
		{"local := Square{}\nfunc f() float64 { return local.Si| }\nf()", "Side:field", ""},
		{"func f() { hel| }\nfunc helper() {}", "helper:function", ""},
		{"hel|\n\nfunc helper() {}", "helper:function", ""},
		{"type Own struct{ Left, Right int }\nvar o Own\no.|", "Left:field Right:field", ""},
		{"func g[T any](xs []T, first T) { fir|", "first:variable", ""},
		{"func g(a Square, b Squ|", "Square:class", "squares"},
		{"func g(a Square) Squ|", "Square:class", ""},
		{"outer:\nfor {\n\tbreak ou|\n}", "outer:label", ""},
		{"f := func(one Square) { one.Si|", "Side:field", ""},
		{"apply := func(g func(Square)) {}\napply(func(each Square) { each.Si|", "Side:field", ""},
		{"x := [lim|", "limit:constant", ""},
		{"var xs []Squ|", "Square:class", "squares"},
		{"var m map[string]Squ|", "Square:class", ""},
		{"x := squares[:lim|", "limit:constant", ""},
		{"func fibo(n int) int { return fib|", "fibo:function", ""},
		{"if v := sq.Si|", "Side:field", ""},
		{"if v := sq.Side; v > ptr.Si|", "Side:field", ""},
		{"switch v := sq.Si|", "Side:field", ""},
		{"for i := sq.Si|", "Side:field", ""},
		{"for i := 0; i < 3; i += sq.Base.I|", "ID:field", ""},
		{"if true {\n} else if sq.Si|", "Side:field", ""},
		{"for _, n := range []float64{1, sq.Si|", "Side:field", ""},
		{"m := map[Color]Squ|", "Square:class", ""},
		{"ch <- squares[0].Base.I|", "ID:field", ""},
		{"return sq.Si|", "Side:field", ""},
		{"x, y := 1, sq.Si|", "Side:field", ""},
		{"x := -sq.Si|", "Side:field", ""},
		{"func f() (Square, error) { return Square{Si|", "Side:field", ""},
		// Broken cells.
		{"x := := 3\nsq.Si|", "Side:field", ""},
		{"foo(\ny := sq\ny.Si|", "Side:field", ""},
		{"sq.Si|\n}}}", "Side:field", ""},
		{"sq.Si|\nx := [", "Side:field", ""},
		{"fmt.Println(sq.Si|\nfor {", "Side:field", ""},
		{"if sq.Si|\n\ny := 3", "Side:field", ""},
		{"y := \"open\nsq.Si|", "Side:field", ""},
		{"func f( {\n}\nsq.Si|", "Side:field", ""},
		// The cursor is inside a word, or there are no matches.
		{"sq.Si|de + 1", "Side:field", ""},
		{"// sq.Si|", "", "Side"},
		{"\"sq.Si|\"", "", "Side"},
		{"`sq.Si|", "", "Side"},
		{"3.|", "", "Side"},
		{"var na|", "", "nothing"},
		{"func ne|", "", "next"},
		{"type Sq|", "", "Square"},
		{"nosuch.|", "", "Side"},
		// Commands.
		{"%ti|", "%time:magic %timeit:magic", "%who %%time %%timeit"},
		{"%%ti|", "%%time:magic %%timeit:magic", "%time"},
		{"%wr|", "%%writefile:magic", "%who"},
		{"%|", "%args:magic %cd:magic %data:magic %env:magic", "$"},
		{"%%|", "%%cache:magic %%native:magic %%prof:magic %%test:magic %%time:magic %%timeit:magic %%writefile:magic", "%time $"},
		{"%timeit -n 10 sq.Si|", "Side:field", ""},
		{"%who sq.Si|", "", "Side"},
		{"%%writefile x.go\nsq.Si|", "", "Side"},
		{"$ ls sq.Si|", "", "Side"},
		{"%time sq.Si|", "Side:field", ""},
		{"%time func() {\n\tsq.Si|\n}()", "Side:field", ""},
		{"!ls sq.Si|", "", "Side"},
		{"%nothing sq.Si|", "", "Side"},
		{"x := `\n%who\n`\nsq.Si|", "Side:field", ""},
		{"ok := true\n!ok && sq.Si|", "Side:field", ""},
		{"!(sq.Si|", "Side:field", ""},
		{"%%native\nsq.Si|", "Side:field", ""},
		{"x := 7 %lim|", "limit:constant", ""},
	} {
		c, src := complete(t, in, test.code)
		var got []string
		for i, m := range c.Matches {
			got = append(got, m+":"+c.Types[i])
		}
		if *verbose {
			t.Logf("%q: %s", test.code, strings.Join(got[:min(len(got), 12)], " "))
		}
		want := strings.Fields(test.want)
		ok := len(got) >= len(want)
		for i := 0; ok && i < len(want); i++ {
			ok = got[i] == want[i] || c.Matches[i] == want[i]
		}
		if test.want == "" && test.not == "nothing" {
			ok = len(got) == 0
		}
		for _, m := range strings.Fields(test.not) {
			ok = ok && !slices.Contains(c.Matches, m)
		}
		if !ok {
			t.Errorf("%q: want %s, not %s, got %s", test.code, test.want, test.not, strings.Join(got[:min(len(got), 12)], " "))
		}
		// A match replaces the typed text and the rest of the word.
		runes := []rune(src)
		if c.Start < 0 || c.End > len(runes) || c.Start > c.End {
			t.Errorf("%q: replaces %d to %d of %d", test.code, c.Start, c.End, len(runes))
		}
	}
}

func TestCompleteRange(t *testing.T) {
	in, _ := start(t, cells)
	for _, test := range []struct {
		code, replaced string
	}{
		{"größe + wo|rd * 2", "word"},
		{"\"😀\" + wor|", "wor"}, // the emoji is one rune, but two UTF-16 units
		{"import \"gonum.org/v1/pl|ot\"", "gonum.org/v1/plot"},
		{"%ti|me 3", "%time"},
		{"sq.|", ""},
		{"sq. |", ""},
	} {
		c, src := complete(t, in, test.code)
		if got := string([]rune(src)[c.Start:c.End]); got != test.replaced || len(c.Matches) == 0 {
			t.Errorf("%q: replaces %q, want %q", test.code, got, test.replaced)
		}
	}
}

func TestInspect(t *testing.T) {
	in, _ := start(t, cells)
	for _, test := range []struct {
		code   string
		detail int
		want   string // strings that the answer must contain, separated by |
	}{
		{"mat.NewDense(2, ~", 0, "func mat.NewDense(r int, c int, data []float64) *mat.Dense|parameter 2 of 3: c int|NewDense creates a new Dense matrix"},
		{"mat.NewDense(~", 0, "parameter 1 of 3: r int"},
		{"mat.NewDense(2, 3~", 0, "parameter 2 of 3: c int"},
		{"mat.NewDense(2, len(\"a\"), ~)", 0, "parameter 3 of 3: data []float64"},
		{"fmt.Printf(\"%d\", 1, ~", 0, "func fmt.Printf(format string, a ...any)|parameter 2 of 2: a ...any"},
		{"fmt.Println(area(sq, ~", 0, "func area(first Shape, more ...Shape)|parameter 2 of 2: more ...Shape|area adds up areas"},
		{"mat.New~Dense", 0, "func mat.NewDense|creates a new Dense"},
		{"mat~", 0, "package mat // import \"gonum.org/v1/gonum/mat\"|Package mat provides"},
		{"plotter~", 0, "package plotter|not imported yet: import \"gonum.org/v1/plot/plotter\""},
		{"rand~", 0, "math/rand/v2|also called rand: math/rand, crypto/rand"},
		{"plotter.NewSca~tter", 0, "func plotter.NewScatter|not imported yet: import \"gonum.org/v1/plot/plotter\""},
		{"dense.Mul(~", 0, "func (m *mat.Dense) Mul(a mat.Matrix, b mat.Matrix)|parameter 1 of 2: a mat.Matrix|Mul takes the matrix product"},
		{"dense.Mu~l(a, b)", 0, "Mul takes the matrix product"},
		{"(&testing.B{}).Error~f(a, b)", 0, "Errorf is equivalent to"},
		{"de~nse", 0, "var dense *mat.Dense|value: 2×3|variable of In[3]"},
		{"wo~rd", 0, "var word string|\"hello\""},
		{"s~q", 1, "var sq Square|Side: 2|sq := Square{Side: 2}"},
		{"squares~", 0, "var squares []Square|[{Base: {ID: 0}, Side: 2"},
		{"byName~", 0, "map, 1 entries"},
		{"größe~", 0, "3.5"},
		{"sq.Si~de", 0, "Square.Side float64 // field|Side is its length."},
		{"sq.I~D", 0, "Base.ID int // field|counts from one"},
		{"sq.Area~()", 1, "func (s Square) Area() float64|Area is the side squared.|declared in In[2]|return s.Side * s.Side"},
		{"sq.Describe(~)", 0, "Describe says what it is"},
		{"shape.Ar~ea", 0, "Area is in square metres."},
		{"Squ~are{}", 1, "type Square struct|methods: Area, Describe, Grow|Square is a shape.|// Side is its length."},
		{"Square{~}", 0, "type Square struct"},
		{"Square{Si~de: 1}", 0, "Side is its length."},
		{"Sta~ck[int]{}", 0, "type Stack[T any] struct|methods: Pop, Push"},
		{"Re~d", 0, "const Red Color = 0|like blood"},
		{"lim~it", 1, "const limit = 100"},
		{"math.P~i", 0, "const math.Pi = 3.14159|not imported yet"},
		{"http.StatusNot~Found", 0, "const http.StatusNotFound = 404"},
		{"http.Clie~nt{}", 0, "type http.Client struct|Timeout time.Duration|A Client is an HTTP client. Its zero value (DefaultClient) is"},
		{"http.Client{Time~out: 3}", 0, "Timeout specifies a time limit"},
		{"mat.Mat~rix", 0, "type mat.Matrix interface|Dims() (r int, c int)|Matrix is the basic matrix interface type."},
		{"dense.T().Di~ms()", 0, "Dims returns the dimensions of a Matrix."},
		{"fo~r i := range 3 {}", 0, "for i := range n {}|Runs its body"},
		{"app~end(xs, 1)", 0, "func append(slice []Type, elems ...Type) []Type|appends elements to the end of a slice"},
		{"append(~", 0, "func append(slice []Type"},
		{"var e err~or", 0, "type error interface|error built-in interface type"},
		{"var e in~t", 0, "type int|signed integer type"},
		{"ni~l", 0, "nil is a predeclared identifier"},
		{"slices.Sort~Func(xs, nil)", 0, "func slices.SortFunc[S ~[]E, E any](x S, cmp func(a E, b E) int)|sorts the slice x"},
		{"slices.SortFunc(~", 0, "parameter 1 of 2: x S"},
		{"strings.To~Upper", 0, "ToUpper returns s with all Unicode letters mapped to their upper case."},
		{"import \"os/ex~ec\"", 0, "package exec|Package exec runs external commands"},
		{"func f(count int) { cou~nt++ }", 0, "count int // parameter"},
		{"x := mat.NewVecDense(3, nil)\nx~.Len()", 0, "var x *mat.VecDense"},
		{"y~ := sq", 0, "var y Square"},
		{"// Own is mine.\ntype Own struct{ Left int }\nO~wn{}", 1, "type Own struct|Own is mine."},
		{"// twice doubles.\nfunc twice(x int) int { return 2 * x }\ntwice(~", 0, "func twice(x int) int|parameter 1 of 1: x int|twice doubles."},
		{"time.Duration(~", 0, "type time.Duration int64"},
		{"%ti~me x", 0, "run a statement once"},
		{"next(~)", 0, "var next func() *Square"},
		{"for i, it~em := range squares {}", 0, "var item Square"},
		{"if x := sq.Ar~ea(", 0, "func (s Square) Area()"},
		{"var t time.Time\nt.For~mat(", 0, "func (t time.Time) Format(layout string) string|textual representation"},
		{"display.HTM~L(\"\")", 0, "func display.HTML("},
		{"dot := mat.Do~t", 0, "func mat.Dot(a mat.Vector, b mat.Vector) float64"},
		{"switch v~ := shape.(type) {\ncase Square:\n}", 0, "var v Shape"},
	} {
		i := strings.LastIndex(test.code, "~")
		if strings.Contains(test.want, "S ~[]E") {
			i = strings.Index(test.code, "~")
		}
		src := test.code[:i] + test.code[i+1:]
		d, found, err := in.Inspect(context.Background(), src, utf8.RuneCountInString(test.code[:i]), test.detail)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := d.Data["text/plain"].(string)
		if *verbose {
			t.Logf("%q:\n%s", test.code, text)
		}
		for _, want := range strings.Split(test.want, "|") {
			if !found || !strings.Contains(text, want) {
				t.Errorf("%q: no %q in\n%s", test.code, want, text)
			}
		}
		if md, _ := d.Data["text/markdown"].(string); found && !strings.HasPrefix(md, "```go\n") {
			t.Errorf("%q: Markdown is %q", test.code, md)
		}
		if test.detail == 0 && strings.Contains(text, "s.Side * s.Side") {
			t.Errorf("%q: shows the source at detail 0", test.code)
		}
	}
	// A field of an unnamed struct is not described as a member of the package.
	src := "plot.New().Title.Text"
	d, found, err := in.Inspect(context.Background(), src, len(src), 0)
	if text, _ := d.Data["text/plain"].(string); err != nil || !found || !strings.HasPrefix(text, "Text string // field") {
		t.Errorf("%s: %v\n%s", src, err, text)
	}
	for _, code := range []string{"", "~", "nosuch~", "// mat.NewD~ense", "x := 3 ~", "\"te~xt\"", "sq.Nothing~", "{ ~"} {
		i := max(strings.Index(code, "~"), 0)
		src := strings.Replace(code, "~", "", 1)
		if d, found, _ := in.Inspect(context.Background(), src, i, 0); found {
			t.Errorf("%q: found %v", code, d.Data["text/plain"])
		}
	}
}

// TestNoSession: without a session, completion offers packages and Go's own names.
func TestNoSession(t *testing.T) {
	in := insight.New()
	if c, _ := complete(t, in, "fmt.Printl|"); !slices.Equal(c.Matches, []string{"Println"}) {
		t.Errorf("%v", c.Matches)
	}
	if _, found, _ := in.Inspect(context.Background(), "fmt.Println", 6, 0); !found {
		t.Error("fmt.Println is not found")
	}
}

// TestLatency measures the time of completions in the packages with the most names.
func TestLatency(t *testing.T) {
	in, _ := start(t, cells)
	complete(t, in, "mat.|") // the first query reads the types
	for _, path := range apidoc.Paths() {
		e, _ := apidoc.Lookup(path)
		patience.Try(t, func() string {
			begin := time.Now()
			c, _ := complete(t, in, fmt.Sprintf("import %q\n%s.|", path, e.Name))
			took := time.Since(begin)
			if *verbose && len(c.Matches) > 150 {
				t.Logf("%s: %d names, %v", path, len(c.Matches), took)
			}
			if took > 500*time.Millisecond { // it takes 50 ms on an idle machine
				return fmt.Sprintf("%s: %v", path, took)
			}
			return ""
		})
	}
}

func BenchmarkComplete(b *testing.B) {
	in, _ := start(b, cells)
	for _, code := range []string{"mat.|", "dense.|", "fmt.Println(sq.|", "s|", "http.|", "import \"plo|"} {
		b.Run(strings.ReplaceAll(code, "/", "_"), func(b *testing.B) {
			for range b.N {
				complete(b, in, code)
			}
		})
	}
}

func BenchmarkInspect(b *testing.B) {
	in, _ := start(b, cells)
	for _, code := range []string{"mat.NewDense", "http.Get(", "sq"} {
		b.Run(code, func(b *testing.B) {
			for range b.N {
				in.Inspect(context.Background(), code, len(code), 0)
			}
		})
	}
}

// TestWhileACellRuns sends requests while cells are running that declare and change the names in the requests.
// It is meant for the race detector.
func TestWhileACellRuns(t *testing.T) {
	in, s := start(t, cells)
	complete(t, in, "mat.|")
	stop := make(chan bool)
	var asking sync.WaitGroup
	for _, code := range []string{"sq.|", "grow|", "dense.T().|", "squares[0].Base.|", "x|"} {
		asking.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				complete(t, in, code)
				in.Inspect(context.Background(), strings.Trim(code, "|."), 2, n%2)
			}
		})
	}
	for i := range 8 {
		src := fmt.Sprintf(`import "gonum.org/v1/gonum/stat"
type Extra%d struct{ Value int }
func grow%d(n int) int { return n + %d }
var x%d Extra%d
for i := range 20000 {
	sq.Side += float64(i)
	word += "."
	byName[fmt.Sprint(i %% 50)] = &sq
	x%d.Value = grow%d(i)
	if len(word) > 100 { word = "" }
}`, i, i, i, i, i, i, i)
		if _, err := s.Run(context.Background(), engine.Cell{Name: fmt.Sprintf("In[%d]", 10+i), Source: src}); err != nil {
			t.Error(err)
			break
		}
	}
	close(stop)
	asking.Wait()
	if c, _ := complete(t, in, "x7.|"); !slices.Equal(c.Matches, []string{"Value"}) {
		t.Errorf("after the cells: %v", c.Matches)
	}
}

// TestDuringCell: names of the running cell are known, but their values are not.
func TestDuringCell(t *testing.T) {
	in, s := start(t, cells)
	done := make(chan error)
	go func() {
		_, err := s.Run(context.Background(), engine.Cell{Name: "In[9]", Source: "fresh := 1\nfor ch != nil {\n\tif _, ok := <-ch; !ok { break }\n}"})
		done <- err
	}()
	if !patience.Wait(func() bool {
		c, _ := complete(t, in, "fres|")
		return slices.Contains(c.Matches, "fresh")
	}) {
		t.Error("the running cell's variable is not offered")
	}
	d, ok, _ := in.Inspect(context.Background(), "word", 4, 0)
	if text := fmt.Sprint(d.Data["text/plain"]); !ok || strings.Contains(text, "value:") {
		t.Errorf("while a cell runs: %s", text)
	}
	s.Peek("ch", func(any) { t.Error("a variable was shown while a cell runs") })
	closeFromOutside(t, s)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// closeFromOutside closes the channel ch, which is a variable of the session.
func closeFromOutside(t *testing.T, s *ixengine.Session) {
	for _, v := range s.Vars() {
		if v.Name == "ch" {
			reflect.ValueOf(v.Addr).Elem().Close()
			return
		}
	}
	t.Fatal("no variable ch")
}

// TestRedeclared: the old meaning of a redeclared name is not offered.
func TestRedeclared(t *testing.T) {
	in, s := start(t, cells)
	for _, src := range []string{"type Square struct{ Edge int }\nfunc (Square) Perimeter() int { return 0 }", "sq := Square{3}", "word := 3", "func limitless() {}"} {
		if _, err := s.Run(context.Background(), engine.Cell{Name: "In[20]", Source: src}); err != nil {
			t.Fatal(err)
		}
	}
	if c, _ := complete(t, in, "sq.|"); !slices.Contains(c.Matches, "Edge") || !slices.Contains(c.Matches, "Perimeter") || slices.Contains(c.Matches, "Side") {
		t.Errorf("sq has %v", c.Matches)
	}
	// An unfinished cell can redeclare a type too.
	if c, _ := complete(t, in, "type Square struct{ New int }\nvar z Square\nz.|"); !slices.Contains(c.Matches, "New") || slices.Contains(c.Matches, "Edge") {
		t.Errorf("z has %v", c.Matches)
	}
	// It can also add methods.
	if c, _ := complete(t, in, "func (s Square) More() {}\nsq.|"); !slices.Contains(c.Matches, "More") || !slices.Contains(c.Matches, "Perimeter") {
		t.Errorf("sq has %v", c.Matches)
	}
	d, _, _ := in.Inspect(context.Background(), "word", 4, 0)
	if text := fmt.Sprint(d.Data["text/plain"]); !strings.Contains(text, "var word int") {
		t.Errorf("word is %s", text)
	}
}

// TestUnexported: a variable may have a type that is unexported in its package.
func TestUnexported(t *testing.T) {
	in, s := start(t, nil)
	src := "import \"os/exec\"\nimport \"math/rand\"\nimport \"context\"\nctx, cancel := context.WithCancel(context.Background())\ndefer cancel()\nwait := exec.Command(\"true\").Wait\nsource := rand.NewSource(1)\nbg := context.Background()"
	if _, err := s.Run(context.Background(), engine.Cell{Name: "In[1]", Source: src}); err != nil {
		t.Fatal(err)
	}
	for code, want := range map[string]string{"ctx.|": "Deadline", "bg.|": "Done", "source.|": "Int63"} {
		if c, _ := complete(t, in, code); !slices.Contains(c.Matches, want) {
			t.Errorf("%s: %v", code, c.Matches)
		}
	}
}

// FuzzAnswers: no text and cursor cause a panic, and the replaced range lies within the text.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{
		"mat.NewDense(2, ", "for i, x := range squares {\n\tx.", "Square{Side: ", "import \"gonum", "func (s *Square) F(", "%time x",
		"switch v := shape.(type) {\ncase ", "type T[P any] struct{", "if x := f(", "`raw", "/* open", "x.(", "[...]int{1, 2}[", "\xff.\x00", "func f() { goto ", "a[b[c[", "}}}", "🙂.x", "const ( a = iota; b ",
		"type T T", "type T struct{ T }\nT{}.", "func f[T f[T]]() {}\nf", "var x = x.", "type I interface{ I }\nvar i I\ni.", "import . \"fmt\"\nPri", "import x \"\"\nx.", "func (T) init() {", "func init() {", "_ = _.", "go ", "label: for { break l",
	} {
		f.Add(s, len([]rune(s)))
	}
	args := os.Args // a session removes the arguments, but the fuzzing processes need them
	in, _ := start(f, cells)
	os.Args = args
	f.Fuzz(func(t *testing.T, code string, cursor int) {
		insight.OnPanic(func(r any) { t.Errorf("panic: %v\n%s", r, debug.Stack()) })
		c, err := in.Complete(context.Background(), code, cursor)
		if err != nil {
			t.Fatal(err)
		}
		if n := utf8.RuneCountInString(code); c.Start < 0 || c.Start > c.End || c.End > n || len(c.Types) != len(c.Matches) {
			t.Fatalf("replaces %d to %d of %d; %d types for %d matches", c.Start, c.End, n, len(c.Types), len(c.Matches))
		}
		for detail := range 2 {
			if _, _, err := in.Inspect(context.Background(), code, cursor, detail); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func Example() {
	in := insight.New()
	code := "for i := range 3 { strings.HasP"
	c, _ := in.Complete(context.Background(), code, len(code))
	fmt.Println(c.Matches, c.Types, code[c.Start:c.End])
	d, _, _ := in.Inspect(context.Background(), "strings.Repeat(\"ab\", ", 21, 0)
	first, _, _ := strings.Cut(d.Data["text/plain"].(string), "\n\nRepeat")
	fmt.Println(first)
	// Output:
	// [HasPrefix] [function] HasP
	// func strings.Repeat(s string, count int) string
	//
	// parameter 2 of 2: count int
	//
	// not imported yet: import "strings"
}
