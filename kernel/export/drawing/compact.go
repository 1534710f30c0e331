package drawing

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"

	"overcomplete/internal/figuremeta"
)

// styledPath matches a path written by package figure, and filled matches the style of a filled path.
var (
	styledPath = regexp.MustCompile(`<path d="([^"]*)" style="([^"]*)"\s*/>`)
	filled     = regexp.MustCompile(`^fill:(#[0-9A-Fa-f]{6})(?:;fill-opacity:([0-9.]+))?$`)
)

// family is a part of every text's style, and defaults are properties that text has by default.
const family = "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"

var defaults = regexp.MustCompile(`font-(?:variant|weight|style):normal;`)

// Compact returns a smaller SVG that looks the same, for an SVG of package figure: dots become lines of length
// zero with round ends, lines lose points that are not visible, and texts share their font declaration and are
// fitted (see Fitted). The metadata are removed. Any other SVG is returned unchanged.
func Compact(svg []byte) []byte {
	if _, err := parse(svg); err != nil {
		return svg
	}
	svg = figuremeta.Without(svg)
	svg = defaults.ReplaceAll([]byte(Fitted(string(svg))), nil)
	if bytes.Contains(svg, []byte(family)) {
		svg = bytes.ReplaceAll(svg, []byte(family), nil)
		svg = bytes.Replace(svg, []byte("<svg "), []byte(`<svg style="`+strings.TrimSuffix(family, ";")+`" `), 1)
	}
	return styledPath.ReplaceAllFunc(svg, func(whole []byte) []byte {
		m := styledPath.FindSubmatch(whole)
		style := html.UnescapeString(string(m[2]))
		path, err := parsePath(string(m[1]), 0)
		if err != nil {
			return whole
		}
		for i := range path { // path data in a file have a downward axis
			path[i].to.y, path[i].sweep = -path[i].to.y, !path[i].sweep
		}
		if centres, radius := dots(path); len(centres) > 0 {
			f := filled.FindStringSubmatch(style)
			if f == nil {
				return whole
			}
			var b strings.Builder
			for _, c := range centres {
				b.WriteString(data([]segment{{op: 'M', to: c}}) + "h0")
			}
			style = fmt.Sprintf("fill:none;stroke:%s;stroke-width:%s;stroke-linecap:round", f[1], short(2*radius))
			if f[2] != "" {
				style += ";stroke-opacity:" + f[2]
			}
			return fmt.Appendf(nil, `<path d="%s" style="%s" />`, b.String(), style)
		}
		if !strings.HasPrefix(style, "fill:none;") {
			return whole
		}
		return fmt.Appendf(nil, `<path d="%s" style="%s" />`, data(thinned(path)), html.EscapeString(style))
	})
}

var (
	anyText = regexp.MustCompile(`<text ([^>]*)>([^<]*)</text>`)
	sizeOf  = regexp.MustCompile(`font-size:([0-9.]+)px`)
)

// Fitted returns an SVG of package figure in which each text has the width for which it was laid out, whatever
// font the reader's computer has.
func Fitted(svg string) string {
	return anyText.ReplaceAllStringFunc(svg, func(whole string) string {
		m := anyText.FindStringSubmatch(whole)
		size := sizeOf.FindStringSubmatch(m[1])
		if size == nil || strings.Contains(m[1], "textLength") {
			return whole
		}
		points, err := strconv.ParseFloat(size[1], 64)
		if err != nil {
			return whole
		}
		w, known := textWidth(html.UnescapeString(m[2]), points, strings.Contains(m[1], "font-weight:bold"))
		if !known || w <= 0 {
			return whole
		}
		return `<text textLength="` + short(w) + `" lengthAdjust="spacingAndGlyphs" ` + m[1] + ">" + m[2] + "</text>"
	})
}
