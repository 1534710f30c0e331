package sniff

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"
)

// TestKnown checks that knownType agrees with net/http on the types that knownType recognizes.
func TestKnown(t *testing.T) {
	picture := image.NewPaletted(image.Rect(0, 0, 3, 3), color.Palette{color.Black, color.White})
	var p, j, g bytes.Buffer
	if png.Encode(&p, picture) != nil || jpeg.Encode(&j, picture, nil) != nil || gif.Encode(&g, picture, nil) != nil {
		t.Fatal("no pictures")
	}
	for _, b := range [][]byte{
		p.Bytes(), j.Bytes(), g.Bytes(), []byte("%PDF-1.4\n"), []byte("RIFF\x00\x00\x00\x00WEBPVP8 "), []byte("BM\x00\x00"),
		[]byte("<!doctype html><p>x"), []byte("  \n<html>"), []byte("<p>x</p>"), []byte("<pre>x</pre>"), []byte("<b"), []byte("<!-- x -->"), []byte("<?xml version=\"1.0\"?>"),
		[]byte("some text\n"), []byte("\x1b[31mred"), {}, {0, 1, 2}, []byte("x\x00"), []byte("<svg>"), bytes.Repeat([]byte("a"), 1000), append(bytes.Repeat([]byte("a"), 600), 0),
	} {
		if got, want := knownType(b), Type(b); got != want {
			t.Errorf("%.20q is %s, not %s", b, got, want)
		}
	}
}

func FuzzKnown(f *testing.F) {
	f.Add([]byte("<html>"))
	f.Fuzz(func(t *testing.T, b []byte) { knownType(b) })
}
