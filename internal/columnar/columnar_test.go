package columnar

import (
	"fmt"
	"testing"
)

type kind string

func (k kind) String() string { return string(k) }

// An ints is an array of numbers; negative numbers represent NULL.
type ints []int64

func (a ints) Len() int              { return len(a) }
func (a ints) IsNull(i int) bool     { return a[i] < 0 }
func (a ints) Value(i int) int64     { return a[i] }
func (a ints) ValueStr(i int) string { return fmt.Sprint(a[i]) }
func (a ints) DataType() kind        { return "int64" }

// A days is an array of values that can only be read by reflection.
type days struct{ ints }

type day int32

func (a days) Value(i int) day { return day(a.ints[i]) }
func (a days) DataType() kind  { return "date32" }

// A list has no method Value with one argument.
type list struct{ ints }

func (a list) Value(from, to int) int { return 0 }
func (a list) DataType() kind {
	return "dictionary<values=list<item: utf8>, indices=int8, ordered=false>"
}

type anyArray interface {
	Len() int
	IsNull(i int) bool
	ValueStr(i int) string
}

type chunks []anyArray

func (c chunks) Len() int           { return 0 } // not called, because the length comes from the arrays
func (c chunks) NullN() int         { return 0 }
func (c chunks) Chunks() []anyArray { return c }
func (c chunks) DataType() kind     { return "int64" }

type namedColumn struct{ data chunks }

func (n *namedColumn) Name() string  { return "n" }
func (n *namedColumn) Data() *chunks { return &n.data }

type batch struct{ columns []anyArray }

func (b batch) NumRows() int64          { return 3 }
func (b batch) NumCols() int64          { return int64(len(b.columns)) }
func (b batch) ColumnName(i int) string { return fmt.Sprint("c", i) }
func (b batch) Column(i int) anyArray   { return b.columns[i] }

type wholeTable struct{ columns []*namedColumn }

func (w *wholeTable) NumRows() int64            { return 4 }
func (w *wholeTable) NumCols() int64            { return int64(len(w.columns)) }
func (w *wholeTable) Column(i int) *namedColumn { return w.columns[i] }

func TestOf(t *testing.T) {
	pieces := chunks{ints{1, -1}, ints{}, ints{30}, ints{4}}
	for _, c := range []struct {
		v    any
		want string
	}{
		{ints{5, -1}, "alone int64 true: 5 int64, NULL"},
		{days{ints{5}}, "alone date32 false: 5 columnar.day"},
		{list{ints{5}}, "alone list<item: utf8> false: 5 <nil>"},
		{pieces, "alone int64 true: 1 int64, NULL, 30 int64, 4 int64"},
		{chunks{}, "alone int64 true:"},
		{&namedColumn{pieces}, "alone n int64 true: 1 int64, NULL, 30 int64, 4 int64"},
		{batch{[]anyArray{ints{1, 2, 3}, days{ints{1, 2, -3}}}}, "3 rows c0 int64 true: 1 int64, 2 int64, 3 int64 c1 date32 false: 1 columnar.day, 2 columnar.day, NULL"},
		{&wholeTable{[]*namedColumn{{pieces}}}, "4 rows n int64 true: 1 int64, NULL, 30 int64, 4 int64"},
		{batch{}, "3 rows"},
	} {
		f, ok := FrameOf(c.v)
		if !ok {
			t.Errorf("%T is not known", c.v)
			continue
		}
		got := fmt.Sprintf("%d rows", f.Rows)
		if f.Alone {
			got = "alone"
		}
		for _, c := range f.Columns {
			if c.Name != "" {
				got += " " + c.Name
			}
			got += fmt.Sprintf(" %s %v:", c.Type, c.Numeric())
			for i := range c.Len() {
				comma := ","
				if i == 0 {
					comma = ""
				}
				if c.Null(i) {
					got += comma + " NULL"
				} else {
					got += fmt.Sprintf("%s %s %T", comma, c.Text(i), c.Value(i))
				}
			}
		}
		if got != c.want {
			t.Errorf("%T: %s\nwant %s", c.v, got, c.want)
		}
	}
}

type (
	bare      struct{}                     // the array has no type
	numbered  struct{ chunks }             // the chunks have another type
	wordy     struct{ batch }              // the table's methods take strings
	fieldless struct{ Name, Data string }  // fields instead of methods
	scalar    struct{ name, value string } // Name and Data have other types
)

func (b bare) Len() int              { return 0 }
func (b bare) IsNull(i int) bool     { return false }
func (b bare) ValueStr(i int) string { return "" }
func (numbered) Chunks() []int       { return []int{1} }
func (wordy) Column(s string) ints   { return nil }
func (s scalar) Name() string        { return s.name }
func (s scalar) Data() string        { return s.value }

func TestOfOthers(t *testing.T) {
	for _, v := range []any{nil, 1, bare{}, numbered{}, wordy{batch{[]anyArray{ints{}}}}, fieldless{}, scalar{}, batch{[]anyArray{nil}}, []ints{{}}, (*error)(nil)} {
		if f, ok := FrameOf(v); ok {
			t.Errorf("%T is taken for %+v", v, f)
		}
	}
}
