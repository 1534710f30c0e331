package render

import (
	"bytes"
	"image/png"
	"math"
	"regexp"
	"strconv"

	"overcomplete/ui/display"
)

// maxSVG is the size in bytes above which a picture that is also available as PNG is sent only as PNG. An SVG
// plot of a thousand points, shown a few times, would inflate the notebook and slow down the browser.
const maxSVG = 96 << 10

// svgSize matches the width and height of an SVG document.
var svgSize = regexp.MustCompile(`<svg[^>]*?\bwidth="([0-9.]+)(pt|px|)"[^>]*?\bheight="([0-9.]+)(pt|px|)"`)

// sharePicture prepares d for display if it has both an SVG and a PNG of the same picture. It sets the display size of
// the PNG, which may have more pixels, to the size of the SVG. It removes the SVG if that is larger than maxSVG.
func sharePicture(d *display.Data) {
	svg, ok := d.Data[display.MIMETypeSVG].(string)
	pixels, also := d.Data[display.MIMETypePNG].([]byte)
	if !ok || !also {
		return
	}
	if w, h, ok := cssSize(svg); ok {
		if c, err := png.DecodeConfig(bytes.NewReader(pixels)); err == nil && c.Width > w {
			if d.Metadata == nil {
				d.Metadata = map[string]any{}
			}
			if _, set := d.Metadata[display.MIMETypePNG]; !set {
				d.Metadata[display.MIMETypePNG] = map[string]any{"width": w, "height": h}
			}
		}
	}
	if len(svg) > maxSVG {
		delete(d.Data, display.MIMETypeSVG)
	}
}

// cssSize returns the size of an SVG document in CSS pixels.
func cssSize(svg string) (w, h int, ok bool) {
	m := svgSize.FindStringSubmatch(svg[:min(len(svg), 1000)])
	if m == nil {
		return 0, 0, false
	}
	px := func(number, unit string) int {
		x, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return 0
		}
		if unit == "pt" {
			x *= 96.0 / 72
		}
		return int(math.Round(x))
	}
	w, h = px(m[1], m[2]), px(m[3], m[4])
	return w, h, w > 0 && h > 0
}
