package export

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"overcomplete/kernel/export/drawing"
)

// panels shows an SVG, or the SVG of a PNG, as a drawing, "" if there is none that package figure has made.
func (c *converter) panels(kind, content string) string {
	switch {
	case c.whole:
		return ""
	case kind == "image/svg+xml":
		return c.drawing([]byte(content), nil)
	case kind != "image/png" || c.figure == nil:
		return ""
	}
	b, err := base64.StdEncoding.DecodeString(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, content))
	if err != nil {
		return ""
	}
	svg, csv := c.figure(b)
	if svg == nil {
		return ""
	}
	return c.drawing(svg, csv)
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

// FiguresBeside returns a function for HTMLOptions.Figure: it looks for a PNG of the same bytes among the figures that a
// notebook has saved, in a folder figures/NAME or figures/run/NAME beside the notebook's folder or above it. So a
// page takes along what an output shows, and nothing else.
func FiguresBeside(dir, name string) func(png []byte) (svg, csv []byte) {
	bySize := map[int64][]string{}
	at, err := filepath.Abs(dir)
	for range 3 {
		if err != nil {
			break
		}
		for _, folder := range []string{filepath.Join(at, "figures", name), filepath.Join(at, "figures", "run", name)} {
			list, err := os.ReadDir(folder)
			if err != nil {
				continue
			}
			for _, e := range list {
				if info, err := e.Info(); err == nil && info.Mode().IsRegular() && filepath.Ext(e.Name()) == ".png" {
					bySize[info.Size()] = append(bySize[info.Size()], filepath.Join(folder, e.Name()))
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
			if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, png) {
				continue
			}
			base := strings.TrimSuffix(path, ".png")
			svg, err := os.ReadFile(base + ".svg")
			if err != nil || len(svg) > mostPicture {
				continue
			}
			csv, _ := os.ReadFile(base + ".csv") // not all have one
			return svg, csv
		}
		return nil, nil
	}
}
