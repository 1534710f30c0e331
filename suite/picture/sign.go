package picture

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"

	"overcomplete/internal/figuremeta"
)

// The size of the thumbnail in cells.
const (
	Columns = 24
	Rows    = 16
)

// Projections is the length of a sketch. The distance computed from two sketches is
// accurate to about a fifth.
const Projections = 16

// mostPixels exceeds the size of any figure. A file that claims to have more pixels is not decoded.
const mostPixels = 1 << 25

// A Signature is the stored form of a picture: about a kilobyte of JSON.
type Signature struct {
	// Width and Height are the size of the PNG in pixels.
	Width  int `json:"width"`
	Height int `json:"height"`
	// Texts holds the texts in the figure's description of itself: title, caption, the titles of panels, the labels
	// and ranges of axes, the names and colors of legends.
	Texts []string `json:"says"`
	// Counts holds the number of shapes of each panel and legend, and the length of each series of the data.
	Counts map[string]int `json:"counts"`
	// Cells is the thumbnail: the mean gray of each of 16 × 24 cells, row by row, one byte each, compressed with
	// deflate, in base64.
	Cells string `json:"cells"`
	// Sketch holds Projections sums. Each sum adds all values of all pixels with random signs, which are the
	// same for every picture. The sums of two pictures differ by about the root of the summed squared
	// differences of their pixels, even if these differences cancel out within a cell.
	Sketch []int64 `json:"sketch"`
}

// Look returns the signature of a picture that exists only as a PNG. Signatures of this kind are compared by their
// sizes and pixels alone.
func Look(png []byte) (Signature, error) {
	var s Signature
	if err := s.look(png); err != nil {
		return Signature{}, fmt.Errorf("picture: the PNG: %w", err)
	}
	return s, nil
}

// Sign returns the signature of a figure, given its SVG and its PNG. It returns an error if the PNG is malformed,
// or if the SVG does not describe the figure (package figuremeta).
func Sign(svg, png []byte) (Signature, error) {
	var s Signature
	if err := s.describe(svg); err != nil {
		return Signature{}, fmt.Errorf("picture: the SVG: %w", err)
	}
	if err := s.look(png); err != nil {
		return Signature{}, fmt.Errorf("picture: the PNG: %w", err)
	}
	return s, nil
}

// describe fills in the texts and counts of s from the metadata in the figure's SVG.
func (s *Signature) describe(svg []byte) error {
	f, err := figuremeta.Read(svg)
	if err != nil {
		return err
	}
	data, err := f.Data()
	if err != nil {
		return err
	}
	s.Texts, s.Counts = []string{f.Title, f.Caption}, map[string]int{}
	s.legend("legend", f.Keys)
	for i, p := range f.Panels {
		name := fmt.Sprintf("panel %d", i+1)
		s.Texts = append(s.Texts, p.Title)
		for _, a := range []figuremeta.Axis{p.X, p.Y} {
			s.Texts = append(s.Texts, a.Label, a.Scale, fmt.Sprintf("%.6g to %.6g", a.Min, a.Max))
		}
		s.Counts[name] = p.Shapes[1] - p.Shapes[0]
		s.legend("legend of "+name, p.Keys)
	}
	s.Texts = slices.DeleteFunc(s.Texts, func(text string) bool { return text == "" })
	return s.series(data)
}

// legend adds the keys (entries) of one legend to the signature: the name and color of each key to s.Texts, and the
// number of shapes drawn for all of the keys to s.Counts[name].
func (s *Signature) legend(name string, keys []figuremeta.Key) {
	for _, k := range keys {
		s.Texts = append(s.Texts, k.Name, k.Color)
		s.Counts[name] += k.Shapes[1] - k.Shapes[0]
	}
}

// series counts, for each series, the lines of a figure's data that belong to it. The data is in the CSV form of
// package figure.
func (s *Signature) series(data []byte) error {
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil || len(lines) == 0 {
		return err
	}
	field := map[string]int{}
	for i, name := range lines[0] {
		field[name] = i
	}
	for _, line := range lines[1:] {
		var of []string
		for _, name := range []string{"panel", "kind", "series"} {
			if i, ok := field[name]; ok {
				of = append(of, line[i])
			}
		}
		s.Counts["data "+strings.Join(of, " ")]++
	}
	return nil
}

