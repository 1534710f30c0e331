package frame

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// show formats a frame with one column per line.
func show(df dataframe.DataFrame) string {
	var b strings.Builder
	for j, name := range df.Names() {
		fmt.Fprintf(&b, "%s %s:", name, df.Types()[j])
		for i := range df.Nrow() {
			e := df.Elem(i, j)
			switch {
			case e.IsNA():
				b.WriteString(" -")
			case e.Type() == series.Float:
				fmt.Fprintf(&b, " %v", e.Float())
			default:
				fmt.Fprintf(&b, " %v", e.String())
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestQuery(t *testing.T) {
	noon := time.Date(2024, 5, 6, 12, 0, 0, 5e8, time.UTC)
	r := &result{
		names: []string{"id", "name", "depth", "wet", "day", "at", "sum", "blob", "mixed", "nothing", "mostly"},
		types: []string{"INT8", "TEXT", "FLOAT8", "BOOL", "DATE", "TIMESTAMPTZ", "NUMERIC", "BYTEA", "", "DECIMAL(10,2)", "INTEGER"},
		rows: [][]driver.Value{
			{int64(math.MaxInt64), "Ålesund", 2.5, true, noon.Truncate(24 * time.Hour), noon, "12.50", []byte("text"), int64(1), nil, int64(3)},
			{int64(-1), nil, nil, nil, nil, noon.Add(time.Hour).In(time.FixedZone("", 7200)), []byte("-1"), []byte{0xff, 0x01}, "many", nil, 0.5},
			{nil, "", -1.25e-9, false, noon.Truncate(24*time.Hour).AddDate(0, 0, 1), nil, nil, nil, 1.5e-9, nil, nil},
		},
	}
	df, err := Query(context.Background(), r.open(t), "SELECT * FROM dives WHERE year > ?", 1990)
	if err != nil {
		t.Fatal(err)
	}
	want := `id int: 9223372036854775807 -1 -
name string: Ålesund - 
depth float: 2.5 - -1.25e-09
wet bool: true - false
day string: 2024-05-06 - 2024-05-07
at string: 2024-05-06T12:00:00.5Z 2024-05-06T13:00:00.5Z -
sum float: 12.5 -1 -
blob string: text \xff01 -
mixed string: 1 many 1.5e-09
nothing float: - - -
mostly float: 3 0.5 -
`
	if got := show(df); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if !r.closed {
		t.Error("the rows are left open")
	}
	if len(r.args) != 1 || r.args[0].Value != int64(1990) {
		t.Errorf("arguments %v", r.args)
	}
}

// TestNoRows checks that a result without rows has the types that the driver reports.
func TestNoRows(t *testing.T) {
	r := &result{
		names: []string{"a", "b", "c", "d", "e", "f", "g"},
		types: []string{"INT4", "FLOAT8", "BOOL", "TEXT", "NUMERIC", "INTEGER", ""},
		scans: []reflect.Type{reflect.TypeFor[int32](), reflect.TypeFor[sql.NullFloat64](), reflect.TypeFor[bool](), reflect.TypeFor[string](),
			reflect.TypeFor[string](), reflect.TypeFor[sql.NullInt64](), nil},
	}
	df, err := Query(context.Background(), r.open(t), "SELECT")
	if err != nil || df.Err != nil {
		t.Fatal(err, df.Err)
	}
	if got, want := show(df), "a int:\nb float:\nc bool:\nd string:\ne float:\nf int:\ng string:\n"; got != want || df.Nrow() != 0 {
		t.Errorf("%d rows of\n%s", df.Nrow(), got)
	}
}

func TestErrors(t *testing.T) {
	ctx := context.Background()
	if _, err := Query(ctx, (&result{names: []string{"a"}}).open(t), "SELEKT"); !errors.Is(err, errRefused) {
		t.Errorf("refused: %v", err)
	}
	lost := errors.New("connection lost")
	r := &result{names: []string{"a"}, rows: [][]driver.Value{{int64(1)}, {int64(2)}}, fails: lost}
	df, err := Query(ctx, r.open(t), "SELECT")
	if !errors.Is(err, lost) || !strings.Contains(err.Error(), "after 2 rows") || !r.closed || df.Ncol() != 0 {
		t.Errorf("lost: %v, %v, closed %v", err, df, r.closed)
	}
	if _, err := FromRows(nil); err == nil || !strings.Contains(err.Error(), "error of the query") {
		t.Errorf("nil: %v", err)
	}
	if _, err := Query(ctx, (&result{}).open(t), "DELETE"); err == nil || !strings.Contains(err.Error(), "use Exec") {
		t.Errorf("no columns: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Query(ended, (&result{names: []string{"a"}}).open(t), "SELECT"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

type level uint8

func (l level) String() string { return []string{"low", "high"}[l] }

// TestPlain converts values of types that some drivers return although database/sql does not allow these
// types.
func TestPlain(t *testing.T) {
	for _, c := range []struct {
		list []any
		want string
	}{
		{[]any{uint64(math.MaxUint64), uint64(1)}, "float: 1.8446744073709552e+19 1"},
		{[]any{int8(-3), uint16(4), nil}, "int: -3 4 -"},
		{[]any{float32(0.5), 2}, "float: 0.5 2"},
		{[]any{true, 1}, "string: true 1"},
		{[]any{level(1), level(0)}, "string: high low"},
		{[]any{[]int{1, 2}}, "string: [1 2]"},
		{[]any{[]byte(nil), []byte{}}, "string: - "},
		{[]any{"NaN", "n"}, "string: - n"}, // "NaN" is missing in gota
		{[]any{time.Unix(0, 0).UTC(), "then"}, "string: 1970-01-01 then"},
		{nil, "bool:"},
	} {
		df, err := join([]values{{name: "", list: c.list, declared: series.Bool}})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(strings.TrimPrefix(show(df), "X0 "), "\n"); got != c.want {
			t.Errorf("%v: %q, want %q", c.list, got, c.want)
		}
	}
}

// TestTimesSort checks that the strings of a column are in the order of the times, and are the same times.
func TestTimesSort(t *testing.T) {
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for want, list := range map[string][]time.Time{
		"string: 2024-05-06T01:00:00.0Z 2024-05-06T01:00:00.5Z":                 {at("2024-05-06T01:00:00Z"), at("2024-05-06T01:00:00.5Z")},
		"string: 2024-10-27T01:00:00Z 2024-10-27T01:30:00Z":                     {at("2024-10-27T01:00:00Z"), at("2024-10-27T00:30:00-01:00")},
		"string: 2024-05-06T01:00:00+02:00 2024-05-06T02:00:00+02:00":           {at("2024-05-06T01:00:00+02:00"), at("2024-05-06T02:00:00+02:00")},
		"string: 2024-05-05T22:00:00Z 2024-05-06T00:00:00Z":                     {at("2024-05-06T00:00:00+02:00"), at("2024-05-06T00:00:00Z")},
		"string: 1890-01-01T00:00:00Z":                                          {at("1890-01-01T00:00:00Z").In(time.FixedZone("LMT", 3208))},
		"string: 2024-05-06T00:00:00.000000001Z 2024-05-06T00:00:00.100000000Z": {at("2024-05-06T00:00:00.000000001Z"), at("2024-05-06T00:00:00.1Z")},
	} {
		v := values{}
		for _, x := range list {
			v.list = append(v.list, x)
		}
		df, err := join([]values{v})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(strings.TrimPrefix(show(df), "X0 "), "\n"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		v := values{list: make([]any, 6)}
		for i := range v.list {
			ns := int64(rng.IntN(3)) * []int64{1e9, 5e8, 1e6, 1}[rng.IntN(4)]
			v.list[i] = time.Unix(rng.Int64N(2)*7200, ns).In(time.FixedZone("", 1800*rng.IntN(3)))
		}
		words := v.series().Records()
		for i, a := range words {
			x := v.list[i].(time.Time)
			if back, err := time.Parse(time.RFC3339Nano, a); len(a) > 10 && (err != nil || !back.Equal(x)) {
				t.Fatalf("%v became %s: %v", x, a, err)
			}
			for j, b := range words {
				if y := v.list[j].(time.Time); strings.Compare(a, b) != x.Compare(y) {
					t.Fatalf("%v and %v became %s and %s", x, y, a, b)
				}
			}
		}
	}
}

// numbers is an Arrow array in which kind may be any.
type numbers struct {
	list []float64
	kind kind
}

type kind string

func (k kind) String() string { return string(k) }

func (a numbers) Len() int              { return len(a.list) }
func (a numbers) IsNull(i int) bool     { return math.IsNaN(a.list[i]) }
func (a numbers) Value(i int) float64   { return a.list[i] }
func (a numbers) ValueStr(i int) string { return fmt.Sprintf("%.2f", a.list[i]) }
func (a numbers) DataType() kind        { return a.kind }

type opaque struct{ numbers }

func (opaque) Value() {}

// stamps formats seconds since 1970 as Arrow does: in winter time below 7200, and in summer time above.
type stamps struct{ numbers }

func (stamps) Value() {}
func (s stamps) ValueStr(i int) string {
	zone := time.FixedZone("", 3600)
	if s.list[i] >= 7200 {
		zone = time.FixedZone("", 7200)
	}
	return time.UnixMilli(int64(1000 * s.list[i])).In(zone).Format("2006-01-02 15:04:05.999999999Z0700")
}

type batch []numbers

func (b batch) NumRows() int64          { return int64(len(b[0].list)) }
func (b batch) NumCols() int64          { return int64(len(b)) }
func (b batch) ColumnName(i int) string { return fmt.Sprint("c", i) }
func (b batch) Column(i int) any {
	switch b[i].kind {
	case "float64":
		return b[i]
	case "timestamp[ms, tz=Europe/Berlin]":
		return stamps{b[i]}
	case "gone":
		panic("freed")
	}
	return opaque{b[i]}
}

func TestFromArrow(t *testing.T) {
	x := []float64{1.5, math.NaN(), -2}
	df, err := FromArrow(batch{{x, "float64"}, {x, "decimal(10, 2)"}, {x, "date32"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := show(df), "c0 float: 1.5 - -2\nc1 float: 1.5 - -2\nc2 string: 1.50 - -2.00\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	df, err = FromArrow(batch{{[]float64{7199, 7199.5, math.NaN(), 7200}, "timestamp[ms, tz=Europe/Berlin]"}})
	if got, want := show(df), "c0 string: 1970-01-01T01:59:59.0Z 1970-01-01T01:59:59.5Z - 1970-01-01T02:00:00.0Z\n"; got != want || err != nil {
		t.Errorf("got\n%swant\n%s%v", got, want, err)
	}
	df, err = FromArrow(batch{{nil, "float64"}, {nil, "int8"}, {nil, "utf8"}, {nil, "bool"}, {nil, "uint16"}})
	if got, want := show(df), "c0 float:\nc1 int:\nc2 string:\nc3 bool:\nc4 int:\n"; got != want || err != nil {
		t.Errorf("%v: got\n%swant\n%s", err, got, want)
	}
	for _, c := range []struct {
		v    any
		want string
	}{
		{3, "a int is not a RecordBatch"},
		{nil, "a <nil> is not"},
		{batch{{x, "gone"}}, "was it released?"},
	} {
		if _, err := FromArrow(c.v); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T: %v, want %q", c.v, err, c.want)
		}
	}
}

func ExampleFromRows() {
	db := sql.OpenDB(connector{&result{
		names: []string{"site", "depth"},
		rows:  [][]driver.Value{{"Gulen", 42.5}, {"Saltstraumen", nil}},
	}})
	defer db.Close()
	rows, err := db.Query("SELECT site, depth FROM dives")
	if err != nil {
		panic(err)
	}
	df, err := FromRows(rows)
	if err != nil {
		panic(err)
	}
	fmt.Println(df)
	// Output:
	// [2x2] DataFrame
	//
	//     site         depth
	//  0: Gulen        42.500000
	//  1: Saltstraumen NaN
	//     <string>     <float>
}

// A result is the test database's answer to every query.
type result struct {
	names  []string
	types  []string       // the database's type names
	scans  []reflect.Type // nil if the driver does not report them
	rows   [][]driver.Value
	fails  error // error returned after the last row
	args   []driver.NamedValue
	closed bool
}

var errRefused = errors.New("syntax error near SELEKT")

func (r *result) open(t *testing.T) *sql.DB {
	db := sql.OpenDB(connector{r})
	t.Cleanup(func() { db.Close() })
	return db
}

type connector struct{ r *result }

func (c connector) Connect(context.Context) (driver.Conn, error) { return conn(c), nil }
func (c connector) Driver() driver.Driver                        { return nil }

type conn struct{ r *result }

func (c conn) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }
func (c conn) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }
func (c conn) Close() error                        { return nil }
func (c conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if query == "SELEKT" {
		return nil, errRefused
	}
	c.r.args = args
	return &cursor{r: c.r}, nil
}

type cursor struct {
	r  *result
	at int
}

func (c *cursor) Columns() []string { return c.r.names }
func (c *cursor) Close() error      { c.r.closed = true; return nil }
func (c *cursor) Next(dest []driver.Value) error {
	if c.at == len(c.r.rows) {
		if c.r.fails != nil {
			return c.r.fails
		}
		return io.EOF
	}
	copy(dest, c.r.rows[c.at])
	c.at++
	return nil
}
func (c *cursor) ColumnTypeDatabaseTypeName(i int) string {
	if c.r.types == nil {
		return ""
	}
	return c.r.types[i]
}
func (c *cursor) ColumnTypeScanType(i int) reflect.Type {
	if c.r.scans == nil {
		return reflect.TypeFor[any]()
	}
	return c.r.scans[i]
}

// TestWhere checks that fractions select whole numbers rightly, and that missing values are left out.
func TestWhere(t *testing.T) {
	df, err := FromCSV(strings.NewReader("v,site,ok\n1,A,true\n2,B,false\n,C,true\n3,B,\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		keep func(float64) bool
		want string
	}{
		{"v", func(v float64) bool { return v < 2.5 }, "A B"},
		{"v", func(v float64) bool { return v >= 2.5 }, "B"},
		{"v", func(v float64) bool { return v == 2.5 }, ""},
		{"ok", func(v float64) bool { return v == 1 }, "A C"},
	} {
		got, err := Where(df, c.name, c.keep)
		if err != nil || strings.Join(got.Col("site").Records(), " ") != c.want || got.Ncol() != 3 {
			t.Errorf("%s: %v %v, want %s", c.name, got, err, c.want)
		}
	}
	for _, name := range []string{"site", "none"} {
		if _, err := Where(df, name, func(float64) bool { return true }); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// TestNewRows checks that new rows get the columns and the labels of the training rows.
func TestNewRows(t *testing.T) {
	read := func(text string) dataframe.DataFrame {
		df, err := FromCSV(strings.NewReader(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return df
	}
	train, test := read("site,floor,y\nA,1,1\nC,2,5\nB,1,5\n"), read("site,floor,y\nB,2,0\nD,3,0\n")
	same, err := OneHotLike(train, train, "site", "floor")
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := OneHot(train, "site", "floor"); err != nil || !reflect.DeepEqual(same.Records(), plain.Records()) {
		t.Errorf("%v, by OneHot %v (%v)", same, plain, err)
	}
	got, err := OneHotLike(test, train, "site", "floor")
	want := [][]string{{"site=A", "site=B", "site=C", "floor=1", "floor=2", "y"}, {"0", "1", "0", "0", "1", "0"}, {"0", "0", "0", "0", "0", "0"}}
	if err != nil || !reflect.DeepEqual(got.Records(), want) {
		t.Errorf("%v %v", got, err)
	}
	_, classes, err := Labels(train, "site")
	if err != nil {
		t.Fatal(err)
	}
	if y, err := LabelsOf(read("site\nC\nA\n"), "site", classes); err != nil || !reflect.DeepEqual(y, []int{2, 0}) {
		t.Error(y, err)
	}
	if _, err := LabelsOf(test, "site", classes); err == nil || err.Error() != `frame: LabelsOf: row 1 of column "site" is "D", which is not among the 3 classes` {
		t.Error(err)
	}
	if _, err := OneHotLike(test, read("floor\n1\n"), "site"); err == nil {
		t.Error("a column that the training data lack")
	}
}
