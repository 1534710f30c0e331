package export

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/positions"
	"overcomplete/kernel/notebook"
)

// painted returns a picture of 100 by 100 pixels on white, as a PNG in base64.
func painted(t *testing.T, paint func(img *image.NRGBA)) string {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 100, 100))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	paint(img)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func fill(img *image.NRGBA, r image.Rectangle, c color.NRGBA) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			img.SetNRGBA(x, y, c)
		}
	}
}

var (
	purple = color.NRGBA{68, 1, 84, 255}
	white  = color.NRGBA{255, 255, 255, 255}
	ink    = color.NRGBA{darkestInk, darkestInk, darkestInk, 255}
)

// heatmap paints a heatmap with a white cell in the middle, ink on its left, and a white background.
func heatmap(img *image.NRGBA) {
	fill(img, image.Rect(20, 10, 95, 95), purple)
	fill(img, image.Rect(40, 40, 60, 60), white)
	fill(img, image.Rect(5, 50, 15, 52), ink)
}

// pixels returns a function that reads the pixels of a picture whose background has been removed.
func pixels(t *testing.T, content string) func(x, y int) color.NRGBA {
	t.Helper()
	got, ok := withoutBackground(content)
	if !ok {
		t.Fatal("it keeps its ground")
	}
	b, err := base64.StdEncoding.DecodeString(got)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return func(x, y int) color.NRGBA { return color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA) }
}

func TestWithoutGround(t *testing.T) {
	readable := inkOnBoth
	readable.A = 255
	at := pixels(t, painted(t, heatmap))
	for p, want := range map[image.Point]color.NRGBA{{0, 0}: {}, {99, 99}: {}, {50, 50}: white, {30, 30}: purple, {10, 51}: readable} {
		if c := at(p.X, p.Y); c != want {
			t.Errorf("%v is %v, want %v", p, c, want)
		}
	}
	for name, paint := range map[string]func(*image.NRGBA){
		"a plot":             func(img *image.NRGBA) { fill(img, image.Rect(20, 50, 90, 52), purple) },
		"a photograph":       func(img *image.NRGBA) { fill(img, image.Rect(0, 0, 100, 100), purple) },
		"nothing but ground": func(*image.NRGBA) {},
	} {
		if _, ok := withoutBackground(painted(t, paint)); ok {
			t.Errorf("%s has lost its ground", name)
		}
	}
	grey := color.NRGBA{90, 90, 90, 255}
	gallery := func(img *image.NRGBA) {
		fill(img, image.Rect(5, 5, 48, 95), grey)
		fill(img, image.Rect(52, 5, 95, 95), grey)
		fill(img, image.Rect(60, 40, 70, 50), white)
	}
	if at := pixels(t, painted(t, gallery)); at(0, 0) != (color.NRGBA{}) || at(50, 50) != (color.NRGBA{}) || at(65, 45) != white || at(6, 6) != grey {
		t.Error("the gaps of a gallery", at(0, 0), at(50, 50), at(65, 45), at(6, 6))
	}
	greys := func(img *image.NRGBA) {
		fill(img, image.Rect(5, 5, 45, 45), ink)
		fill(img, image.Rect(45, 45, 85, 85), grey)
	}
	if !plot(painted(t, greys)) || plot(painted(t, gallery)) || plot(painted(t, heatmap)) {
		t.Error("a heatmap in greys is none, or something else is")
	}
	if _, ok := withoutBackground("?"); ok {
		t.Error("what is no picture has lost its ground")
	}
}

// The pictures of controls lose their backgrounds at every position. Plots keep theirs, because the page
// inverts them.
func TestPositionsWithoutGround(t *testing.T) {
	svg := "<svg><path d=\"M0,0L9,0L9,9L0,9Z\" style=\"fill:#FFFFFF\" />\n<text style=\"fill:#262626\">a</text></svg>"
	address := "data:image/png;base64," + painted(t, heatmap)
	d := positions.Data{Controls: []positions.Control{{Values: []string{"1", "2", "3"}}}, At: []int{0, 1, 2},
		Frames: positions.Pack([]positions.Frame{{{SVG: svg}}, {{Image: address}}, {{SVG: svg, Plot: true}, {Text: "t"}}})}
	page := `<div data-positions="1"><img src="` + address + `"/>` + d.Elements() + "</div>"
	got := onPage(page)
	if strings.Contains(got, address) || !strings.HasSuffix(got, positions.Script+"</script>\n</div>") {
		t.Error("the first picture has its ground, or the script is another")
	}
	m := savedPositions.FindStringSubmatch(got)
	if m == nil {
		t.Fatal(got)
	}
	if err := json.Unmarshal([]byte(m[2]), &d); err != nil {
		t.Fatal(err)
	}
	frames, err := positions.Unpack(d.Frames)
	if err != nil || len(frames) != 3 || len(frames[2]) != 2 || frames[2][0].SVG != svg || frames[2][1].Text != "t" {
		t.Fatal(frames, err)
	}
	if want := "<svg><text style=\"fill:#707780\">a</text></svg>"; frames[0][0].SVG != want {
		t.Error(frames[0][0].SVG)
	}
	if i := frames[1][0].Image; i == address || !strings.HasPrefix(i, "data:image/png;base64,") {
		t.Error(i)
	}
	if plain := `<p data-positions="1">x</p>`; onPage(plain) != plain {
		t.Error("what has no pictures is changed")
	}
}

// The page adds no background to a picture without one. A figure with an address is not embedded.
func TestBare(t *testing.T) {
	o := notebook.Output{"output_type": "display_data", "data": map[string]any{"image/png": painted(t, heatmap)}}
	if s := (&converter{}).pictureHTML(o, "image/png", painted(t, heatmap)); !strings.Contains(s, ` class="bare"`) || strings.Contains(s, painted(t, heatmap)) {
		t.Error(s)
	}
	meta := map[string]any{}
	figuremeta.Name{Figure: "a/b", Sum: "1"}.Put(meta)
	o["metadata"] = meta
	c := &converter{address: func(n figuremeta.Name) string { return "../" + n.Figure + ".svg" }}
	if s := c.pictureHTML(o, "image/png", painted(t, heatmap)); !strings.Contains(s, ` src="../a/b.svg"`) || strings.Contains(s, "base64") {
		t.Error(s)
	}
}