// look fills in the size, the thumbnail and the sketch of s from a PNG file.
func (s *Signature) look(file []byte) error {
	c, err := png.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return err
	}
	if c.Width < 1 || c.Height < 1 || c.Width > mostPixels/c.Height {
		return fmt.Errorf("%d × %d pixels is not a valid size for a picture", c.Width, c.Height)
	}
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return err
	}
	s.Width, s.Height = c.Width, c.Height
	v := values(img)
	s.Cells = thumbnail(v, c.Width, c.Height)
	s.Sketch = sketch(v)
	return nil
}

// thumbnail returns the mean gray of each cell of an image, and packs these means with packCells. The argument v has
// the image's pixels. A pixel on a border between cells is divided among them by area, so even an image with fewer
// pixels than cells fills every cell.
func thumbnail(v [][3]uint8, width, height int) string {
	across, down := shares(width, Columns), shares(height, Rows)
	var sum [Rows * Columns]float64
	for y := range height {
		var row [Columns]float64
		for x, rgb := range v[y*width : (y+1)*width] {
			grey := 0.299*float64(rgb[0]) + 0.587*float64(rgb[1]) + 0.114*float64(rgb[2])
			for _, p := range across[x] {
				row[p.cell] += p.share * grey
			}
		}
		for _, p := range down[y] {
			for j, v := range row {
				sum[p.cell*Columns+j] += p.share * v
			}
		}
	}
	var cells [Rows * Columns]byte
	area := float64(width*height) / (Rows * Columns)
	for i, v := range sum {
		cells[i] = byte(math.Round(min(255, v/area)))
	}
	return packCells(cells[:])
}

// packCells compresses the cells of a thumbnail and returns them in base64. Most cells are white, so the text is
// short.
func packCells(cells []byte) string {
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, flate.BestCompression)
	if err == nil {
		_, err = z.Write(cells)
		err = errors.Join(err, z.Close())
	}
	if err != nil {
		panic(fmt.Sprintf("picture: %v", err)) // a bytes.Buffer does not fail
	}
	return base64.RawStdEncoding.EncodeToString(b.Bytes())
}

// unpackCells reverses packCells.
func unpackCells(packed string) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(flate.NewReader(base64.NewDecoder(base64.RawStdEncoding, strings.NewReader(packed))), Rows*Columns+1))
	if err == nil && len(b) != Rows*Columns {
		err = fmt.Errorf("%d cells", len(b))
	}
	return b, err
}

// values returns the red, green and blue of each pixel, row by row. Transparent parts are drawn on white.
func values(img image.Image) [][3]uint8 {
	b := img.Bounds()
	page := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(page, page.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(page, page.Rect, img, b.Min, draw.Over)
	v := make([][3]uint8, b.Dx()*b.Dy())
	for i := range v {
		copy(v[i][:], page.Pix[4*i:])
	}
	return v
}

// sketch returns the sums of Signature.Sketch for the pixels v. In these sums, a pixel's value is its difference from
// white.
func sketch(v [][3]uint8) []int64 {
	var sum [Projections]int64
	for i, rgb := range v {
		if rgb == [3]uint8{255, 255, 255} {
			continue
		}
		signs := mix(uint64(i))
		for _, c := range rgb {
			d := 255 - int64(c)
			for k := range sum {
				sum[k] += d - 2*d*int64(signs>>k&1)
			}
			signs >>= Projections
		}
	}
	return sum[:]
}

// mix returns 64 random bits for i, by splitmix64 (G. Steele, D. Lea and C. Flood, 2014).
func mix(i uint64) uint64 {
	z := (i + 1) * 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

type part struct {
	cell  int
	share float64 // share of the pixel
}

// shares divides n pixels among cells of equal size. For each pixel it returns the cells to which it belongs, with
// the share of the pixel in each.
func shares(n, cells int) [][]part {
	out := make([][]part, n)
	size := float64(n) / float64(cells)
	for k := range cells {
		from, to := float64(k)*size, float64(k+1)*size
		for i := int(from); i < n && float64(i) < to; i++ {
			if s := min(to, float64(i+1)) - max(from, float64(i)); s > 0 {
				out[i] = append(out[i], part{k, s})
			}
		}
	}
	return out
}
