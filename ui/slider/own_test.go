package slider

import (
	"image"
	"strings"
	"testing"
)

func TestOwnScript(t *testing.T) {
	frames := []image.Image{image.NewGray(image.Rect(0, 0, 4, 4)), image.NewGray(image.Rect(0, 0, 4, 4))}
	page := New("</script>", []string{`a "b" </script>`, "Σ\u2028"}, frames).HTML()
	_, text, _ := strings.Cut(page, "<script>")
	text, _, _ = strings.Cut(text, "</script>")
	if !OwnScript(text) {
		t.Fatalf("the package does not know its own script:\n%s", text)
	}
	for _, change := range [][2]string{
		{"{ return; }", "{ alert(1); }"},
		{`var id = "slider-`, `var id = alert(1), x = "slider-`},
		{"labels = [", "labels = [alert(1),"},
		{"labels = [", `labels = ["];alert(1);[", `},
		{"width = 4", "width = alert(1)"},
		{"})();\n", "})();alert(1);\n"},
		{"\n(function", "\nalert(1);(function"},
	} {
		other := strings.Replace(text, change[0], change[1], 1)
		if other == text {
			t.Fatalf("%q is not in the script", change[0])
		}
		if OwnScript(other) {
			t.Errorf("with %q it is taken for the package's own", change[1])
		}
	}
}
