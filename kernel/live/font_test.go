package live

import (
	"image"
	"image/draw"
	"testing"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// TestWithoutHints: the outlines, widths and kerning of all glyphs are unchanged.
func TestWithoutHints(t *testing.T) {
	bare, err := withoutHints(liberationsansregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	if len(bare) > len(liberationsansregular.TTF)*3/4 {
		t.Errorf("%d bytes of %d are left", len(bare), len(liberationsansregular.TTF))
	}
	before, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	after, err := opentype.Parse(bare)
	if err != nil {
		t.Fatal(err)
	}
	if before.NumGlyphs() != after.NumGlyphs() || before.NumGlyphs() < 1000 {
		t.Fatalf("%d glyphs, then %d", before.NumGlyphs(), after.NumGlyphs())
	}
	var b sfnt.Buffer
	ppem := fixed.I(40)
	for i := range before.NumGlyphs() {
		x, err1 := before.LoadGlyph(&b, sfnt.GlyphIndex(i), ppem, nil)
		old := append(sfnt.Segments{}, x...)
		y, err2 := after.LoadGlyph(&b, sfnt.GlyphIndex(i), ppem, nil)
		if (err1 == nil) != (err2 == nil) || len(old) != len(y) {
			t.Fatalf("glyph %d: %v %v, %d segments, then %d", i, err1, err2, len(old), len(y))
		}
		for k := range y {
			if old[k] != y[k] {
				t.Fatalf("glyph %d: segment %d differs", i, k)
			}
		}
		p, _ := before.GlyphAdvance(&b, sfnt.GlyphIndex(i), ppem, font.HintingNone)
		q, _ := after.GlyphAdvance(&b, sfnt.GlyphIndex(i), ppem, font.HintingNone)
		if p != q {
			t.Fatalf("glyph %d is %v wide, then %v", i, p, q)
		}
	}
	if x, y := drawText(t, before), drawText(t, after); string(x.Pix) != string(y.Pix) {
		t.Error("text looks different")
	}
}

func drawText(t *testing.T, f *opentype.Font) *image.Gray {
	t.Helper()
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: 20, DPI: 72})
	if err != nil {
		t.Fatal(err)
	}
	img := image.NewGray(image.Rect(0, 0, 300, 40))
	d := font.Drawer{Dst: draw.Image(img), Src: image.White, Face: face, Dot: fixed.P(5, 30)}
	d.DrawString("AVAToé√Σ, 0.12 ñ")
	return img
}

func FuzzWithoutHints(f *testing.F) {
	f.Add(liberationsansregular.TTF)
	f.Fuzz(func(t *testing.T, data []byte) {
		if out, err := withoutHints(data); err == nil && len(out) > 2*len(data)+1000 {
			t.Errorf("%d bytes became %d", len(data), len(out))
		}
	})
}
