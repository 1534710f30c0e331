package quickpng

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"
)

// picture returns w × h pixels with a number of colors, as a part of a larger picture.
func picture(w, h, colours int) *image.RGBA {
	rng := rand.New(rand.NewPCG(1, 1))
	all := make([]color.RGBA, colours)
	for i := range all {
		all[i] = color.RGBA{uint8(i), uint8(i >> 8), uint8(rng.IntN(256)), 255}
	}
	m := image.NewRGBA(image.Rect(3, 5, w+20, h+20)).SubImage(image.Rect(10, 9, 10+w, 9+h)).(*image.RGBA)
	n := 0
	for y := 9; y < 9+h; y++ {
		for x := 10; x < 10+w; x++ {
			m.SetRGBA(x, y, all[min(n, rng.IntN(colours))]) // few colors at the top, in runs
			if rng.IntN(3) == 0 {
				n++
			}
		}
	}
	return m
}

// The written file has the same pixels, with a palette and without.
func TestEncode(t *testing.T) {
	for _, c := range []struct{ w, h, colours int }{{1, 1, 1}, {7, 3, 2}, {100, 40, 255}, {100, 100, 256}, {100, 100, 257}, {300, 200, 5000}} {
		m := picture(c.w, c.h, c.colours)
		var b bytes.Buffer
		if err := encode(&b, m); err != nil {
			t.Fatal(err)
		}
		got, err := png.Decode(&b)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if size := got.Bounds().Size(); size != (image.Point{c.w, c.h}) {
			t.Fatalf("%+v: size %v", c, size)
		}
		for y := range c.h {
			for x := range c.w {
				if g, w := color.RGBAModel.Convert(got.At(x, y)), m.RGBAAt(10+x, 9+y); g != w {
					t.Fatalf("%+v: (%d, %d) is %v, want %v", c, x, y, g, w)
				}
			}
		}
	}
}

// Every kind of picture is written, including kinds that are passed on to image/png.
func TestOthers(t *testing.T) {
	for _, m := range []image.Image{
		image.NewGray(image.Rect(0, 0, 3, 3)), image.NewRGBA(image.Rect(0, 0, 3, 3)), picture(4, 4, 3), image.NewNRGBA64(image.Rect(0, 0, 2, 9)),
	} {
		var b bytes.Buffer
		if err := Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		got, err := png.Decode(&b)
		if err != nil || got.Bounds().Size() != m.Bounds().Size() {
			t.Errorf("%T: %v, %v", m, got, err)
		}
		x, y := m.Bounds().Min.X, m.Bounds().Min.Y
		if g, w := color.NRGBA64Model.Convert(got.At(0, 0)), color.NRGBA64Model.Convert(m.At(x, y)); g != w {
			t.Errorf("%T: %v, want %v", m, g, w)
		}
	}
	if err := Encode(new(bytes.Buffer), image.NewRGBA(image.Rect(0, 0, 0, 5))); err == nil {
		t.Error("a picture without pixels was written")
	}
}

type fullWriter struct{ room int }

var errFull = errors.New("full")

func (f *fullWriter) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// An error from the writer is returned, wherever it occurs.
func TestWriter(t *testing.T) {
	m := picture(20, 20, 300)
	for room := range 200 {
		if err := encode(&fullWriter{room}, m); !errors.Is(err, errFull) {
			t.Fatalf("room for %d: %v", room, err)
		}
	}
}
