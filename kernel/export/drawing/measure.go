//go:build !js

package drawing

import (
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// fonts are the fonts in which figures are laid out.
var fonts = sync.OnceValue(func() (list [2]*sfnt.Font) {
	for i, ttf := range [2][]byte{liberationsansregular.TTF, liberationsansbold.TTF} {
		f, err := sfnt.Parse(ttf)
		if err != nil {
			panic("drawing: " + err.Error()) // cannot happen: the font is embedded in the program
		}
		list[i] = f
	}
	return list
})

// textWidth returns the width of a string in a figure, in the figure's units, and whether the width is exact.
func textWidth(text string, size float64, bold bool) (w float64, known bool) {
	f := fonts()[0]
	if bold {
		f = fonts()[1]
	}
	var buf sfnt.Buffer
	em := fixed.I(int(f.UnitsPerEm()))
	var sum fixed.Int26_6
	before, has := sfnt.GlyphIndex(0), false
	for _, r := range text {
		g, err := f.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		if has {
			if k, err := f.Kern(&buf, before, g, em, font.HintingNone); err == nil {
				sum += k
			}
		}
		if a, err := f.GlyphAdvance(&buf, g, em, font.HintingNone); err == nil {
			sum += a
		}
		before, has = g, true
	}
	return float64(sum) / float64(em) * size, true
}
