package live

import (
	"encoding/binary"
	"errors"
	"slices"
)

// The fonts for plots are a fifth of a compressed kernel, and half of the fonts' size is hinting: instructions
// for old low-resolution screens, which golang.org/x/image ignores. Removing these instructions does not change
// the pictures.

var errFont = errors.New("cannot parse the font")

// drawn lists the font tables that are needed to draw and measure text.
var drawn = []string{"GPOS", "OS/2", "cmap", "glyf", "head", "hhea", "hmtx", "kern", "loca", "maxp", "name", "post"}

type fontTable struct {
	tag  string
	data []byte
}

// withoutHints removes the hints, and all other parts that golang.org/x/image does not read, from a TrueType font.
func withoutHints(ttf []byte) (out []byte, err error) {
	defer func() {
		if recover() != nil { // an offset is outside the file
			out, err = nil, errFont
		}
	}()
	if len(ttf) < 12 || binary.BigEndian.Uint32(ttf) != 0x00010000 {
		return nil, errFont
	}
	var tables []fontTable
	byTag := map[string][]byte{}
	for i := range int(binary.BigEndian.Uint16(ttf[4:])) {
		e := ttf[12+16*i:]
		tag, offset, length := string(e[:4]), binary.BigEndian.Uint32(e[8:]), binary.BigEndian.Uint32(e[12:])
		if !slices.Contains(drawn, tag) {
			continue
		}
		data := slices.Clone(ttf[offset : offset+length])
		tables = append(tables, fontTable{tag, data})
		byTag[tag] = data
	}
	for _, tag := range []string{"glyf", "head", "loca", "maxp"} {
		if byTag[tag] == nil {
			return nil, errFont
		}
	}
	glyf, loca := bareGlyphs(byTag["glyf"], byTag["loca"], int(binary.BigEndian.Uint16(byTag["maxp"][4:])), binary.BigEndian.Uint16(byTag["head"][50:]) == 0)
	binary.BigEndian.PutUint16(byTag["head"][50:], 1) // set the format of loca to 32-bit offsets
	for i := range tables {
		switch tables[i].tag {
		case "glyf":
			tables[i].data = glyf
		case "loca":
			tables[i].data = loca
		}
	}
	return writeFont(tables), nil
}

// bareGlyphs removes the hinting instructions from n glyphs. The table loca holds the glyphs' offsets in glyf, with 16
// bits each if short is set, otherwise 32 bits. bareGlyphs returns the remaining glyph data, and the glyphs' new
// offsets with 32 bits.
func bareGlyphs(glyf, loca []byte, n int, short bool) (data, offsets []byte) {
	at := func(i int) int {
		if short {
			return 2 * int(binary.BigEndian.Uint16(loca[2*i:]))
		}
		return int(binary.BigEndian.Uint32(loca[4*i:]))
	}
	for i := range n {
		offsets = binary.BigEndian.AppendUint32(offsets, uint32(len(data)))
		if at(i+1) > at(i) {
			data = append(data, bareGlyph(glyf[at(i):at(i+1)])...)
			for len(data)%4 != 0 {
				data = append(data, 0)
			}
		}
	}
	return data, binary.BigEndian.AppendUint32(offsets, uint32(len(data)))
}

// bareGlyph removes the hinting instructions from one glyph.
func bareGlyph(g []byte) []byte {
	const header = 10
	contours := int(int16(binary.BigEndian.Uint16(g)))
	if contours >= 0 {
		at := header + 2*contours
		instructions := int(binary.BigEndian.Uint16(g[at:]))
		out := slices.Clone(g[:at])
		out = append(out, 0, 0)
		return append(out, g[at+2+instructions:]...)
	}
	// A composite glyph has its instructions at the end.
	const (
		words        = 1 << 0 // the arguments are 16 bits
		scale        = 1 << 3
		more         = 1 << 5
		scaleXY      = 1 << 6
		matrix       = 1 << 7
		instructions = 1 << 8
	)
	out := slices.Clone(g)
	for at := header; ; {
		flags := binary.BigEndian.Uint16(out[at:])
		binary.BigEndian.PutUint16(out[at:], flags&^instructions)
		at += 6
		if flags&words != 0 {
			at += 2
		}
		switch {
		case flags&scale != 0:
			at += 2
		case flags&scaleXY != 0:
			at += 4
		case flags&matrix != 0:
			at += 8
		}
		if flags&more == 0 {
			return out[:at]
		}
	}
}

// writeFont assembles a font from tables. It sets no checksums, because embedded fonts are read without
// checking them.
func writeFont(tables []fontTable) []byte {
	n, largest, log := len(tables), 1, 0
	for 2*largest <= n {
		largest, log = 2*largest, log+1
	}
	out := []byte{0, 1, 0, 0}
	for _, v := range []int{n, 16 * largest, log, 16 * (n - largest)} {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	at := len(out) + 16*n
	for _, t := range tables {
		out = append(out, t.tag...)
		out = binary.BigEndian.AppendUint32(out, 0)
		out = binary.BigEndian.AppendUint32(out, uint32(at))
		out = binary.BigEndian.AppendUint32(out, uint32(len(t.data)))
		at += (len(t.data) + 3) &^ 3
	}
	for _, t := range tables {
		out = append(out, t.data...)
		for len(out)%4 != 0 {
			out = append(out, 0)
		}
	}
	return out
}
