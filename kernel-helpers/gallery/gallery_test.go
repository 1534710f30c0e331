package gallery

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/figure"
)

func ramp() *mat.Dense {
	X := mat.NewDense(3, 6, nil)
	for k := range 3 {
		for p := range 6 {
			X.Set(k, p, float64(p)*float64(k+1)-1)
		}
	}
	return X
}

func TestPicture(t *testing.T) {
	X := ramp() // from −1 to 4, 9, 14
	for _, c := range []struct {
		opt  Options
		want [3][2]uint8 // first and last pixel of each picture
	}{
		{Options{Columns: 2}, [3][2]uint8{{0, 85}, {0, 170}, {0, 255}}},
		{Options{Columns: 2, Grays: PerTile}, [3][2]uint8{{0, 255}, {0, 255}, {0, 255}}},
		{Options{Columns: 2, Grays: PerTileSigned}, [3][2]uint8{{96, 255}, {113, 255}, {118, 255}}},
		{Options{Columns: 2, Grays: Range, Lo: 0, Hi: 5}, [3][2]uint8{{0, 204}, {0, 255}, {0, 255}}},
	} {
		img := Image(X, 2, 3, &c.opt)
		if b := img.Bounds(); b.Dx() != 2*4+1 || b.Dy() != 2*3+1 {
			t.Fatalf("the picture has %v", b)
		}
		for k := range 3 {
			x, y := (k%2)*4+1, (k/2)*3+1
			got := [2]uint8{img.GrayAt(x, y).Y, img.GrayAt(x+2, y+1).Y}
			if got != c.want[k] {
				t.Errorf("greys %v: picture %d has %v, want %v", c.opt.Grays, k, got, c.want[k])
			}
		}
		if img.GrayAt(0, 0).Y != 255 || img.GrayAt(5, 4).Y != 255 {
			t.Error("lines and empty places are not white")
		}
	}
}

// The figure's metadata say where its images show the background: exactly where no tile is.
func TestGaps(t *testing.T) {
	X, negative := mat.NewDense(7, 12, nil), mat.NewDense(7, 12, nil) // no pixel of a tile is white
	for k := range 7 {
		for p := range 12 {
			X.Set(k, p, float64(p))
			negative.Set(k, p, -1-float64(p))
		}
	}
	image := regexp.MustCompile(`<image x="([^"]*)" y="([^"]*)" width="([^"]*)" height="([^"]*)" [^>]*base64,([^"]*)"`)
	for name, f := range map[string]*figure.Figure{
		"plain":  Figure(X, 3, 4, &Options{Columns: 3, Grays: Range, Lo: 0, Hi: 20}),
		"labels": Figure(X, 3, 4, &Options{Columns: 3, Grays: Range, Lo: 0, Hi: 20, Labels: []string{"a", "b"}, Title: "title"}),
		"full":   Figure(X, 3, 4, &Options{Columns: 7, Grays: Range, Lo: 0, Hi: 20}),
		"few":    Figure(X, 3, 4, &Options{Columns: 9, Grays: Range, Lo: 0, Hi: 20}),
		"figure": figure.Tiles("", negative.T(), 3, 4, 3),
		"wider":  figure.Tiles("", negative.T(), 3, 4, 9),
	} {
		svg := f.SVG()
		about, err := figuremeta.Read([]byte(svg))
		if err != nil {
			t.Fatal(err)
		}
		images := image.FindAllStringSubmatch(svg, -1)
		if len(images) == 0 {
			t.Fatalf("%s: no image", name)
		}
		for _, m := range images {
			var at [4]float64
			for i := range at {
				if at[i], err = strconv.ParseFloat(m[i+1], 64); err != nil {
					t.Fatal(err)
				}
			}
			file, err := base64.StdEncoding.DecodeString(m[5])
			if err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			b := img.Bounds()
			for y := range b.Dy() {
				for x := range b.Dx() {
					left, top := at[0]+at[2]*(float64(x)+.5)/float64(b.Dx()), at[1]+at[3]*(float64(y)+.5)/float64(b.Dy())
					in := slices.ContainsFunc(about.Panels[0].Gaps, func(g figuremeta.Box) bool {
						return g[0] < left && left < g[2] && g[1] < top && top < g[3]
					})
					if r, _, _, _ := img.At(x, y).RGBA(); in != (r == 0xffff) {
						t.Fatalf("%s: pixel (%d, %d) of an image of %v: in a gap: %t", name, x, y, b.Max, in)
					}
				}
			}
		}
	}
}

func TestFigure(t *testing.T) {
	X := mat.NewDense(5, 64, nil)
	for p := range 64 {
		X.Set(4, p, float64(p))
	}
	f := Figure(X, 8, 8, &Options{Title: "five", Columns: 3, Labels: []string{"a", "b"}})
	img, err := png.Decode(bytes.NewReader(f.PNG()))
	if err != nil {
		t.Fatal(err)
	}
	// With a common range the picture without contrast is black. All grays of the ramp must be present.
	seen := map[uint32]bool{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if r, g, b, _ := img.At(x, y).RGBA(); r == g && g == b {
				seen[r>>8] = true
			}
		}
	}
	for p := range 64 {
		if v := uint32(math.Round(255 * float64(p) / 63)); !seen[v] {
			t.Errorf("grey %d of pixel %d is not in the figure", v, p)
		}
	}
	if !bytes.Equal(f.PNG(), f.PNG()) {
		t.Error("two drawings differ")
	}
	if !strings.Contains(f.SVG(), "<image") {
		t.Error("no picture in the SVG")
	}
}

func TestMistakes(t *testing.T) {
	X := ramp()
	nan := ramp()
	nan.Set(1, 2, math.NaN())
	for name, f := range map[string]func(){
		"shape": func() { Tiles("", X, 2, 2, 1) },
		"NaN":   func() { Tiles("", nan, 2, 3, 1) },
		"range": func() { Image(X, 2, 3, &Options{Grays: Range}) },
		"label": func() { Image(X, 2, 3, &Options{Labels: make([]string, 4)}) },
	} {
		if r, ok := panics.Value(f).(string); !ok || !strings.HasPrefix(r, "gallery: ") {
			t.Errorf("%s: panic %v", name, r)
		}
	}
}

func ExampleTiles() {
	X := mat.NewDense(2, 4, []float64{0, 1, 2, 3, 3, 2, 1, 0}) // two pictures of 2×2
	f := Tiles("Two pictures", X, 2, 2, 2)
	fmt.Println(f)
	// Output: [figure] Two pictures (made by kernel-helpers/gallery.Figure)
}

// TestCSV checks that the figure's data are the values, not the grays.
func TestCSV(t *testing.T) {
	X := mat.NewDense(2, 2, []float64{-1, 0.25, 7, 1e-9})
	f := Figure(X, 1, 2, &Options{Labels: []string{"a"}, Grays: Range, Hi: 1})
	X.Set(0, 0, 5)
	want := `panel,series,kind,tile,label,row,value
1,1,tiles,0,a,0,-1 0.25
1,1,tiles,1,,0,7 1e-09
`
	if got := string(f.CSV()); got != want {
		t.Errorf("%s, not %s", got, want)
	}
}
