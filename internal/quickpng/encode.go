// Package quickpng encodes pictures as PNG, and does so quickly in a browser.
//
// On other platforms it calls image/png, which makes smaller files. In WebAssembly image/png took half of the
// time needed for a plot, because it tries five filters for each row and searches for the best matches. Plots
// have few colors and large uniform areas. So in a browser this package uses a palette if there are at most
// 256 colors, and one fixed filter otherwise, with the fastest compression. The file is up to twice as large,
// with the same pixels.
package quickpng

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"runtime"
)

// Encode writes m as PNG.
func Encode(w io.Writer, m image.Image) error {
	if p, ok := m.(*image.RGBA); ok && runtime.GOOS == "js" && isSmall(p.Rect) && p.Opaque() {
		return encode(w, p)
	}
	return png.Encode(w, m)
}

// isSmall reports whether r is nonempty, and small enough that several copies fit into memory.
func isSmall(r image.Rectangle) bool {
	return r.Dx() > 0 && r.Dy() > 0 && r.Dx() <= (64<<20)/r.Dy()
}

// The kinds of pixels, and the filter that subtracts the row above (PNG, sections 11.2.2 and 9.2).
const (
	kindRGB     = 2
	kindPalette = 3
	filterNone  = 0
	filterUp    = 2
)

// encode writes a picture without transparency.
func encode(w io.Writer, m *image.RGBA) error {
	size := m.Rect.Size()
	kind, palette, index := byte(kindRGB), []byte(nil), paletteOf(m)
	if index != nil {
		kind, palette = kindPalette, index.colours
	}
	if _, err := io.WriteString(w, "\x89PNG\r\n\x1a\n"); err != nil {
		return err
	}
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(size.X)), uint32(size.Y))
	if err := chunk(w, "IHDR", append(header, 8, kind, 0, 0, 0)); err != nil {
		return err
	}
	if palette != nil {
		if err := chunk(w, "PLTE", palette); err != nil {
			return err
		}
	}
	var data bytes.Buffer
	z, err := zlib.NewWriterLevel(&data, zlib.BestSpeed)
	if err != nil {
		return err
	}
	if index != nil {
		index.rows(z, m)
	} else {
		rows(z, m)
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := chunk(w, "IDAT", data.Bytes()); err != nil {
		return err
	}
	return chunk(w, "IEND", nil)
}

// chunk writes a PNG chunk: length, name, data and checksum.
func chunk(w io.Writer, name string, data []byte) error {
	b := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), name...)
	sum := crc32.Update(crc32.ChecksumIEEE([]byte(name)), crc32.IEEETable, data)
	for _, part := range [][]byte{b, data, binary.BigEndian.AppendUint32(nil, sum)} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// row returns row y of m.
func row(m *image.RGBA, y int) []byte {
	at := y * m.Stride
	return m.Pix[at : at+4*m.Rect.Dx()]
}

// rows writes the pixels as RGB, subtracting from each row the row above it.
func rows(w io.Writer, m *image.RGBA) {
	above := make([]byte, 4*m.Rect.Dx()) // zeros above the first row
	out := make([]byte, 1+3*m.Rect.Dx())
	out[0] = filterUp
	for y := range m.Rect.Dy() {
		this := row(m, y)
		to := out[1:]
		for i := 0; i+4 <= len(this); i += 4 {
			p, q := this[i:i+4:i+4], above[i:i+4:i+4]
			to[0], to[1], to[2] = p[0]-q[0], p[1]-q[1], p[2]-q[2]
			to = to[3:]
		}
		w.Write(out) // writing to memory cannot fail
		above = this
	}
}

// A palette holds the colors of a picture, at most 256.
type palette struct {
	colours []byte              // three bytes each
	at      map[color.RGBA]byte // indices into colours
}

// paletteOf returns the palette of m, or nil if m has more than 256 colors.
func paletteOf(m *image.RGBA) *palette {
	p := &palette{at: map[color.RGBA]byte{}}
	last := color.RGBA{} // transparent, so it differs from every pixel
	for y := range m.Rect.Dy() {
		line := row(m, y)
		for i := 0; i+4 <= len(line); i += 4 {
			c := color.RGBA{line[i], line[i+1], line[i+2], line[i+3]}
			if c == last {
				continue
			}
			last = c
			if _, ok := p.at[c]; !ok {
				if len(p.at) == 256 {
					return nil
				}
				p.at[c] = byte(len(p.at))
				p.colours = append(p.colours, c.R, c.G, c.B)
			}
		}
	}
	return p
}

// rows writes the pixels as indices into the palette.
func (p *palette) rows(w io.Writer, m *image.RGBA) {
	out := make([]byte, 1+m.Rect.Dx())
	out[0] = filterNone
	last, place := color.RGBA{}, byte(0)
	for y := range m.Rect.Dy() {
		line := row(m, y)
		for i := 0; i+4 <= len(line); i += 4 {
			if c := (color.RGBA{line[i], line[i+1], line[i+2], line[i+3]}); c != last {
				last, place = c, p.at[c]
			}
			out[1+i/4] = place
		}
		w.Write(out)
	}
}
