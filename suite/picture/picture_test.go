package picture_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/suite/picture"
)

func sign(t testing.TB, f interface {
	SVG() string
	PNG() []byte
}) picture.Signature {
	t.Helper()
	s, err := picture.Sign([]byte(f.SVG()), f.PNG())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// lines returns a figure with two curves and some points. The data are changed by the fraction eps.
func lines(eps float64) *figure.Figure {
	rnd := rand.New(rand.NewPCG(7, 0))
	change := func(v float64) float64 { return v * (1 + eps*(2*rnd.Float64()-1)) }
	var x, a, b []float64
	for i := range 40 {
		x = append(x, float64(i))
		a, b = append(a, change(math.Exp(-float64(i)/9)+0.013)), append(b, change(math.Cos(float64(i)/7)+0.017))
	}
	return figure.New("Two curves", "step", "").Lines("one", x, a).Lines("two", x, b).By("test")
}

func cloud(eps float64) *figure.Figure {
	rnd := rand.New(rand.NewPCG(8, 0))
	X := mat.NewDense(2, 500, nil)
	X.Apply(func(i, j int, v float64) float64 { return rnd.NormFloat64() * (1 + eps*(2*rnd.Float64()-1)) }, X)
	return figure.Cloud("Points", X).By("test")
}

func matrix(eps float64) *mat.Dense {
	rnd := rand.New(rand.NewPCG(9, 0))
	M := mat.NewDense(40, 40, nil)
	M.Apply(func(i, j int, v float64) float64 {
		return math.Sin(float64(i*j)/50) * (1 + eps*(2*rnd.Float64()-1))
	}, M)
	return M
}

func heat(eps float64) *figure.Figure {
	return figure.HeatmapIn("A matrix", matrix(eps), -1.1, 1.1, figure.Diverging).By("test")
}

func grid(eps float64) *figure.Grid {
	return figure.NewGrid("All", 3, lines(eps), cloud(eps), heat(eps)).By("test")
}

// Rounding does not change the picture; changing each value by five percent does.
func TestNoise(t *testing.T) {
	type shown interface {
		SVG() string
		PNG() []byte
	}
	for name, draw := range map[string]func(eps float64) shown{
		"lines": func(e float64) shown { return lines(e) },
		"cloud": func(e float64) shown { return cloud(e) },
		"heat":  func(e float64) shown { return heat(e) },
		"grid":  func(e float64) shown { return grid(e) },
	} {
		s := sign(t, draw(0))
		for _, eps := range []float64{0, 1e-15, 1e-9} {
			if same, why := picture.Compare(s, sign(t, draw(eps))); !same || why != "" {
				t.Errorf("%s: a change by %g: %s", name, eps, why)
			}
		}
		if same, why := picture.Compare(s, sign(t, draw(0.05))); same || why == "" {
			t.Errorf("%s: a change by 5 %% is not seen", name)
		}
	}
}

func TestChanges(t *testing.T) {
	x := []float64{0, 1, 2, 3}
	y := []float64{0.1, 0.7, 0.4, 0.9}
	z := []float64{0.3, 0.33, 0.31, 0.35}
	base := func() *figure.Figure {
		return figure.New("Title", "step", "").Lines("one", x, y).Lines("two", x, z).Range(-0.5, 3.5, 0, 1).Note("Caption").By("test")
	}
	s := sign(t, base())
	for _, c := range []struct {
		name, why string
		f         *figure.Figure
	}{
		{"title", `the text is "Titel", but was "Title"`, func() *figure.Figure { f := base(); f.Title.Text = "Titel"; return f }()},
		{"caption", `the text is "Caption 2. Made by test.", but was "Caption. Made by test."`, base().Note("Caption 2")},
		{"axis", `the text is "steps"`, func() *figure.Figure { f := base(); f.X.Label.Text = "steps"; return f }()},
		{"range", `the text is "-1.5 to 3.5"`, base().Range(-1.5, 3.5, 0, 1)},
		{"size", "the size is", base().Size(6, 4.5)},
		{"a layer more", "panel 1 has", base().Lines("", x, z)},
		{"another colour", `but was "#D55E00"`, figure.New("Title", "step", "").Lines("one", x, y).Use(figure.Purple).Lines("two", x, z).Range(-0.5, 3.5, 0, 1).Note("Caption").By("test")},
		{"a series less", `but was "two"`, figure.New("Title", "step", "").Lines("one", x, y).Range(-0.5, 3.5, 0, 1).Note("Caption").By("test")},
		{"a series outside", "panel 1 has", figure.New("Title", "step", "").Lines("one", x, y).Lines("two", []float64{-5, -4}, x[:2]).Range(-0.5, 3.5, 0, 1).Note("Caption").By("test")},
		{"dashes", "the picture differs", figure.New("Title", "step", "").Lines("one", x, y).Dashed("two", x, z).Range(-0.5, 3.5, 0, 1).Note("Caption").By("test")},
		{"a moved series", "the picture differs", figure.New("Title", "step", "").Lines("one", x, y).Lines("two", x, []float64{0.31, 0.34, 0.32, 0.36}).Range(-0.5, 3.5, 0, 1).Note("Caption").By("test")},
	} {
		same, why := picture.Compare(s, sign(t, c.f))
		if same || !strings.Contains(why, c.why) {
			t.Errorf("%s: %q, not %q", c.name, why, c.why)
		}
	}
	h := sign(t, heat(0))
	for name, f := range map[string]*figure.Figure{
		"colours of a matrix": figure.HeatmapIn("A matrix", matrix(0), -1.1, 1.1, func(v float64) color.Color { return figure.Diverging(1 - v) }).By("test"),
		"a transposed matrix": figure.HeatmapIn("A matrix", func() *mat.Dense { M := matrix(0.3); return mat.DenseCopyOf(M.T()) }(), -1.1, 1.1, figure.Diverging).By("test"),
	} {
		if same, why := picture.Compare(h, sign(t, f)); same || !strings.Contains(why, "the picture differs") {
			t.Errorf("%s: %q", name, why)
		}
	}
}

// A change only in the PNG is found.
func TestMovedLegend(t *testing.T) {
	f := lines(0)
	img, err := png.Decode(bytes.NewReader(f.PNG()))
	if err != nil {
		t.Fatal(err)
	}
	was := sign(t, f)
	b := img.Bounds()
	moved := image.NewRGBA(b)
	draw.Draw(moved, b, img, b.Min, draw.Src)
	row := image.Rect(12, 50, b.Max.X, 80) // the rows of the legend
	draw.Draw(moved, row, image.White, image.Point{}, draw.Src)
	draw.Draw(moved, row.Add(image.Pt(9, 0)), img, row.Min, draw.Src)
	var out bytes.Buffer
	if err := png.Encode(&out, moved); err != nil {
		t.Fatal(err)
	}
	now, err := picture.Sign([]byte(f.SVG()), out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	same, why := picture.Compare(was, now)
	if same || !strings.Contains(why, "the picture differs") || !strings.Contains(why, "9 % from the top") {
		t.Errorf("%v %q", same, why)
	}
}

func TestSignature(t *testing.T) {
	f := lines(0)
	s := sign(t, f)
	want := "Two curves|Made by test.|one|#0072B2|two|#D55E00|step|linear|-1.95 to 40.95|linear|"
	if all := strings.Join(s.Texts, "|"); !strings.HasPrefix(all, want) || s.Width != 6*figure.DPI {
		t.Errorf("%d × %d, %q", s.Width, s.Height, all)
	}
	if s.Counts["legend"] != 2 || s.Counts["panel 1"] < 10 {
		t.Errorf("%v", s.Counts)
	}
	folder := t.TempDir()
	if err := f.Save(filepath.Join(folder, "f")); err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(filepath.Join(folder, "f.svg"))
	if err != nil {
		t.Fatal(err)
	}
	if s, err := picture.Sign(saved, f.PNG()); err != nil || s.Counts["data 1 line one"] != 40 || s.Counts["data 1 line two"] != 40 {
		t.Errorf("%v, %v", s.Counts, err)
	}
	j, err := json.Marshal(s)
	if err != nil || len(j) > 4<<10 {
		t.Errorf("%d bytes, %v", len(j), err)
	}
	var back picture.Signature
	if err := json.Unmarshal(j, &back); err != nil {
		t.Fatal(err)
	}
	if same, why := picture.Compare(s, back); !same {
		t.Error(why)
	}
}

// The signature of a picture with few pixels has all cells, and transparent pixels count as white.
func TestSmall(t *testing.T) {
	svg := []byte(lines(0).SVG())
	encode := func(c color.Color) []byte {
		img := image.NewNRGBA(image.Rect(0, 0, 5, 3))
		for i := range 15 {
			img.Set(i%5, i/5, c)
		}
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	clear, err := picture.Sign(svg, encode(color.NRGBA{9, 9, 9, 0}))
	if err != nil {
		t.Fatal(err)
	}
	white, _ := picture.Sign(svg, encode(color.White))
	if same, why := picture.Compare(clear, white); !same {
		t.Error(why)
	}
	pale, _ := picture.Sign(svg, encode(color.Gray{254}))
	if same, _ := picture.Compare(white, pale); same {
		t.Error("one level of grey everywhere is not seen")
	}
}

func TestMistakes(t *testing.T) {
	f := lines(0)
	svg, file := []byte(f.SVG()), f.PNG()
	for name, c := range map[string][2][]byte{
		"the SVG: figuremeta: the SVG has no metadata":    {[]byte("<svg/>"), file},
		"the SVG: figuremeta: version 0":                  {[]byte("<svg><metadata>{}</metadata></svg>"), file},
		"the SVG: figuremeta: invalid character '?' look": {[]byte("<svg><metadata>?</metadata></svg>"), file},
		"the PNG: png: invalid format: not":               {svg, file[:len(file)/2]},
		"the PNG: png: invalid format":                    {svg, svg},
		"the PNG: 2147483647 × 1 pixels":                  {svg, huge(file)},
	} {
		s, err := picture.Sign(c[0], c[1])
		if err == nil || !strings.Contains(err.Error(), name) || s.Texts != nil || !strings.HasPrefix(err.Error(), "picture: ") {
			t.Errorf("%v, not %q", err, name)
		}
	}
	s := sign(t, f)
	for _, bad := range []func(s *picture.Signature){
		func(s *picture.Signature) { s.Cells = "?" },
		func(s *picture.Signature) { s.Cells = "" },
		func(s *picture.Signature) { s.Sketch = nil },
	} {
		b := s
		bad(&b)
		if same, why := picture.Compare(b, s); same || !strings.Contains(why, "a signature has no") {
			t.Errorf("%v %q", same, why)
		}
	}
	if same, why := picture.Compare(picture.Signature{}, picture.Signature{}); same || why == "" {
		t.Error("two empty signatures are the same picture")
	}
}

// huge returns a PNG whose header claims 2147483647 × 1 pixels.
func huge(file []byte) []byte {
	var b bytes.Buffer
	png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1)))
	out := b.Bytes()
	copy(out[16:], []byte{0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1})
	fixChecksum(out[12:33])
	return out
}

