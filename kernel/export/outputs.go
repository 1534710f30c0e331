package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"image"
	"image/png"
	"regexp"
	"strings"

	"overcomplete/internal/figuremeta"
	"overcomplete/kernel/notebook"
)

var pictureTypes = []string{"image/svg+xml", "image/png", "image/jpeg", "image/gif", "image/webp"}

// output returns the HTML of one output of a cell.
func (c *converter) output(o notebook.Output) string {
	switch o.Type() {
	case notebook.Stream:
		class := "stdout"
		if o["name"] == "stderr" {
			class = "stderr"
		}
		text := strings.TrimRight(o.Text(), "\n")
		if strings.TrimSpace(text) == "" {
			return ""
		}
		return `<pre class="` + class + `" tabindex="0">` + ansiHTML(text) + "</pre>\n"
	case notebook.ErrorOutput:
		return `<pre class="error" tabindex="0">` + ansiHTML(traceback(o)) + "</pre>\n"
	case notebook.DisplayData, notebook.ExecuteResult:
		return c.bundle(o)
	}
	return ""
}

// traceback returns the text of an error output: the traceback, or else the error's name and value.
func traceback(o notebook.Output) string {
	var lines []string
	list, _ := o["traceback"].([]any)
	for _, l := range list {
		if s, ok := l.(string); ok {
			lines = append(lines, s)
		}
	}
	if len(lines) == 0 {
		lines = []string{fmt.Sprintf("%v: %v", o["ename"], o["evalue"])}
	}
	return strings.Join(lines, "\n")
}

// bundle returns the HTML of the best representation of an output.
func (c *converter) bundle(o notebook.Output) string {
	data, _ := o["data"].(map[string]any)
	text := func(mime string) string { s, _ := data[mime].(string); return s }
	c.clean.setOutput(o)
	defer c.clean.clearOutput()
	if s := text("text/html"); s != "" {
		s, folded := tableHTML(s)
		s = `<div class="wide html" tabindex="0" role="group" aria-label="output">` + withFittedText(c.clean.html(s)) + "</div>\n"
		if folded != "" {
			s = `<details class="held"><summary>` + folded + "</summary>\n" + s + "</details>\n"
		}
		return s
	}
	for _, kind := range pictureTypes {
		if s := text(kind); s != "" {
			return c.pictureHTML(o, kind, s)
		}
	}
	if s := text("text/markdown"); s != "" {
		return `<div class="text">` + c.markdown(s, nil, false) + "</div>\n"
	}
	if s := text("text/latex"); s != "" {
		return `<div class="text">` + c.markdown(latexSource(s), nil, false) + "</div>\n"
	}
	if s := text("application/javascript"); s != "" && c.clean.runs() {
		return "<script>" + scriptEnd.ReplaceAllString(s, `<\$1`) + "</script>\n"
	}
	if s := text("text/plain"); s != "" {
		return `<pre class="result" tabindex="0">` + ansiHTML(strings.TrimRight(s, "\n")) + "</pre>\n"
	}
	if v, ok := data["application/json"]; ok {
		if b, err := json.MarshalIndent(v, "", "  "); err == nil {
			return `<pre class="result" tabindex="0">` + html.EscapeString(string(b)) + "</pre>\n"
		}
	}
	return ""
}

// scriptEnd matches text that would end a script element wherever it occurs.
var scriptEnd = regexp.MustCompile(`(?i)<(/script)`)

// latexSource returns a formula with delimiters. It adds dollar signs if the formula has none.
func latexSource(s string) string {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "$") || strings.HasPrefix(s, `\begin{`) {
		return s
	}
	return "$$" + s + "$$"
}

// caption returns the plain text of a figure without the mark [figure] at its beginning. The rest is the figure's
// caption and the place where the figure was made.
func caption(plain string) string {
	return strings.TrimSpace(figureMark.ReplaceAllString(plain, ""))
}

var figureMark = regexp.MustCompile(`^\[figures?\]\s*`)

