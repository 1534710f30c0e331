// Package powers writes numbers for readers: 1.06 × 10⁴ where a program prints 1.06e+04.
package powers

import (
	"regexp"
	"strings"
)

// printed matches a number with an exponent, as Go prints it, and the characters before and after it.
var printed = regexp.MustCompile(`(^|[^\pL\pN_.])(-?)([0-9]+(?:\.[0-9]+)?)e([+-])0*([0-9]+)($|[^\pL\pN_])`)

var raised = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// In returns the text with each number in scientific notation rewritten as a power of ten: 1e-08 becomes 10⁻⁸, and
// -1.06e+04 becomes −1.06 × 10⁴. Lines cannot break at the spaces in such a number.
func In(text string) string {
	if !strings.Contains(text, "e-") && !strings.Contains(text, "e+") {
		return text
	}
	for range 2 { // two numbers may share the character between them; the second pass finds the second number
		text = printed.ReplaceAllStringFunc(text, func(s string) string {
			m := printed.FindStringSubmatch(s)
			out := m[1]
			if m[2] != "" {
				out += "−"
			}
			if m[3] != "1" {
				out += m[3] + "\u00a0×\u00a0"
			}
			out += "10"
			if m[4] == "-" && m[5] != "" {
				out += "⁻"
			}
			return out + raised.Replace(m[5]) + m[6]
		})
	}
	return text
}
