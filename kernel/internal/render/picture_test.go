package render

import (
	"runtime"
	"strings"
	"testing"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/ui/display"
)

// drawn has an SVG and a PNG, like some values of cells.
type drawn struct {
	svg string
	png []byte
}

func (d drawn) SVG() string { return d.svg }
func (d drawn) PNG() []byte { return d.png }

func TestSharePicture(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("in a browser a picture is SVG alone")
	}
	f := figure.Lines("line", []float64{1, 2}, []float64{1, 2}).By("") // without a caption
	for _, test := range []struct {
		name string
		v    any
		svg  bool
	}{
		{"small", drawn{f.SVG(), f.PNG()}, true},
		{"large", drawn{f.SVG() + strings.Repeat(" ", maxSVG), f.PNG()}, false},
		{"figure", f, false},
	} {
		d := Value(test.v)
		size, _ := d.Metadata[display.MIMETypePNG].(map[string]any)
		if (d.Data[display.MIMETypeSVG] != nil) != test.svg || d.Data[display.MIMETypePNG] == nil || size["width"] != 576 || size["height"] != 384 {
			t.Errorf("%s: svg %v, size %v", test.name, d.Data[display.MIMETypeSVG] != nil, size)
		}
	}
	if text := Value(f).Data[display.MIMETypeText]; text != "[figure] line" {
		t.Errorf("text %q", text)
	}
}

func TestCSSSize(t *testing.T) {
	for svg, want := range map[string][2]int{
		`<svg width="72pt" height="36pt">`:                {96, 48},
		`<?xml?><svg xmlns="x" width="10" height="20px">`: {10, 20},
		`<svg>`:                      {},
		`<svg width="x" height="3">`: {},
		strings.Repeat(" ", 2000) + `<svg width="1" height="1">`: {},
	} {
		if w, h, ok := cssSize(svg); w != want[0] || h != want[1] || ok != (want[0] > 0) {
			t.Errorf("cssSize(%.40q) = %d, %d, %v", svg, w, h, ok)
		}
	}
}
