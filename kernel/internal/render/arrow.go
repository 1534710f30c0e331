package render

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"overcomplete/internal/columnar"
	"overcomplete/ui/display"
)

// arrowData returns the output for v, a record, table or array of Apache Arrow. It returns false for other values.
func arrowData(v any) (display.Data, bool) {
	if g := arrowGrid(v); g != nil {
		return g.data(), true
	}
	return display.Data{}, false
}

// arrowGrid returns v, a record, table or array of Apache Arrow, as a grid. It returns nil for other values.
func arrowGrid(v any) *grid {
	f, ok := columnar.FrameOf(v)
	if !ok {
		return nil
	}
	g := &grid{rows: f.Rows, live: 2, caption: dims(f.Rows, len(f.Columns)), unit: columns(len(f.Columns))}
	if f.Alone {
		g.caption, g.unit = fmt.Sprintf("length %d", f.Rows), " values"
	}
	for _, c := range f.Columns {
		g.cols = append(g.cols, gridColumn{c.Name, c.Type, !c.Numeric(), func(i int) entry { return arrowEntry(&c, i) }})
	}
	return g
}

func arrowEntry(c *columnar.Column, i int) entry {
	if c.Null(i) {
		return entry{text: "null", null: true}
	}
	text := c.Text(i)
	key := keyOf(reflect.ValueOf(c.Value(i)))
	if key == nil && c.Numeric() { // a decimal or a half-precision float, which has no sort key
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			key = x
		}
	}
	x, float := key.(float64)
	if float && strings.HasPrefix(c.Type, "float") {
		text = number(x)
	}
	if key == nil {
		key = text
	}
	return entry{cell(text), key, float && math.IsNaN(x)}
}
