package render

import (
	"errors"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"

	"overcomplete/ui/display"
)

type angry struct{}

func (angry) String() string { panic("no") }

func TestSummary(t *testing.T) {
	p := plot.New()
	p.Title.Text = "a title"
	for _, test := range []struct {
		v    any
		want string
	}{
		{nil, "<nil>"}, {3, "3"}, {"two\nlines", `"two\nlines"`}, {errors.New("bad"), "bad"}, {1500 * time.Millisecond, "1.5s"},
		{p, "plot: a title"}, {image.NewGray(image.Rect(0, 0, 3, 2)), "3×2 pixels"},
		{mat.NewDense(3, 2, nil), "3×2"}, {*mat.NewVecDense(4, nil), "4×1"}, {(*mat.Dense)(nil), "<nil>"},
		{dataframe.New(series.New([]int{1, 2}, series.Int, "a")), "2 rows, 1 columns"},
		{series.New([]int{1, 2}, series.Int, "a"), "length 2"},
		{display.HTML("<b>"), "<text/html, text/plain>"},
		{[]int{1, 2}, "[1 2]"}, {make([]int, 12), "12: [0 0 0 0 0 0 0 0 0 0 0 0]"},
		{make([]int, 2000), "[0 0 0 0 0 0 0 0 0 0 … 0 0 0 0 0 0 0 0 0 0] (2000 elements)"},
		{map[string]int{"b": 2, "a": 1}, "map[a:1 b:2]"},
		{angry{}, "method String panicked: no"},
	} {
		if got := Summary(test.v); got != test.want {
			t.Errorf("%T: got %q, want %q", test.v, got, test.want)
		}
	}
	if got := Summary(strings.Repeat("x", 1000)); len([]rune(got)) != maxCell {
		t.Errorf("a long text has %d runes", len([]rune(got)))
	}
}

func TestTable(t *testing.T) {
	d := Table([]string{"name", "n"}, []bool{true, false}, [][]string{{"a<b", "1"}, {"c", "20"}}, "two")
	if got, want := d.Data["text/plain"], "name   n\na<b    1\nc     20\ntwo"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if html := d.Data["text/html"].(string); !strings.Contains(html, "a&lt;b") || !strings.Contains(html, "<p>two</p>") {
		t.Error(html)
	}
}
