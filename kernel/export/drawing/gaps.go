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

// mostCleared is the number of pixels of the largest image in which gaps become transparent.
const mostCleared = 4 << 20

// clearGaps makes the gaps between the tiles of an image transparent. data is a PNG in base64, and area is the image's
// place in the figure. The given gaps have the same coordinates as area. If data is not a PNG, or the image is very
// large, clearGaps returns data unchanged.
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
		// A gap begins and ends at the edge of a pixel, up to rounding. Other parts of it lie in other images.
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
