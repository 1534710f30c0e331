package smallpng

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os/exec"
	"testing"
)

func encodePNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decodePNG(t testing.TB, file []byte) image.Image {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// plot draws disks with smooth edges on a white background.
func plot() *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, 300, 200))
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	for range 8 {
		x0, y0, c := 300*rng.Float64(), 200*rng.Float64(), color.RGBA{uint8(rng.IntN(200)), uint8(rng.IntN(200)), uint8(rng.IntN(200)), 255}
		for y := range 200 {
			for x := range 300 {
				a := min(1, max(0, 12-math.Hypot(float64(x)-x0, float64(y)-y0)))
				at := m.Pix[m.PixOffset(x, y):]
				for k, v := range []uint8{c.R, c.G, c.B} {
					at[k] = uint8(math.Round((1-a)*float64(at[k]) + a*float64(v)))
				}
			}
		}
	}
	return m
}

func TestReduce(t *testing.T) {
	m := plot()
	file := encodePNG(t, m)
	small := Reduce(file)
	if 2*len(small) > len(file) {
		t.Errorf("%d bytes of %d", len(small), len(file))
	}
	got := decodePNG(t, small)
	if got.Bounds() != m.Bounds() {
		t.Fatal(got.Bounds())
	}
	sum, grounds := 0.0, 0
	for y := range 200 {
		for x := range 300 {
			a, b := opaque(m.At(x, y)), opaque(got.At(x, y))
			sum += float64(squaredDistance(a, b))
			if a == (rgb{255, 255, 255}) {
				grounds++
				if b != a {
					t.Fatalf("the ground has become %v", b)
				}
			}
		}
	}
	if rms := math.Sqrt(sum / (3 * 300 * 200)); rms > tolerance {
		t.Errorf("pixels are %.2g levels off", rms)
	}
	if grounds == 0 {
		t.Error("there is no ground")
	}
	if !bytes.Equal(Reduce(file), small) || !bytes.Equal(Reduce(small), small) {
		t.Error("another file the second time")
	}
}

// A picture with few colors keeps all of them. Noise gets the best possible palette.
func TestColors(t *testing.T) {
	few, noise := image.NewRGBA(image.Rect(0, 0, 120, 120)), image.NewRGBA(image.Rect(0, 0, 120, 120))
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 120 * 120 {
		few.Set(i%120, i/120, color.RGBA{uint8(20 * (i % 12)), uint8(30 * (i / 120 % 8)), 7, 255})
		noise.Set(i%120, i/120, color.RGBA{uint8(rng.IntN(256)), uint8(rng.IntN(256)), uint8(rng.IntN(256)), 255})
	}
	got := decodePNG(t, Reduce(encodePNG(t, few)))
	for i := range 120 * 120 {
		if a, b := opaque(few.At(i%120, i/120)), opaque(got.At(i%120, i/120)); a != b {
			t.Fatalf("%v has become %v", a, b)
		}
	}
	p, ok := decodePNG(t, Reduce(encodePNG(t, noise))).(*image.Paletted)
	if !ok || len(p.Palette) != 128 {
		t.Errorf("noise: %T", p)
	}
}

// Everything except an opaque picture is returned unchanged.
func TestLeft(t *testing.T) {
	clear := plot()
	clear.Set(3, 3, color.RGBA{1, 1, 1, 100})
	for what, file := range map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "half a file": encodePNG(t, plot())[:300],
		"transparency": encodePNG(t, clear), "one pixel": encodePNG(t, image.NewGray(image.Rect(0, 0, 1, 1))),
	} {
		if got := Reduce(file); !bytes.Equal(got, file) {
			t.Errorf("%s has changed: %d bytes, then %d", what, len(file), len(got))
		}
	}
}

func FuzzReduce(f *testing.F) {
	f.Add(encodePNG(f, plot().SubImage(image.Rect(0, 0, 20, 20))))
	f.Fuzz(func(t *testing.T, file []byte) {
		small := Reduce(file)
		if len(small) > len(file) {
			t.Error("it is larger")
		}
		if a, err := png.DecodeConfig(bytes.NewReader(file)); err == nil {
			if b, err := png.DecodeConfig(bytes.NewReader(small)); err != nil || a.Width != b.Width || a.Height != b.Height {
				t.Errorf("%v: %d × %d", err, b.Width, b.Height)
			}
		}
	})
}

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
