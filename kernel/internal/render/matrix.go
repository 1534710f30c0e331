package render

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/ui/display"
)

// number formats a number for a table: whole numbers of fewer than 16 digits in full, other numbers with six
// significant digits.
func number(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case x == 0:
		return "0" // for -0 too, because the sign would only confuse in a table
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// matrixData shows a matrix or vector as a table. The size is below the table. matrixData returns false for other
// values.
func matrixData(v any) (display.Data, bool) {
	// mat.Dense and similar types have pointer methods, but a cell may declare var M mat.Dense and end with
	// M.
	if r := withPointerMethods(reflect.ValueOf(v)); r.IsValid() {
		v = r.Interface()
	}
	m, entry := matrixOf(v)
	if m == nil {
		return display.Data{}, false
	}
	r, c := m.Dims()
	kind := strings.TrimPrefix(fmt.Sprintf("%T", v), "*")
	if _, ok := v.(mat.Vector); ok {
		t := &table{caption: fmt.Sprintf("%s, length %d", kind, r)}
		for _, i := range picks(r, maxRows) {
			if i < 0 {
				t.rows = append(t.rows, []string{ellipsis})
				continue
			}
			t.rows = append(t.rows, []string{entry(i, 0)})
		}
		return t.data(), true
	}
	t := &table{caption: fmt.Sprintf("%s, %d×%d", kind, r, c)}
	t.grid(r, c, entry)
	return t.data(), true
}

// rowsData shows a slice of slices of numbers as a matrix if all inner slices have the same length. It returns false
// for other values.
func rowsData(v any) (display.Data, bool) {
	r := reflect.ValueOf(v)
	list := func(t reflect.Type) bool {
		return (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && !formatsItself(t)
	}
	t := r.Type()
	if !list(t) || !list(t.Elem()) || r.Len() == 0 || r.Index(0).Len() == 0 {
		return display.Data{}, false
	}
	entry := t.Elem().Elem()
	if formatsItself(entry) || entry.Kind() == reflect.Uint8 || !simple(entry) || entry.Kind() == reflect.String || entry.Kind() == reflect.Bool {
		return display.Data{}, false
	}
	rows, cols := r.Len(), r.Index(0).Len()
	for i := range rows {
		if r.Index(i).Len() != cols {
			return display.Data{}, false
		}
	}
	shown := &table{caption: fmt.Sprintf("%s, %d×%d", typeName(t), rows, cols)}
	shown.grid(rows, cols, func(i, j int) string {
		x := r.Index(i).Index(j)
		if x.CanFloat() {
			return number(x.Float())
		}
		return inline(x)
	})
	d := shown.data()
	d.Data[display.MIMETypeText] = Text(v)
	return d, true
}

// grid appends the rows of an r×c matrix to the table. entry(i, j) returns the text of one matrix entry. For a large
// matrix, an ellipsis replaces the middle rows or columns.
func (t *table) grid(r, c int, entry func(i, j int) string) {
	cols := picks(c, maxCols)
	for _, i := range picks(r, maxRows) {
		row := make([]string, len(cols))
		for k, j := range cols {
			if i < 0 || j < 0 {
				row[k] = ellipsis
			} else {
				row[k] = entry(i, j)
			}
		}
		t.rows = append(t.rows, row)
	}
}

// matrixOf returns v as a real or complex matrix, and a function that formats the matrix entry in row i and column j.
// For other values it returns nil, nil.
func matrixOf(v any) (m interface{ Dims() (r, c int) }, entry func(i, j int) string) {
	switch m := v.(type) {
	case mat.Matrix:
		return m, func(i, j int) string { return number(m.At(i, j)) }
	case mat.CMatrix:
		return m, func(i, j int) string {
			z := m.At(i, j)
			im := number(imag(z))
			if im[0] != '-' && im[0] != '+' {
				im = "+" + im
			}
			return number(real(z)) + im + "i"
		}
	}
	return nil, nil
}