// fixChecksum corrects the CRC-32 at the end of a chunk's name and data.
func fixChecksum(chunk []byte) {
	crc := ^uint32(0)
	for _, v := range chunk[:len(chunk)-4] {
		crc ^= uint32(v)
		for range 8 {
			if crc&1 == 1 {
				crc = crc>>1 ^ 0xEDB88320
			} else {
				crc >>= 1
			}
		}
	}
	crc = ^crc
	copy(chunk[len(chunk)-4:], []byte{byte(crc >> 24), byte(crc >> 16), byte(crc >> 8), byte(crc)})
}

// The figures of a paper's record are all different pictures, and each equals itself.
func TestRecord(t *testing.T) {
	files, _ := filepath.Glob("../../figures/lewicki-sejnowski/*.svg")
	if len(files) == 0 {
		t.Fatal("no record is here")
	}
	var all []picture.Signature
	file := lines(0).PNG()
	for _, path := range files {
		svg, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := picture.Sign(svg, file) // the record has no PNG
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, s)
	}
	for i := range all {
		for j := range all {
			if same, why := picture.Compare(all[i], all[j]); same != (i == j) {
				t.Errorf("%s and %s: %v %s", files[i], files[j], same, why)
			}
		}
	}
}

func FuzzSign(f *testing.F) {
	small := figure.Lines("x", []float64{1, 2}, []float64{3, 4}).Size(0.5, 0.5)
	svg, file := []byte(small.SVG()), small.PNG()
	f.Add(svg, file)
	f.Add([]byte("<svg><text>a</svg>"), file[:40])
	f.Add([]byte("<svg></text></svg>"), []byte{})
	f.Add([]byte("<a><svg/></a>"), huge(file))
	f.Fuzz(func(t *testing.T, svg, png []byte) {
		s, err := picture.Sign(svg, png)
		if err != nil {
			return
		}
		if same, why := picture.Compare(s, s); !same {
			t.Errorf("not like itself: %s", why)
		}
	})
}

