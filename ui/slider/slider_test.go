package slider

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"overcomplete/ui/display"
)

func frames(n int) []image.Image {
	var out []image.Image
	for i := range n {
		img := image.NewGray(image.Rect(0, 0, 4, 3))
		for p := range img.Pix {
			img.Pix[p] = uint8(10 * (i + 1))
		}
		out = append(out, img)
	}
	return out
}

func labels(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprint("k = ", i))
	}
	return out
}

func TestSprite(t *testing.T) {
	s := New("t", labels(5), frames(5))
	img, err := png.Decode(bytes.NewReader(s.SpritePNG()))
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds() != image.Rect(0, 0, 4, 15) {
		t.Errorf("bounds %v", img.Bounds())
	}
	for i := range 5 {
		if got := img.At(2, 3*i+1).(color.Gray).Y; got != uint8(10*(i+1)) {
			t.Errorf("frame %d is %d", i, got)
		}
	}
	one, err := png.Decode(bytes.NewReader(s.At(3).PNG()))
	if err != nil {
		t.Fatal(err)
	}
	if one.Bounds() != image.Rect(0, 0, 4, 3) || one.At(0, 0).(color.Gray).Y != 40 {
		t.Error("PNG is not the frame shown first")
	}
}

func TestColour(t *testing.T) {
	img := image.NewNRGBA(image.Rect(5, 5, 7, 7)) // not at the origin
	img.SetNRGBA(5, 5, color.NRGBA{200, 10, 20, 255})
	s := New("", []string{"a"}, []image.Image{img})
	got, err := png.Decode(bytes.NewReader(s.SpritePNG()))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := got.At(0, 0).RGBA(); r>>8 != 200 || g>>8 != 10 || b>>8 != 20 {
		t.Errorf("pixel %v", got.At(0, 0))
	}
}

func TestHTML(t *testing.T) {
	s := New(`a "title" <b>`, []string{"</script><i>", "k = 2"}, frames(2)).At(1).Scale(3).Note("a & b")
	one, two := s.HTML(), s.HTML()
	id := regexp.MustCompile(`<input type="range" id="([^"]+)"`)
	a, b := id.FindStringSubmatch(one), id.FindStringSubmatch(two)
	if a == nil || b == nil || a[1] == b[1] {
		t.Fatalf("ids %v and %v", a, b)
	}
	if strings.ReplaceAll(one, a[1], "") != strings.ReplaceAll(two, b[1], "") {
		t.Error("two calls differ by more than the id")
	}
	if n := strings.Count(one, "</script>"); n != 1 {
		t.Errorf("%d ends of scripts: a label broke out", n)
	}
	if strings.Contains(one, "<i>") || strings.Contains(one, `"title"`) {
		t.Error("a text was not escaped")
	}
	for _, want := range []string{"a &amp; b", "k = 2", `max="1" value="1"`, "width:30px;max-width:100%;height:9px", "height:18px", "display:none", "trust this notebook, or run the cell", "from top to bottom"} {
		if !strings.Contains(one, want) {
			t.Errorf("no %q", want)
		}
	}
	if regexp.MustCompile(`(?i)https?://|src="[^d]`).MatchString(one) {
		t.Error("something is loaded from elsewhere")
	}
}

func TestRender(t *testing.T) {
	d := New("t", labels(2), frames(2)).Render()
	for _, m := range []string{display.MIMETypeHTML, display.MIMETypePNG, display.MIMETypeText} {
		if d.Data[m] == nil {
			t.Errorf("no %s", m)
		}
	}
}

func TestMistakes(t *testing.T) {
	odd := append(frames(1), image.NewGray(image.Rect(0, 0, 4, 4)))
	for name, f := range map[string]func(){
		"none":    func() { New("t", nil, nil) },
		"labels":  func() { New("t", labels(3), frames(2)) },
		"sizes":   func() { New("t", labels(2), odd) },
		"empty":   func() { New("t", labels(1), []image.Image{image.NewGray(image.Rect(0, 0, 0, 3))}) },
		"nil":     func() { New("t", labels(2), append(frames(1), nil)) },
		"pointer": func() { New("t", labels(1), []image.Image{(*image.Gray)(nil)}) },
		"at":      func() { New("t", labels(2), frames(2)).At(2) },
		"scale":   func() { New("t", labels(2), frames(2)).Scale(0) },
	} {
		func() {
			defer func() {
				if r, ok := recover().(string); !ok || !strings.HasPrefix(r, "slider: ") {
					t.Errorf("%s: panic %v", name, r)
				}
			}()
			f()
		}()
	}
}

func ExampleNew() {
	a, b := image.NewGray(image.Rect(0, 0, 2, 2)), image.NewGray(image.Rect(0, 0, 2, 2))
	fmt.Println(New("Brightness", []string{"low", "high"}, []image.Image{a, b}))
	// Output: slider: Brightness: low; high
}

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
