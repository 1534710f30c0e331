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
	pageRows = 20 // rows of a page, and all that is seen where no script runs
	maxWide  = 50 // columns in HTML, which is scrolled; text has 2*maxCols
)

// A grid is a table of any length, of which a page is read at a time: a data frame, a slice
// of records.
type grid struct {
	rows int
	cols []gridColumn

	caption string // of the whole
	unit    string // what follows the number of rows in the caption of a page
	// live is the number of rows from which on the table can be sorted and leafed through.
	live int
	// plain says that a table of one page shows the values alone: no types, no numbers of rows, no
	// caption. They say how a slice was declared, which its reader mostly has not asked.
	plain bool
}

// A gridColumn is one column. entry is asked for rows in any order, for some of them twice.
type gridColumn struct {
	name, kind string
	left       bool // words rather than numbers
	entry      func(i int) entry
}

// An entry is one value. Its key, by which it is sorted, is a bool, an int64, a uint64, a
// float64 or a string; strings are folded before they are compared.
type entry struct {
	text string
	key  any
	null bool // it is missing: shown pale, sorted last
}

// gapColumn stands for the columns left out.
var gapColumn = gridColumn{name: ellipsis, left: true}

// picked returns at most limit of the columns, with a gapColumn for what is left out.
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

// table returns the given rows, of which -1 is a gap, as plain text.
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
	return t
}

func (g *grid) text() string {
	return g.table(g.picked(2*maxCols), picks(g.rows, maxRows), g.caption).text()
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

// entryOf returns the entry of a value that is written as text: numbers sort by value, words by
// themselves, everything else by its text; nil and NaN are missing.
func entryOf(v reflect.Value, text string) entry {
	for v.IsValid() && (v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer) && !v.IsNil() && !own(v.Type()) {
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

// keyOf returns the number or word that a value is, nil if it is something else. Times, durations,
// months and the like sort as numbers, whatever they are written as.
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
	case v.Kind() == reflect.String && !own(v.Type()):
		return v.String()
	}
	return nil
}

// A folded is a word, with what it is compared by.
type folded struct{ lower, word string }

func fold(s string) folded { return folded{strings.ToLower(s), s} }

// compareKeys orders false before true, numbers by value, words as a dictionary does, and numbers
// before words where a column has both.
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
	s, word := a.(folded)
	u, otherWord := b.(folded)
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

// grouped writes a count with commas.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
