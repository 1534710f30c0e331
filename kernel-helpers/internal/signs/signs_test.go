package signs

import (
	"html"
	"math"
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

// lacking returns those characters of s for which a font of the figures has no glyph.
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

// show returns the runs of a line as text: raised runs as ^[...], lowered runs as _[...], italics in slashes and bold
// in stars.
func show(line string) string {
	var b strings.Builder
	for _, r := range runs(line) {
		s := r.text
		if r.italic {
			s = "/" + s + "/"
		}
		if r.bold {
			s = "*" + s + "*"
		}
		switch {
		case r.over:
			s = "{" + s + "}"
		case r.rise > 0:
			s = "^[" + s + "]"
		case r.rise < 0:
			s = "_[" + s + "]"
		}
		b.WriteString(s)
	}
	return b.String()
}

func TestRuns(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "plain": "plain", "x² + yⁿ": "x² + yⁿ", "E[sᵢ]": "E[sᵢ]", "‖ŵ‖₁ ≥ √2 → ∂F": "‖ŵ‖_[1] ≥ √2 → ∂F", "x₁₀": "x_[10]",
		"w⁺ − w⁻": "w^[+] − w^[−]", "10⁻⁹": "10^[−9]", "10⁻¹² and 10⁶": "10^[−12] and 10⁶", "10⁹": "10^[9]", "a⁰": "a^[0]",
		"qᵢⱼ": "q_[ij]", "x⁽²⁾": "x^[(2)]", "aₙ₊₁": "a_[n+1]", "xₘₐₓ": "x_[max]", "x₁ₜ": "x_[1t]", "⟨G, Aᵀ⟩": "‹G, Aᵀ›", "A⊤": "Aᵀ", "∇f": "grad f", "x∈ℝ": "x in R", "µg m⁻³": "µg m^[−3]",
		`$\mu$g m$^{-3}$`: "/μ/g m^[−3]", `$x_i$`: "/x/_[/i/]", `$a<b$`: "/a/ < /b/", `$-x$`: "−/x/", `$2\cdot10^{-5}$`: "2·10^[−5]",
		`$\mathrm{SO}_4$`: "SO_[4]", `$\mathbf{W}\Sigma$`: "*W*Σ", `$\log x$`: "log/x/", `$\frac{1}{n}$`: "1//n/", `$\frac{a}{n+1}$`: "/a//(/n/ + 1)",
		`$\sqrt{xy}$`: "√(/xy/)", `one $ only`: "one $ only", `\$1 to \$2`: "$1 to $2", "$x$ and $y$": "/x/ and /y/", `$\hat x$`: "/x/{/ˆ/}", `$a\hat{\beta}_i$`: "/a//β/{/ˆ/}_[/i/]", `$\bar{X}$`: "/X/{/¯/}", `$e^{-x^2}$`: "/e/^[−]^[/x/]^[2]",
	} {
		if got := show(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
		for _, r := range runs(s) {
			if none := lacking(t, r.text); none != "" {
				t.Errorf("%q: the fonts have no %s", s, none)
			}
		}
	}
	for _, r := range runs(above + " " + below + " ∇⟨⟩∈∼∝⊤⊙⊗∗⇒✓✗ℝ") {
		if none := lacking(t, r.text); none != "" {
			t.Errorf("the fonts have no %s", none)
		}
	}
	for name, s := range symbols {
		if none := lacking(t, s); none != "" {
			t.Errorf("\\%s: the fonts have no %s", name, none)
		}
	}
	for s, want := range map[string]string{
		`x^`: "nothing follows ^", `x_{a`: "{ without }", `a}`: "} without {", `\nosuch`: `\nosuch is not known`, `\frac{1}`: `nothing follows \frac`,
	} {
		if _, err := parse(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", s, err, want)
		}
	}
}

// FuzzParse: a formula is set or refused, without a panic.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`\frac{1}{n}^2`, `x_i^{-3}`, `\`, `{{}`, `\mathrm`, "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { parse(s) })
}

// TestBox: text with raised parts is as wide as its parts together, and as high as plain text.
func TestBox(t *testing.T) {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: 10}
	w, h, d := Handler.Box("10⁻⁹", f)
	w10, h10, d10 := Handler.Box("10", f)
	small := f
	small.Size = 7
	w9, _, _ := Handler.Box("−9", small)
	if h != h10 || d != d10 || math.Abs(float64(w-w10-w9)) > 1e-6 {
		t.Errorf("%v × %v + %v, the parts %v and %v, %v + %v", w, h, d, w10, w9, h10, d10)
	}
}

func TestWords(t *testing.T) {
	for s, want := range map[string]string{"a  b\tc": "a|b|c", "a $x = 3$ b": "a|$x = 3$|b", "in $ and": "in|$|and", `\$1 or $a b$`: `\$1|or|$a b$`} {
		if got := strings.Join(Words(s), "|"); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// TestFigures: the fonts have every character of the project's own figures, in the sizes of the record.
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