// pictureHTML returns the HTML of a picture. A figure whose SVG is known is shown panel by panel. Any other picture
// becomes an img element, and the output's text describes it to readers who cannot see the picture. If such a picture
// is a figure, the text is also a caption below it. The style sheet shows this caption only where the caption inside
// the picture may be too small to read.
func (c *converter) pictureHTML(o notebook.Output, kind, content string) string {
	about := caption(o.Text())
	if s := c.figureHTML(o, kind, content); s != "" {
		return s
	}
	width, height := pictureSize(o, kind)
	size := ""
	if width > 0 {
		size = fmt.Sprintf(` width="%d"`, width)
		if height > 0 {
			size += fmt.Sprintf(` height="%d"`, height)
		}
	}
	address := ""
	if meta, _ := o["metadata"].(map[string]any); c.address != nil {
		if n, ok := figuremeta.NameIn(meta); ok {
			address = c.address(n)
		}
	}
	if kind == "image/png" {
		if plot(content) {
			size += ` class="plot"`
		}
	}
	if address == "" {
		address = dataAddress(kind, content)
	}
	s := `<figure><img src="` + html.EscapeString(address) + `" alt="` + html.EscapeString(about) + `"` + size + `>`
	if about != "" && about != o.Text() {
		s += "<figcaption>" + html.EscapeString(about) + "</figcaption>"
	}
	return s + "</figure>\n"
}

// plot reports whether the colors of a PNG may be inverted on a dark page. They may if the picture is white at its
// corners, and is either mostly white, as a line plot is, or a gray heatmap.
func plot(content string) bool {
	b, err := pictureBytes(content)
	if err != nil {
		return false
	}
	if size, err := png.DecodeConfig(bytes.NewReader(b)); err != nil || size.Width*size.Height > 8<<20 {
		return false
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return false
	}
	return whiteCorners(img) && (mostlyWhite(img) || greyMap(img))
}

// leastTint is the smallest difference between the color components of a tinted pixel.
const leastTint = 40

// greyMap reports whether a picture is a gray heatmap, which may be inverted together with its color scale. Such a
// picture has no color and is white in large parts. Unlike a photograph, it has few pixels of intermediate gray.
func greyMap(img image.Image) bool {
	at := img.Bounds()
	const step = 3 // pixels
	white, between, all := 0, 0, 0
	for y := at.Min.Y; y < at.Max.Y; y += step {
		for x := at.Min.X; x < at.Max.X; x += step {
			r, g, b, _ := img.At(x, y).RGBA()
			if max(r, g, b)-min(r, g, b) > leastTint<<8 {
				return false
			}
			all++
			switch {
			case isWhite(img, x, y):
				white++
			case g > 0x5000 && g < 0xb000:
				between++
			}
		}
	}
	return 100*white >= 45*all && 4*between <= all
}

func isWhite(img image.Image, x, y int) bool {
	r, g, b, a := img.At(x, y).RGBA()
	return min(r, g, b, a) >= 0xfe00
}

func whiteCorners(img image.Image) bool {
	at := img.Bounds()
	return isWhite(img, at.Min.X, at.Min.Y) && isWhite(img, at.Max.X-1, at.Min.Y) && isWhite(img, at.Min.X, at.Max.Y-1) && isWhite(img, at.Max.X-1, at.Max.Y-1)
}

func mostlyWhite(img image.Image) bool {
	at := img.Bounds()
	const step = 3 // pixels
	n, all := 0, 0
	for y := at.Min.Y; y < at.Max.Y; y += step {
		for x := at.Min.X; x < at.Max.X; x += step {
			all++
			if isWhite(img, x, y) {
				n++
			}
		}
	}
	return 10*n >= 7*all
}

// pictureSize returns a picture's size in pixels from the output's metadata. A size that the metadata does not give
// is 0.
func pictureSize(o notebook.Output, kind string) (width, height int) {
	meta, _ := o["metadata"].(map[string]any)
	if own, ok := meta[kind].(map[string]any); ok {
		meta = own
	}
	number := func(key string) int {
		n, ok := meta[key].(json.Number)
		if !ok {
			if i, ok := meta[key].(int); ok {
				return min(max(i, 0), 10000)
			}
			return 0
		}
		f, err := n.Float64()
		if err != nil || !(f > 0 && f < 10000) {
			return 0
		}
		return int(f)
	}
	return number("width"), number("height")
}

// Output returns the HTML that a page shows for one output, or "" if nothing is visible. It is for pages on
// which cells run.
func Output(o notebook.Output) string {
	c := &converter{anchors: map[string]bool{}, characters: map[rune]bool{}}
	return c.output(o)
}
