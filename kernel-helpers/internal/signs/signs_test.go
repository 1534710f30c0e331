package signs

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
)

// lacking returns the characters of s without a glyph in a font of the figures.
func lacking(t *testing.T, s string) string {
	t.Helper()
	var none strings.Builder
	for _, f := range []font.Font{{Typeface: "Liberation", Variant: "Sans"}, {Typeface: "Liberation", Variant: "Sans", Weight: xfont.WeightBold}} {
		face := plot.DefaultTextHandler.Cache().Lookup(f, 10)
		var b sfnt.Buffer
		for _, r := range s {
			i, err := face.Face.GlyphIndex(&b, r)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 && !strings.ContainsRune(none.String(), r) {
				none.WriteRune(r)
			}
		}
	}
	return none.String()
}

func TestSpelled(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "plain": "plain", "x² + yⁿ": "x² + yⁿ", "E[sᵢ]": "E[sᵢ]", "‖ŵ‖₁ ≥ √2 → ∂F": "‖ŵ‖₁ ≥ √2 → ∂F",
		"w⁺ − w⁻": "w^+ − w^−", "10⁻⁹": "10^−9", "10⁻¹² and 10⁶": "10^−12 and 10⁶", "10⁹": "10^9", "a⁰": "a^0",
		"qᵢⱼ": "q_ij", "x₁ₜ": "x_1t", "⟨G, Aᵀ⟩": "‹G, Aᵀ›", "A⊤": "Aᵀ", "∇f": "grad f", "x∈ℝ": "x in R",
	} {
		got := Spelled(s)
		if got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
		if none := lacking(t, got); none != "" {
			t.Errorf("%q: the fonts have no %s", got, none)
		}
		if got == s && lacking(t, s) != "" || got != s && lacking(t, s) == "" {
			t.Errorf("%q: lacks %q, and is %q", s, lacking(t, s), got)
		}
	}
	if none := lacking(t, Spelled(above+" "+below+" ∇⟨⟩∈∼∝⊤⊙⊗∗⇒✓✗ℝ")); none != "" {
		t.Errorf("the fonts have no %s", none)
	}
}

// TestFigures: the fonts have every character of the project's own figures, at their recorded sizes.
func TestFigures(t *testing.T) {
	files, err := filepath.Glob("../../../figures/*/*.svg")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d figures, %v", len(files), err)
	}
	inText := regexp.MustCompile(`(?s)<text [^>]*>(.*?)</text>`)
	drawn := 0
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inText.FindAllSubmatch(b, -1) {
			drawn++
			if none := lacking(t, html.UnescapeString(strings.TrimSpace(string(m[1])))); none != "" {
				t.Errorf("%s: %s: the fonts have no %s", f, m[1], none)
			}
		}
	}
	if drawn < 1000 {
		t.Errorf("%d texts in %d figures", drawn, len(files))
	}
}
