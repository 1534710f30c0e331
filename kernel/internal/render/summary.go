package render

import (
	"fmt"
	"image"
	"reflect"
	"strings"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"

	"overcomplete/ui/display"
)

// Table shows rows of text under a header. The parameter left says for each column whether it holds words, which are
// left-aligned, rather than numbers. The caption is below the table; "" means no caption.
func Table(header []string, left []bool, rows [][]string, caption string) display.Data {
	return (&table{header: header, left: left, rows: rows, caption: caption}).data()
}

// Summary returns one short line about v: the size of a matrix, a table or an image, the title of a plot, or the MIME
// types of a display.Data. For any other value it returns the beginning of its text, with the number of elements if v
// is a long slice or map. It draws nothing and never panics.
func Summary(v any) (s string) {
	defer func() {
		if r := recover(); r != nil {
			s = cell(fmt.Sprintf("cannot show a %T: %v", v, r))
		}
	}()
	if isNil(v) {
		return cell(Text(v))
	}
	switch x := v.(type) {
	case plot.Plot:
		return cell("plot: " + x.Title.Text)
	case *plot.Plot:
		return cell("plot: " + x.Title.Text)
	case image.Rectangle:
		return cell(x.String())
	case image.Image:
		size := x.Bounds().Size()
		return fmt.Sprintf("%d×%d pixels", size.X, size.Y)
	case display.Data:
		return names(x)
	case dataframe.DataFrame:
		return dims(x.Dims())
	case series.Series:
		return fmt.Sprintf("length %d", x.Len())
	case string:
		return cell(fmt.Sprintf("%q", x))
	}
	if g := arrowGrid(v); g != nil {
		return g.caption
	}
	r := reflect.ValueOf(v)
	if m, ok := withPointerMethods(r).Interface().(mat.Matrix); ok {
		rows, cols := m.Dims()
		return fmt.Sprintf("%d×%d", rows, cols)
	}
	text := strings.Join(strings.Fields(Text(v)), " ")
	switch r.Kind() {
	case reflect.Slice, reflect.Map:
		if n := r.Len(); !formatsItself(r.Type()) && n > headElems && n <= maxElements {
			return cell(fmt.Sprintf("%d: %s", n, text))
		}
	}
	return cell(text)
}
