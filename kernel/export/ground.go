package export

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"regexp"
	"strings"

	"overcomplete/internal/positions"
	"overcomplete/kernel/export/drawing"
)

// Pictures such as heatmaps have colors that a page must not invert in the way it inverts plots. But their axes
// are ink on white. So their background becomes transparent, and their ink becomes a gray that is readable on
// light and dark pages.

// inkOnBoth has a contrast of 4.5 with white, and of 3.9 with the background of a dark page.
var inkOnBoth = color.NRGBA{R: 0x70, G: 0x77, B: 0x80}

const (
	darkestInk = 0x26 // gray level of the darkest ink in package figure; pixels at least as dark as this become opaque
	leastTint  = 40   // smallest difference between the color components of a tinted pixel
)

// withoutBackground returns a PNG without its white background. ok is false for a PNG that must stay unchanged
// because it has no white background, like a photograph, or is mostly ink on white.
func withoutBackground(content string) (better string, ok bool) {
	b, err := pictureBytes(content)
	if err != nil {
		return "", false
	}
	if size, err := png.DecodeConfig(bytes.NewReader(b)); err != nil || size.Width*size.Height > 2<<20 {
		return "", false
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil || !whiteCorners(img) || mostlyWhite(img) {
		return "", false
	}
	at := img.Bounds()
	now := image.NewNRGBA(at)
	draw.Draw(now, at, img, at.Min, draw.Src)
	tinted := func(c color.NRGBA) bool { return max(c.R, c.G, c.B)-min(c.R, c.G, c.B) > leastTint }
	keep := blocks(now, tinted, 0)
	if len(keep) == 0 { // the picture is a gallery of gray pictures
		keep = blocks(now, func(c color.NRGBA) bool { return min(c.R, c.G, c.B) < 0xfe }, .6)
	}
	if len(keep) == 0 {
		return "", false
	}
	out := image.NewNRGBA(at)
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			c := now.NRGBAAt(x, y)
			if in(keep, x, y) || tinted(c) {
				out.SetNRGBA(x, y, c)
				continue
			}
			grey := (int(c.R) + int(c.G) + int(c.B)) / 3
			ink := inkOnBoth
			ink.A = uint8(min(255, (255-grey)*int(c.A)/(255-darkestInk)))
			if ink.A > 2 {
				out.SetNRGBA(x, y, ink)
			}
		}
	}
	var buf bytes.Buffer
	if (&png.Encoder{}).Encode(&buf, out) != nil {
		return "", false
	}
	return base64.StdEncoding.EncodeToString(buf.Bytes()), true
}

// blocks returns the bounding rectangles of connected pixels, if a rectangle is large and its pixels fill at
// least the given share of it: a heatmap, its color bar, a picture in a gallery. White inside a rectangle is
// part of the rectangle.
func blocks(img *image.NRGBA, belongs func(color.NRGBA) bool, share float64) (list []image.Rectangle) {
	at := img.Rect
	w := at.Dx()
	todo := make([]bool, w*at.Dy()) // unvisited pixels of blocks
	for y := range at.Dy() {
		for x := range w {
			p := img.Pix[y*img.Stride+4*x:]
			todo[y*w+x] = belongs(color.NRGBA{p[0], p[1], p[2], p[3]})
		}
	}
	var open []int
	for i := range todo {
		if !todo[i] {
			continue
		}
		n, box := 0, image.Rect(i%w, i/w, i%w+1, i/w+1)
		todo[i] = false
		open = append(open[:0], i)
		visit := func(k int, there bool) {
			if there && todo[k] {
				todo[k] = false
				open = append(open, k)
			}
		}
		for len(open) > 0 {
			k := open[len(open)-1]
			open = open[:len(open)-1]
			n++
			x, y := k%w, k/w
			box = image.Rect(min(box.Min.X, x), min(box.Min.Y, y), max(box.Max.X, x+1), max(box.Max.Y, y+1))
			visit(k-1, x > 0)
			visit(k+1, x < w-1)
			visit(k-w, y > 0)
			visit(k+w, y < at.Dy()-1)
		}
		if size := box.Dx() * box.Dy(); size*400 > w*at.Dy() && float64(n) >= share*float64(size) {
			list = append(list, box.Add(at.Min))
		}
	}
	return list
}

func in(list []image.Rectangle, x, y int) bool {
	for _, r := range list {
		if image.Pt(x, y).In(r) {
			return true
		}
	}
	return false
}

// pngAddress matches the data address of a PNG in HTML.
var pngAddress = regexp.MustCompile(`data:image/png;base64,[A-Za-z0-9+/=]+`)

// savedPositions matches the control positions saved by overcomplete run.
var savedPositions = regexp.MustCompile(`(<script type="` + regexp.QuoteMeta(positions.Type) + `">)([^<]*)(</script>)`)

// ownGround matches a white rectangle that package figure draws behind a panel; ownInk matches package figure's
// ink colors.
var (
	ownGround = regexp.MustCompile(`<path d="M[-0-9.,]+L[-0-9.,]+L[-0-9.,]+L[-0-9.,]+Z" style="fill:#FFFFFF" />\s*`)
	ownInk    = func() *strings.Replacer {
		grey := fmt.Sprintf("#%02X%02X%02X", inkOnBoth.R, inkOnBoth.G, inkOnBoth.B)
		return strings.NewReplacer("#262626", grey, "#5F5F5F", grey, "#707070", grey, "#111111", grey)
	}()
)

// onPage returns the HTML of controls in which pictures have no background and text sizes fit.
func onPage(s string) string {
	if !strings.Contains(s, "data-positions") {
		return s
	}
	changed := false
	better := func(address string) string {
		if b, ok := withoutBackground(strings.TrimPrefix(address, "data:image/png;base64,")); ok {
			changed = true
			return "data:image/png;base64," + b
		}
		return address
	}
	if i := strings.Index(s, "<script"); i >= 0 {
		s = pngAddress.ReplaceAllStringFunc(s[:i], better) + s[i:]
	}
	return savedPositions.ReplaceAllStringFunc(s, func(whole string) string {
		m := savedPositions.FindStringSubmatch(whole)
		var d positions.Data
		if json.Unmarshal([]byte(m[2]), &d) != nil {
			return whole
		}
		frames, err := positions.Unpack(d.Frames)
		if err != nil {
			return whole
		}
		changed = false
		for _, f := range frames {
			for i := range f {
				p := &f[i]
				if svg := drawing.Fitted(p.SVG); svg != p.SVG {
					p.SVG, changed = svg, true
				}
				switch {
				case p.Plot:
				case p.SVG != "":
					if svg := ownGround.ReplaceAllString(p.SVG, ""); svg != p.SVG {
						p.SVG, changed = ownInk.Replace(svg), true
					}
				case pngAddress.MatchString(p.Image):
					p.Image = better(p.Image)
				}
			}
		}
		if !changed {
			return whole
		}
		d.Frames = positions.Pack(frames)
		b, err := json.Marshal(d)
		if err != nil {
			return whole
		}
		return m[1] + string(b) + m[3]
	})
}
