package powers

import (
	"strings"
	"testing"
)

func TestIn(t *testing.T) {
	for text, want := range map[string]string{
		"1e-08":                       "10⁻⁸",
		"falls to -1.06e+04, and 3":   "falls to −1.06 × 10⁴, and 3",
		"1e-05 2e-10":                 "10⁻⁵ 2 × 10⁻¹⁰",
		"(1e-4)":                      "(10⁻⁴)",
		"0.5, 12, e-mail, the-e+1":    "0.5, 12, e-mail, the-e+1",
		"sha 12e45 and a1e-05, 1e-5b": "sha 12e45 and a1e-05, 1e-5b",
		"":                            "",
	} {
		if got := In(text); got != strings.ReplaceAll(want, " × ", "\u00a0×\u00a0") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
