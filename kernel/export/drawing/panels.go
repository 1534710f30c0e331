package drawing

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/draw"
	"image/png"
	"math"

	"overcomplete/internal/figuremeta"
)

// A Drawing is a figure that has been split into its panels, the legend that they share, and its text.
type Drawing struct {
	Title, Caption string
	colors         figuremeta.Colors
	keys           []key // shared by all panels
	panels         []*panel
}

// A panel is a picture with its own axes.
type panel struct {
	figuremeta.Panel
	keys   []key
	shapes []shape
	bounds box     // of all shapes
	values *values // nil if the figure has no data for this panel
}

// A key is one entry of a legend.
type key struct {
	thumb []shape
	name  string
}

// Parse parses an SVG with metadata about its panels. It returns an error for any other SVG.
func Parse(svg []byte) (*Drawing, error) {
	doc, err := parse(svg)
	if err != nil {
		return nil, err
	}
	about, err := figuremeta.Parse([]byte(doc.metadata))
	if err != nil {
		return nil, unknown("%v", err)
	}
	d := &Drawing{Title: about.Title, Caption: about.Caption, colors: about.Colors, keys: doc.keys(about.Keys)}
	for i := range about.Panels {
		p := &panel{Panel: about.Panels[i]}
		p.keys = doc.keys(p.Keys)
		p.bounds = asBox(p.Box)
		for _, s := range doc.shapesIn(p.Shapes) {
			if !p.Heading.Has(s.number) {
				if s.image != "" && len(p.Gaps) > 0 {
					s.image = clearGaps(s.image, s.bounds(), p.Gaps)
				}
				p.shapes = append(p.shapes, s)
				p.bounds = p.bounds.union(s.bounds())
			}
		}
		d.panels = append(d.panels, p)
	}
	if len(d.panels) == 0 {
		return nil, unknown("there are no panels")
	}
	if csv, err := about.Data(); err == nil {
		d.setValues(csv)
	}
	return d, nil
}

func asBox(b figuremeta.Box) box { return box{point{X: b[0], Y: b[1]}, point{X: b[2], Y: b[3]}} }

// shapesIn returns the shapes with numbers in the range r.
func (d *document) shapesIn(r figuremeta.Range) (list []shape) {
	for _, s := range d.shapes {
		if r.Has(s.number) {
			list = append(list, s)
		}
	}
	return list
}

func (d *document) keys(list []figuremeta.Key) (keys []key) {
	for _, k := range list {
		keys = append(keys, key{d.shapesIn(k.Shapes), k.Name})
	}
	return keys
}

// mostCleared is the number of pixels of the largest image in which gaps become transparent.
const mostCleared = 4 << 20

// clearGaps makes the gaps between the tiles of an image transparent. data is a PNG in base64, and area is the image's
// place in the figure. The gaps are in the coordinate system of area. If data is not a PNG, or the image is very large,
// clearGaps returns data unchanged.
func clearGaps(data string, area box, gaps []figuremeta.Box) string {
	b, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return data
	}
	size, err := png.DecodeConfig(bytes.NewReader(b))
	if err != nil || size.Width*size.Height > mostCleared {
		return data
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return data
	}
	out := image.NewNRGBA(image.Rect(0, 0, size.Width, size.Height))
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	cleared := 0 // pixels, for foreign metadata with many large gaps
	across, down := float64(size.Width)/area.width(), float64(size.Height)/area.height()
	for _, g := range gaps {
		// A gap begins and ends at the edge of a pixel, up to rounding. Other parts of the gap lie in other images.
		gap := image.Rect(
			int(math.Round((g[0]-area.min.X)*across)), int(math.Round((g[1]-area.min.Y)*down)),
			int(math.Round((g[2]-area.min.X)*across)), int(math.Round((g[3]-area.min.Y)*down))).Intersect(out.Rect)
		if cleared += gap.Dx() * gap.Dy(); cleared > 4*mostCleared {
			return data
		}
		draw.Draw(out, gap, image.Transparent, image.Point{}, draw.Src)
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, out); err != nil {
		return data
	}
	return base64.StdEncoding.EncodeToString(buf.Bytes())
}
