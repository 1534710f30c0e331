package export

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"overcomplete/internal/inside"
	"overcomplete/kernel/export/drawing"
)

// panels shows an SVG, or the SVG of a PNG, as a drawing, "" if there is none that package figure has made.
func (c *converter) panels(kind, content string) string {
	switch {
	case kind == "image/svg+xml":
		return c.drawing([]byte(content), nil)
	case kind != "image/png" || c.figure == nil:
		return ""
	}
	b, err := pictureBytes(content)
	if err != nil {
		return ""
	}
	svg, csv := c.figure(b)
	if svg == nil {
		return ""
	}
	return c.drawing(svg, csv)
}

// pictureBytes returns a picture that a notebook has as base64.
func pictureBytes(content string) ([]byte, error) {
	return base64.StdEncoding.DecodeString(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, content))
}

func (c *converter) drawing(svg, csv []byte) string {
	d, err := drawing.Parse(svg)
	if err != nil { // another program's
		return ""
	}
	d.Values(csv)
	c.drawn = true
	return d.HTML()
}

// FiguresBeside returns a function for HTMLOptions.Figure: it looks for a PNG of the same bytes among the figures that
// notebooks have saved, in the folders of figures and figures/run, which are beside the notebook's folder dir or
// above it. So a page takes along what an output shows, and nothing else. It returns nil if there are none.
func FiguresBeside(dir string) func(png []byte) (svg, csv []byte) {
	bySize := map[int64][]string{}
	folders := map[string]string{} // of figures, by a figure's path
	at, err := filepath.Abs(dir)
	for range 3 {
		if err != nil {
			break
		}
		for _, in := range []string{"*/*.png", "run/*/*.png"} {
			folder := filepath.Join(at, "figures")
			list, err := fs.Glob(os.DirFS(folder), in)
			if err != nil {
				continue
			}
			for _, name := range list {
				path := filepath.Join(folder, filepath.FromSlash(name))
				if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
					bySize[info.Size()] = append(bySize[info.Size()], path)
					folders[path] = at
				}
			}
		}
		at = filepath.Dir(at)
	}
	if len(bySize) == 0 {
		return nil
	}
	return func(png []byte) (svg, csv []byte) {
		for _, path := range bySize[int64(len(png))] {
			in := folders[path]
			read := func(path string) ([]byte, error) { return inside.ReadFile(in, path, mostPicture) }
			if b, err := read(path); err != nil || !bytes.Equal(b, png) {
				continue
			}
			base := strings.TrimSuffix(path, ".png")
			svg, err := read(base + ".svg")
			if err != nil {
				continue
			}
			csv, _ := read(base + ".csv") // not all have one
			return svg, csv
		}
		return nil, nil
	}
}
