package drawing

import (
	"html"
	"regexp"
	"strconv"
	"strings"

	"overcomplete/internal/figuremeta"
)

// Compact returns an SVG of package figure without its metadata and with fitted texts (see Fitted). The result is
// smaller and looks the same. Compact returns any other SVG unchanged.
func Compact(svg []byte) []byte {
	if _, err := parse(svg); err != nil {
		return svg
	}
	return []byte(Fitted(string(figuremeta.Without(svg))))
}

var (
	// grouped matches texts, and the tags of groups, which may hold the style of the texts.
	grouped = regexp.MustCompile(`<g style="([^"]*)">|</g>|<text ([^>]*)>([^<]*)</text>`)
	sizeOf  = regexp.MustCompile(`font-size:([0-9.]+)px`)
)

// Fitted returns an SVG of package figure in which each text has the width for which it was laid out, whatever
// font the reader's computer has.
func Fitted(svg string) string {
	group := ""
	return grouped.ReplaceAllStringFunc(svg, func(whole string) string {
		m := grouped.FindStringSubmatch(whole)
		if !strings.HasPrefix(whole, "<text") {
			group = m[1]
			return whole
		}
		style := m[2] + group
		size := sizeOf.FindStringSubmatch(style)
		if size == nil || strings.Contains(style, "textLength") {
			return whole
		}
		points, err := strconv.ParseFloat(size[1], 64)
		if err != nil {
			return whole
		}
		w, known := textWidth(html.UnescapeString(m[3]), points, strings.Contains(style, "font-weight:bold"))
		if !known || w <= 0 {
			return whole
		}
		return `<text textLength="` + short(w) + `" lengthAdjust="spacingAndGlyphs" ` + m[2] + ">" + m[3] + "</text>"
	})
}
