package course

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"path/filepath"
	"strings"

	"golang.org/x/image/draw"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/inside"
	"overcomplete/kernel/notebook"
)

// mostFigure bounds the size of a figure, in bytes.
const mostFigure = 1 << 28

// figureAddresses returns a function that gives the address of a recorded figure in the site's copy of the report's
// figures. That function returns "" if the record in root does not have exactly the requested version of the figure.
// The argument to is the path from the page to the site's copy; each address begins with this path. (The slides could
// embed the pictures, but that would double the size of the site.)
func figureAddresses(root, to string) func(figuremeta.Name) string {
	return func(n figuremeta.Name) string {
		svg, err := inside.ReadFile(root, filepath.Join(root, "figures", filepath.FromSlash(n.Figure)+".svg"), mostFigure)
		if err != nil || figuremeta.Sum(svg) != n.Sum {
			return ""
		}
		return to + n.Figure + ".svg"
	}
}

// pictureOf returns the PNG of a figure in a notebook.
func pictureOf(nb *notebook.Notebook, figure string) ([]byte, error) {
	for _, c := range nb.Cells {
		for _, o := range c.Outputs {
			meta, _ := o["metadata"].(map[string]any)
			data, _ := o["data"].(map[string]any)
			text, _ := data["image/png"].(string)
			if n, ok := figuremeta.NameIn(meta); ok && n.Figure == figure && text != "" {
				return base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
			}
		}
	}
	return nil, fmt.Errorf("no output shows the figure %s: choose another figure in lectures.go", figure)
}

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
