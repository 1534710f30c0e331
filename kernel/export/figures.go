package export

import (
	"encoding/base64"
	"path/filepath"
	"strings"
	"unicode"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/inside"
	"overcomplete/kernel/export/drawing"
	"overcomplete/kernel/notebook"
)

// figureHTML returns the HTML of a figure, panel by panel. If the output o names a saved figure whose SVG can be found,
// figureHTML uses this SVG. Otherwise, if kind is the media type of an SVG, it uses the given content. It returns "" if
// there is no SVG, or if the SVG is from another program.
func (c *converter) figureHTML(o notebook.Output, kind, content string) string {
	svg := []byte(nil)
	if kind == "image/svg+xml" {
		svg = []byte(content)
	}
	meta, _ := o["metadata"].(map[string]any)
	if n, ok := figuremeta.NameIn(meta); ok && c.figure != nil {
		if file := c.figure(n); file != nil {
			svg = file // the file contains the figure's data
		}
	}
	if svg == nil {
		return ""
	}
	d, err := drawing.Parse(svg)
	if err != nil { // the SVG is from another program
		return ""
	}
	c.drawn = true
	return d.HTML()
}

// pictureBytes decodes a picture, which a notebook stores as base64.
func pictureBytes(content string) ([]byte, error) {
	return base64.StdEncoding.DecodeString(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, content))
}

// FiguresBeside returns a function for HTMLOptions.Figure, which finds the SVG of a saved figure. The function looks
// in the folders figures and figures/run of the notebook's folder dir, of its parent, and of its parent's parent. It
// ignores a file that does not look like the figure in the output.
func FiguresBeside(dir string) func(figuremeta.Name) (svg []byte) {
	return func(n figuremeta.Name) []byte {
		at, err := filepath.Abs(dir)
		if err != nil {
			return nil
		}
		for range 3 {
			for _, folder := range []string{"figures", filepath.Join("figures", "run")} {
				path := filepath.Join(at, folder, filepath.FromSlash(n.Figure)+".svg")
				if svg, err := inside.ReadFile(at, path, mostPicture); err == nil && figuremeta.Sum(svg) == n.Sum {
					return svg
				}
			}
			at = filepath.Dir(at)
		}
		return nil
	}
}
