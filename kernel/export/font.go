package export

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Browsers lay out formulas using the MATH table of a font, which gives the height of scripts, the larger variants
// of parentheses and so on. Few phones and Linux systems have a font with a MATH table, so the page embeds one:
// Latin Modern Math, reduced to the glyphs that the page's formulas use. The other glyphs become empty but keep
// their indices, so that compression removes them; no character maps to them.

// fontFaces holds the CSS rules of fontFace, by the ranges of characters. Making a rule takes a tenth of a second, and
// pages written one after the other often use the same characters.
var fontFaces = struct {
	sync.Mutex
	rules map[string]string
}{rules: map[string]string{}}

// mostFontFaces limits the number of rules in fontFaces, each of which has some 60 kB.
const mostFontFaces = 32

// fontFace returns a CSS rule that embeds a font with the used characters. It returns "" if no characters are used, or
// if the font cannot be made.
func fontFace(used map[rune]bool) string {
	if len(used) == 0 || mathFont == nil {
		return ""
	}
	used[' '] = true // without a blank in the font a browser would use the layout of another font
	// Characters outside these ranges, for example in formulas made by a script, come from another font.
	var list []string
	for _, r := range slices.Sorted(maps.Keys(used)) {
		list = append(list, fmt.Sprintf("U+%X", r))
	}
	ranges := strings.Join(list, ", ")
	fontFaces.Lock()
	defer fontFaces.Unlock()
	rule, ok := fontFaces.rules[ranges]
	if ok {
		return rule
	}
	b, err := fontFor(mathFont, used)
	if err != nil {
		return "" // fall back to the browser's own font
	}
	rule = "@font-face { font-family: \"Notebook Math\"; src: url(data:font/woff;base64," + base64.StdEncoding.EncodeToString(b) +
		") format(\"woff\"); unicode-range: " + ranges + "; }\n"
	if len(fontFaces.rules) == mostFontFaces {
		clear(fontFaces.rules)
	}
	fontFaces.rules[ranges] = rule
	return rule
}

// addCharacters adds the characters of a MathML formula to the set of used characters. It also adds the slanted
// characters that browsers substitute for one-letter variables.
func addCharacters(used map[rune]bool, formula string) {
	for _, r := range plainHTML(formula) {
		used[r] = true
		switch {
		case r == 'h':
			used['ℎ'] = true
		case 'a' <= r && r <= 'z':
			used[0x1D44E+r-'a'] = true
		case 'A' <= r && r <= 'Z':
			used[0x1D434+r-'A'] = true
		case 'α' <= r && r <= 'ω':
			used[0x1D6FC+r-'α'] = true
		case 'Α' <= r && r <= 'Ω':
			used[0x1D6E2+r-'Α'] = true
		case slanted[r] != 0:
			used[slanted[r]] = true
		}
	}
	if strings.Contains(formula, "<msqrt") || strings.Contains(formula, "<mroot") {
		used['√'] = true
	}
}

var slanted = map[rune]rune{'∂': 0x1D715, 'ϵ': 0x1D716, 'ϑ': 0x1D717, 'ϰ': 0x1D718, 'ϕ': 0x1D719, 'ϱ': 0x1D71A, 'ϖ': 0x1D71B, 'ı': 0x1D6A4, 'ȷ': 0x1D6A5}

var errFont = errors.New("export: cannot parse the font")

// A table is a part of an OpenType font.
type table struct {
	tag  string
	data []byte
}

// fontFor makes a WOFF file from an OpenType font with CFF outlines. The file contains the glyphs of the used
// characters and the glyphs that the MATH table derives from them.
func fontFor(otf []byte, used map[rune]bool) (woff []byte, err error) {
	defer func() {
		if recover() != nil {
			woff, err = nil, errFont // an offset is outside the file
		}
	}()
	var tables []table
	byTag := map[string][]byte{}
	for i := range int(binary.BigEndian.Uint16(otf[4:])) {
		e := otf[12+16*i:]
		offset, length := binary.BigEndian.Uint32(e[8:]), binary.BigEndian.Uint32(e[12:])
		tag := string(e[:4])
		// Omit the tables GSUB and GPOS, so that the glyphs of script alternates are not needed.
		if !slices.Contains([]string{"CFF ", "MATH", "OS/2", "cmap", "head", "hhea", "hmtx", "maxp", "name", "post"}, tag) {
			continue
		}
		data := slices.Clone(otf[offset : offset+length])
		tables = append(tables, table{tag, data})
		byTag[tag] = data
	}
	characters, err := characterGlyphs(byTag["cmap"], used)
	if err != nil {
		return nil, err
	}
	for i := range tables {
		if tables[i].tag == "cmap" {
			tables[i].data = characterMap(characters)
		}
	}
	glyphs := map[int]bool{0: true}
	for _, g := range characters {
		glyphs[g] = true
	}
	variants(byTag["MATH"], glyphs)
	if err := blankGlyphs(byTag["CFF "], glyphs); err != nil {
		return nil, err
	}
	return packWOFF(otf[:4], tables), nil
}

