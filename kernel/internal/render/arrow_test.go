package render

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overcomplete/ui/display"
)

// The types in this file have the same methods as Arrow's types with the same names. Arrow itself is not
// compiled in. The cells in kernel/modules/testdata/recipes run with Arrow itself.

type arrowDataType string

func (t arrowDataType) String() string { return string(t) }

// A floatArray is NULL where valid is false.
type floatArray struct {
	values []float64
	valid  []bool
}

func (a *floatArray) Len() int                { return len(a.values) }
func (a *floatArray) IsNull(i int) bool       { return !a.valid[i] }
func (a *floatArray) Value(i int) float64     { return a.values[i] }
func (a *floatArray) ValueStr(i int) string   { return fmt.Sprint(a.values[i]) }
func (a *floatArray) DataType() arrowDataType { return "float64" }

type decimal struct{ hundredths int }

type decimalArray []decimal

func (a decimalArray) Len() int            { return len(a) }
func (a decimalArray) IsNull(i int) bool   { return false }
func (a decimalArray) Value(i int) decimal { return a[i] }
func (a decimalArray) ValueStr(i int) string {
	return fmt.Sprintf("%.2f", float64(a[i].hundredths)/100)
}
func (a decimalArray) DataType() arrowDataType { return "decimal(10, 2)" }

// A listArray has no method Value, and its type has a long name.
type listArray []string

func (a listArray) Len() int              { return len(a) }
func (a listArray) IsNull(i int) bool     { return false }
func (a listArray) ValueStr(i int) string { return a[i] }
func (a listArray) DataType() arrowDataType {
	return "dictionary<values=utf8, indices=int8, ordered=false>"
}

type array interface {
	Len() int
	IsNull(i int) bool
	ValueStr(i int) string
}

type batch struct {
	names   []string
	columns []array
}

func (r *batch) NumRows() int64          { return int64(r.columns[0].Len()) }
func (r *batch) NumCols() int64          { return int64(len(r.columns)) }
func (r *batch) ColumnName(i int) string { return r.names[i] }
func (r *batch) Column(i int) array      { return r.columns[i] }

type chunked struct{ chunks []array }

func (c *chunked) NullN() int { return 1 }
func (c *chunked) Len() (n int) {
	for _, a := range c.chunks {
		n += a.Len()
	}
	return n
}
func (c *chunked) Chunks() []array         { return c.chunks }
func (c *chunked) DataType() arrowDataType { return "float64" }

type tableColumn struct {
	name string
	data *chunked
}

func (c *tableColumn) Name() string   { return c.name }
func (c *tableColumn) Data() *chunked { return c.data }

type arrowTable struct{ columns []*tableColumn }

func (t arrowTable) NumRows() int64            { return int64(t.columns[0].data.Len()) }
func (t arrowTable) NumCols() int64            { return int64(len(t.columns)) }
func (t arrowTable) Column(i int) *tableColumn { return t.columns[i] }