func BenchmarkSign(b *testing.B) {
	f := grid(0)
	svg, file := []byte(f.SVG()), f.PNG()
	for b.Loop() {
		if _, err := picture.Sign(svg, file); err != nil {
			b.Fatal(err)
		}
	}
}

func TestCompareKinds(t *testing.T) {
	draw := func(title, x string, values ...float64) picture.Signature {
		f := figure.New(title, x, "").Series("loss", values)
		s, err := picture.Sign([]byte(f.SVG()), f.PNG())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	old := draw("Loss after 10 steps", "step", 3, 2, 1.5)
	if same, why := picture.CompareKinds(old, draw("Loss after 11 steps", "step", 3, 20, 150)); !same {
		t.Error("other numbers:", why)
	}
	if same, _ := picture.CompareKinds(old, draw("Loss after 10 steps", "time", 3, 2, 1.5)); same {
		t.Error("another axis is the same")
	}
}

func ExampleCompare() {
	draw := func(title string) picture.Signature {
		f := figure.New(title, "step", "").Series("loss", []float64{3, 2, 1.5})
		s, err := picture.Sign([]byte(f.SVG()), f.PNG())
		if err != nil {
			panic(err)
		}
		return s
	}
	same, _ := picture.Compare(draw("Loss"), draw("Loss"))
	fmt.Println(same)
	same, why := picture.Compare(draw("Loss"), draw("Risk"))
	fmt.Println(same, why)
	// Output:
	// true
	// false the text is "Risk", but was "Loss"
}