// The keys of wide are accents that a page must stretch horizontally. The values are combining characters: browsers do
// not stretch them, but the font has wider forms of them.
var wide = map[rune]rune{'‾': 0x305, '~': 0x303}

// characterGlyphs returns the glyphs of the used characters, by character. It reads them from the format 12 subtable
// of a font's cmap table.
func characterGlyphs(cmap []byte, used map[rune]bool) (map[rune]int, error) {
	glyphs := map[rune]int{}
	for i := range int(binary.BigEndian.Uint16(cmap[2:])) {
		sub := cmap[binary.BigEndian.Uint32(cmap[4+8*i+4:]):]
		if binary.BigEndian.Uint16(sub) != 12 {
			continue
		}
		for g := range int(binary.BigEndian.Uint32(sub[12:])) {
			e := sub[16+12*g:]
			first, last, glyph := binary.BigEndian.Uint32(e), binary.BigEndian.Uint32(e[4:]), binary.BigEndian.Uint32(e[8:])
			for r := range used {
				c := uint32(r)
				if w, ok := wide[r]; ok {
					c = uint32(w)
				}
				if c >= first && c <= last {
					glyphs[r] = int(glyph + c - first)
				}
			}
		}
		return glyphs, nil
	}
	return nil, errFont
}

// characterMap returns a cmap table that maps characters to the given glyphs. The table has format 12, because this
// format covers all of Unicode.
func characterMap(glyphs map[rune]int) []byte {
	b := binary.BigEndian.AppendUint32(nil, 1) // version 0, one subtable
	b = binary.BigEndian.AppendUint32(b, 3<<16|10)
	for _, v := range []int{12, 12 << 16, 16 + 12*len(glyphs), 0, len(glyphs)} { // offset of the subtable; format, length, language, groups
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	for _, r := range slices.Sorted(maps.Keys(glyphs)) {
		for _, v := range []int{int(r), int(r), glyphs[r]} {
			b = binary.BigEndian.AppendUint32(b, uint32(v))
		}
	}
	return b
}

// variants adds glyphs to the given set: the larger forms that a MATH table has for the glyphs in the set, and the
// parts from which browsers assemble even larger forms.
func variants(math []byte, glyphs map[int]bool) {
	u16 := func(b []byte) int { return int(binary.BigEndian.Uint16(b)) }
	all := math[u16(math[8:]):]
	for _, direction := range []struct{ coverage, count, first int }{
		{u16(all[2:]), u16(all[6:]), 10},
		{u16(all[4:]), u16(all[8:]), 10 + 2*u16(all[6:])},
	} {
		if direction.coverage == 0 {
			continue
		}
		for i, g := range covered(all[direction.coverage:]) {
			if i >= direction.count || !glyphs[g] {
				continue
			}
			c := all[u16(all[direction.first+2*i:]):]
			for v := range u16(c[2:]) {
				glyphs[u16(c[4+4*v:])] = true
			}
			if offset := u16(c); offset != 0 {
				parts := c[offset:]
				for k := range u16(parts[4:]) {
					glyphs[u16(parts[6+10*k:])] = true
				}
			}
		}
	}
}

// covered returns the glyphs that a coverage table of an OpenType font lists, in the table's order.
func covered(b []byte) []int {
	var list []int
	n := int(binary.BigEndian.Uint16(b[2:]))
	for i := range n {
		if binary.BigEndian.Uint16(b) == 1 {
			list = append(list, int(binary.BigEndian.Uint16(b[4+2*i:])))
			continue
		}
		e := b[4+6*i:]
		for g := int(binary.BigEndian.Uint16(e)); g <= int(binary.BigEndian.Uint16(e[2:])); g++ {
			list = append(list, g)
		}
	}
	return list
}

// blankGlyphs erases the outlines of all glyphs in a CFF table except those to keep.
func blankGlyphs(cff []byte, keep map[int]bool) error {
	at := int(cff[2])
	_, _, at = index(cff, at) // skip the names
	tops, data, _ := index(cff, at)
	top := cff[data+tops[0] : data+tops[1]]
	chars := topOperand(top, 17)
	if chars <= 0 {
		return errFont
	}
	offsets, data, _ := index(cff, chars)
	for g := range len(offsets) - 1 {
		if keep[g] {
			continue
		}
		erase(cff[data+offsets[g] : data+offsets[g+1]])
	}
	return nil
}

// erase overwrites an outline with operators that draw nothing, without changing its length.
func erase(outline []byte) {
	const zero, rmoveto, hmoveto, endchar = 139, 21, 22, 14
	n := len(outline) - 1
	if n < 0 {
		return
	}
	outline[n] = endchar
	i := 0
	switch {
	case n == 1:
		outline[0] = zero // the glyph's width, which is unused
		i = 1
	case n%2 == 1:
		copy(outline, []byte{zero, zero, rmoveto})
		i = 3
	}
	for ; i < n; i += 2 {
		outline[i], outline[i+1] = zero, hmoveto
	}
}

// index reads the CFF INDEX that begins at b[at]. Item i of the INDEX is b[data+offsets[i] : data+offsets[i+1]]. end is
// the offset of the first byte after the INDEX.
func index(b []byte, at int) (offsets []int, data, end int) {
	n := int(binary.BigEndian.Uint16(b[at:]))
	if n == 0 {
		return []int{0}, at + 2, at + 2
	}
	size := int(b[at+2])
	data = at + 3 + (n+1)*size
	for i := range n + 1 {
		o := 0
		for _, x := range b[at+3+i*size : at+3+(i+1)*size] {
			o = o<<8 | int(x)
		}
		offsets = append(offsets, o-1)
	}
	return offsets, data, data + offsets[n]
}

// topOperand returns the last operand of a one-byte operator in a CFF DICT, or 0 if the DICT does not have the
// operator.
func topOperand(dict []byte, operator byte) int {
	last := 0
	for i := 0; i < len(dict); {
		switch b := dict[i]; {
		case b == operator:
			return last
		case b == 12:
			i += 2
		case b <= 21:
			i++
		case b == 28:
			last = int(int16(binary.BigEndian.Uint16(dict[i+1:])))
			i += 3
		case b == 29:
			last = int(int32(binary.BigEndian.Uint32(dict[i+1:])))
			i += 5
		case b == 30: // a real number, which ends with a nibble f
			for i++; dict[i]&15 != 15 && dict[i]>>4 != 15; i++ {
			}
			i++
		case b <= 246:
			last = int(b) - 139
			i++
		case b <= 250:
			last = (int(b)-247)*256 + int(dict[i+1]) + 108
			i += 2
		default:
			last = -(int(b)-251)*256 - int(dict[i+1]) - 108
			i += 2
		}
	}
	return 0
}

// packWOFF writes tables as a WOFF file (version 1.0).
func packWOFF(flavor []byte, tables []table) []byte {
	const header, entry = 44, 20
	var body bytes.Buffer
	directory := make([]byte, 0, entry*len(tables))
	total := 12 + 16*len(tables)
	for _, t := range tables {
		var z bytes.Buffer
		w, _ := zlib.NewWriterLevel(&z, zlib.DefaultCompression)
		w.Write(t.data)
		w.Close()
		packed := z.Bytes()
		if len(packed) >= len(t.data) {
			packed = t.data
		}
		directory = append(directory, t.tag...)
		for _, v := range []int{header + entry*len(tables) + body.Len(), len(packed), len(t.data), int(checksum(t.data, t.tag == "head"))} {
			directory = binary.BigEndian.AppendUint32(directory, uint32(v))
		}
		body.Write(packed)
		for body.Len()%4 != 0 {
			body.WriteByte(0)
		}
		total += (len(t.data) + 3) &^ 3
	}
	out := append([]byte("wOFF"), flavor...)
	out = binary.BigEndian.AppendUint32(out, uint32(header+len(directory)+body.Len()))
	out = binary.BigEndian.AppendUint16(out, uint16(len(tables)))
	out = binary.BigEndian.AppendUint16(out, 0)
	out = binary.BigEndian.AppendUint32(out, uint32(total))
	out = append(out, make([]byte, header-len(out))...) // no version, metadata or private data
	return append(append(out, directory...), body.Bytes()...)
}

// checksum returns the checksum of an OpenType table. If head is set, data is the table named head, and the checksum
// leaves out the field of this table that holds the checksum of the whole font.
func checksum(data []byte, head bool) uint32 {
	var sum uint32
	for i := 0; i < len(data); i += 4 {
		if head && i == 8 {
			continue
		}
		var word [4]byte
		copy(word[:], data[i:])
		sum += binary.BigEndian.Uint32(word[:])
	}
	return sum
}
