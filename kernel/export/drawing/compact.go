package drawing

import (
	"html"
	"regexp"
	"strconv"
	"strings"

	"overcomplete/internal/figuremeta"
)

// Compact returns a smaller SVG that looks the same, for an SVG of package figure: the metadata are removed. Texts
// are fitted (see Fitted). Any other SVG is returned unchanged.
func Compact(svg []byte) []byte {
	if _, err := parse(svg); err != nil {
		return svg
	}
	return []byte(Fitted(string(figuremeta.Without(svg))))
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
