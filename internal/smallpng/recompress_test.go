package smallpng

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os/exec"
	"testing"
)

// TestRecompress: the file becomes smaller and keeps its pixels. What is not a PNG is left alone.
func TestRecompress(t *testing.T) {
	m := image.NewPaletted(image.Rect(0, 0, 300, 200), color.Palette{color.White, color.Black, color.Gray{90}})
	for i := range m.Pix {
		if x, y := i%300, i/300; (x*x+y*y)%97 < 9 {
			m.Pix[i] = uint8(1 + x/7%2)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	small := Recompress(file)
	if _, err := exec.LookPath("zopflipng"); err != nil {
		if !bytes.Equal(small, file) {
			t.Error("the file changed without zopflipng")
		}
		t.Skip("zopflipng is not installed here (apt-get install zopfli)")
	}
	again, err := png.Decode(bytes.NewReader(small))
	if err != nil || len(small) >= len(file) {
		t.Fatalf("%d bytes of %d: %v", len(small), len(file), err)
	}
	for y := range 200 {
		for x := range 300 {
			if opaque(again.At(x, y)) != opaque(m.At(x, y)) {
				t.Fatalf("pixel %d, %d: %v, not %v", x, y, again.At(x, y), m.At(x, y))
			}
		}
	}
	if got := Recompress([]byte("not a PNG")); string(got) != "not a PNG" {
		t.Errorf("%q", got)
	}
}