func TestArrow(t *testing.T) {
	floats := &floatArray{[]float64{math.Pi, 0, -2, math.NaN()}, []bool{true, false, true, true}}
	more := &floatArray{[]float64{1}, []bool{true}}
	price := decimalArray{{1000}, {-50}, {900}, {20000}}
	words := listArray{"b", "a", "<c>", "b"}
	data := &chunked{[]array{floats, &floatArray{}, more}}
	for _, c := range []struct {
		name  string
		v     any
		text  string
		order string // expected order of the last column
	}{
		{"record", &batch{[]string{"x", "w", "p"}, []array{floats, words, price}},
			"         x  w                  p\n   float64  utf8  decimal(10, 2)\n0  3.14159  b              10.00\n" +
				"1     null  a              -0.50\n2       -2  <c>             9.00\n3      NaN  b             200.00\n4 rows, 3 columns",
			"-0.50 9.00 10.00 200.00"},
		{"table", arrowTable{[]*tableColumn{{"x", data}}},
			"         x\n   float64\n0  3.14159\n1     null\n2       -2\n3      NaN\n4        1\n5 rows, 1 columns", "-2 1 3.14159 NaN null"},
		{"column", &tableColumn{"x", data},
			"         x\n   float64\n0  3.14159\n1     null\n2       -2\n3      NaN\n4        1\nlength 5", "-2 1 3.14159 NaN null"},
		{"chunked", data, "\n   float64\n0  3.14159\n1     null\n2       -2\n3      NaN\n4        1\nlength 5", "-2 1 3.14159 NaN null"},
		{"array", words, "\n   utf8\n0  b\n1  a\n2  <c>\n3  b\nlength 4", "<c> a b"},
	} {
		d := Value(c.v)
		if got := d.Data[display.MIMETypeText]; got != c.text {
			t.Errorf("%s:\n%q, want\n%q", c.name, got, c.text)
		}
		page := dataOf(t, htmlOf(t, c.v))
		if got := strings.Join(page.Cols[len(page.Cols)-1].Values, " "); got != c.order {
			t.Errorf("%s: in order %s, want %s", c.name, got, c.order)
		}
	}
	if got := Summary(&batch{[]string{"x"}, []array{floats}}); got != "4 rows, 1 columns" {
		t.Error(got)
	}
}

// released panics like released Arrow data.
type released struct{ *floatArray }

func (released) IsNull(int) bool { panic("released") }

// sized has some of an Arrow type's methods, and other methods with almost the right signature.
type sized struct{}

func (sized) NumRows() int64        { return 1 }
func (sized) NumCols() int64        { return 1 }
func (sized) Column(s string) array { return nil }

type chunky struct{}

func (chunky) Len() int                { return 1 }
func (chunky) NullN() int              { return 0 }
func (chunky) Chunks() []int           { return []int{1} }
func (chunky) DataType() arrowDataType { return "" }

func TestNotArrow(t *testing.T) {
	for _, v := range []any{sized{}, chunky{}, struct{ A int }{1}, &batch{[]string{"x"}, []array{nil}}} {
		if d := Value(v); isRich(d) {
			t.Errorf("%T became %v", v, d.Data)
		}
	}
	if got := textOf(t, released{&floatArray{[]float64{1}, []bool{true}}}); !strings.Contains(got, "panic: released") {
		t.Error(got)
	}
}

func TestRecords(t *testing.T) {
	rows := []map[string]any{{"name": "<b>", "n": 1, "x": 2.5}, {"n": 3, "name": "c", "x": nil}, {"n": "many"}}
	d := Value(rows)
	page := d.Data[display.MIMETypeHTML].(string)
	for _, want := range []string{
		`<th style="text-align: left">n</th><th style="text-align: left">name</th><th>x</th>`,
		`<td style="text-align: left"></td><td style="text-align: left">string</td><td>float64</td>`,
		`<th>0</th><td style="text-align: left">1</td><td style="text-align: left">&lt;b&gt;</td><td>2.5</td>`,
		`<th>1</th><td style="text-align: left">3</td><td style="text-align: left">c</td><td>nil</td>`,
		`<th>2</th><td style="text-align: left">many</td><td style="text-align: left"></td><td></td>`,
		`<p>3 rows, 3 columns</p>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
	if got := d.Data[display.MIMETypeText]; got != "   n     name          x\n         string  float64\n0  1     <b>         2.5\n1  3     c           nil\n2  many\n3 rows, 3 columns" {
		t.Errorf("text %q", got)
	}
	for _, v := range []any{[]map[string]any{}, []map[string]any{nil}, []map[int]any{{1: 2}}, []map[string][]int{{"a": nil}}} {
		if isRich(Value(v)) {
			t.Errorf("%#v is a table", v)
		}
	}
	long := dataOf(t, htmlOf(t, slices.Repeat(rows, 10)))
	if got := strings.Join(long.Cols[0].Values, " "); got != "1 3 many" || long.Cols[2].Known != 1 {
		t.Errorf("%s, %+v", got, long.Cols)
	}
}
