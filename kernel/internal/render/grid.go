package render

import (
	"cmp"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"overcomplete/ui/display"
)

const (
	pageRows = 20 // rows per page; without scripts only the first page is visible
	maxWide  = 50 // columns in HTML, which can scroll; text has at most 2*maxCols
)

// A grid is a table of any length that is read one page at a time, such as a data frame or a slice of
// records.
type grid struct {
	rows int
	cols []gridColumn

	caption string // caption for the whole table
	unit    string // text after the number of rows in the caption of a page
	// live is the minimum number of rows of a table that is sortable and paged.
	live int
	// plain makes a one-page table show only the values: no types, row numbers or caption. Types and row numbers
	// describe how a slice was declared, which seldom interests the reader.
	plain bool
}

// A gridColumn is one column. Its field entry is a function, which may be called for rows in any order, and more than
// once.
type gridColumn struct {
	name, kind string
	left       bool // left-aligned, because the column holds words and not numbers
	entry      func(i int) entry
}

// An entry is one value of a column. Its sort key is a bool, an int64, a uint64, a float64 or a string; strings are
// sorted without regard to case.
type entry struct {
	text string
	key  any
	null bool // missing: shown in a pale color, sorted last
}

// gapColumn represents the omitted columns.
var gapColumn = gridColumn{name: ellipsis, left: true}

// picked returns the columns of g. If their number exceeds the limit, a gapColumn replaces the columns in the middle.
func (g *grid) picked(limit int) []gridColumn {
	var cols []gridColumn
	for _, j := range picks(len(g.cols), limit) {
		if j < 0 {
			cols = append(cols, gapColumn)
		} else {
			cols = append(cols, g.cols[j])
		}
	}
	return cols
}

// table returns the given columns and rows as a table of plain text. Row -1 stands for omitted rows.
func (g *grid) table(cols []gridColumn, rows []int, caption string) *table {
	t := &table{caption: caption, labels: []string{}}
	for _, c := range cols {
		t.header, t.types, t.left = append(t.header, cell(c.name)), append(t.types, cell(c.kind)), append(t.left, c.left)
	}
	for _, i := range rows {
		row := make([]string, len(cols))
		for j, c := range cols {
			row[j] = ellipsis
			if i >= 0 && c.entry != nil {
				row[j] = c.entry(i).text
			}
		}
		t.rows, t.labels = append(t.rows, row), append(t.labels, rowLabel(i))
	}
	if g.bare() {
		t.types, t.labels, t.caption = nil, nil, ""
	}
	return t
}

// bare reports whether the table shows only the values; see plain.
func (g *grid) bare() bool { return g.plain && g.rows < g.live }

func (g *grid) text() string {
	limit := maxRows
	if g.bare() {
		limit = g.rows
	}
	return g.table(g.picked(2*maxCols), picks(g.rows, limit), g.caption).text()
}

func (g *grid) data() display.Data {
	return display.Data{Data: map[string]any{display.MIMETypeText: g.text(), display.MIMETypeHTML: g.html()}}
}

func rowLabel(i int) string {
	if i < 0 {
		return ellipsis
	}
	return strconv.Itoa(i)
}

// entryOf returns the entry for v, which is shown as text. Numbers sort by value, words alphabetically, and other
// values by their text. Nil and NaN count as missing.
func entryOf(v reflect.Value, text string) entry {
	for v.IsValid() && (v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer) && !v.IsNil() && !formatsItself(v.Type()) {
		v = v.Elem()
	}
	if !v.IsValid() {
		return entry{text: text, null: true}
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.Map, reflect.Slice:
		if v.IsNil() {
			return entry{text: text, null: true}
		}
	}
	key := keyOf(v)
	if key == nil {
		key = text
	}
	x, float := key.(float64)
	return entry{text, key, float && math.IsNaN(x)}
}

// keyOf returns the sort key of a bool, a number, a time.Time, or a string whose type has no method String or Error.
// It returns nil for other values. Types that are based on numbers, such as time.Duration and time.Month, sort as
// numbers, whatever their text is.
func keyOf(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	if v.CanInterface() {
		if t, ok := v.Interface().(time.Time); ok {
			return float64(t.Unix()) + float64(t.Nanosecond())/1e9
		}
	}
	switch {
	case v.Kind() == reflect.Bool:
		return v.Bool()
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return v.Uint()
	case v.CanFloat():
		return v.Float()
	case v.Kind() == reflect.String && !formatsItself(v.Type()):
		return v.String()
	}
	return nil
}

// A foldedWord is the sort key of a word: the word in lower case, which is compared first, and the word itself.
type foldedWord struct{ lower, word string }

func fold(s string) foldedWord { return foldedWord{strings.ToLower(s), s} }

// compareKeys orders false before true, numbers by value, words alphabetically, and numbers before words if a
// column has both.
func compareKeys(a, b any) int {
	switch x := a.(type) {
	case int64:
		if y, ok := b.(int64); ok {
			return cmp.Compare(x, y)
		}
	case uint64:
		if y, ok := b.(uint64); ok {
			return cmp.Compare(x, y)
		}
	}
	s, word := a.(foldedWord)
	u, otherWord := b.(foldedWord)
	switch {
	case word && otherWord:
		return cmp.Or(strings.Compare(s.lower, u.lower), strings.Compare(s.word, u.word))
	case word:
		return 1
	case otherWord:
		return -1
	}
	return cmp.Compare(asFloat(a), asFloat(b))
}

func asFloat(key any) float64 {
	switch x := key.(type) {
	case bool:
		if x {
			return 1
		}
	case int64:
		return float64(x)
	case uint64:
		return float64(x)
	case float64:
		return x
	}
	return 0
}

// grouped formats n with a comma between groups of three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
