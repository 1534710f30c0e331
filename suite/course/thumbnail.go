package course

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
)

// The size of a thumbnail, in pixels.
const (
	thumbWidth  = 320
	thumbHeight = 240
)

// thumbnail returns a small version of a part of a figure as a data URI.
func thumbnail(picture []byte, part image.Rectangle) (string, error) {
	figure, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return "", err
	}
	if !part.In(figure.Bounds()) {
		return "", fmt.Errorf("the figure has the bounds %v, which do not contain %v: choose another part in lectures.go", figure.Bounds(), part)
	}
	small := image.NewRGBA(image.Rect(0, 0, thumbWidth, thumbHeight))
	draw.CatmullRom.Scale(small, small.Bounds(), figure, part, draw.Src, nil)
	return dataURI(small)
}

// dataURI returns a picture as a data URI: PNG or JPEG, whichever is shorter.
func dataURI(small image.Image) (string, error) {
	var lossless, lossy bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := errors.Join(encoder.Encode(&lossless, small), jpeg.Encode(&lossy, small, &jpeg.Options{Quality: 88})); err != nil {
		return "", err
	}
	kind, best := "png", lossless.Bytes()
	if lossy.Len() < len(best) {
		kind, best = "jpeg", lossy.Bytes()
	}
	return "data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString(best), nil
}
