package export

import (
	"encoding/base64"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/inside"
	"overcomplete/internal/positions"
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

// savedPositions matches the control positions saved by overcomplete run.
var savedPositions = regexp.MustCompile(`(<script type="` + regexp.QuoteMeta(positions.Type) + `">)([^<]*)(</script>)`)

// withFittedText returns s, the HTML of an output, with fitted texts in the drawings of saved control positions (see
// drawing.Fitted). If s has no control with saved positions, it is unchanged.
func withFittedText(s string) string {
	if !strings.Contains(s, "data-positions") {
		return s
	}
	return savedPositions.ReplaceAllStringFunc(s, func(whole string) string {
		m := savedPositions.FindStringSubmatch(whole)
		var d positions.Data
		if json.Unmarshal([]byte(m[2]), &d) != nil {
			return whole
		}
		frames, err := positions.Unpack(d.Frames)
		if err != nil {
			return whole
		}
		changed := false
		for _, f := range frames {
			for i := range f {
				if svg := drawing.Fitted(f[i].SVG); svg != f[i].SVG {
					f[i].SVG, changed = svg, true
				}
			}
		}
		if !changed {
			return whole
		}
		d.Frames = positions.Pack(frames)
		b, err := json.Marshal(d)
		if err != nil {
			return whole
		}
		return m[1] + string(b) + m[3]
	})
}
