package drawing

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/draw"
	"image/png"
)

// mosaic makes two parts of a PNG transparent: the gaps between tiles, and the places without a tile. It
// returns the data of other pictures unchanged.
func mosaic(data string) string {
	b, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return data
	}
	size, err := png.DecodeConfig(bytes.NewReader(b))
	if err != nil || size.Width*size.Height > 4<<20 {
		return data
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return data
	}
	r := img.Bounds()
	W, H := r.Dx(), r.Dy()
	in := image.NewNRGBA(image.Rect(0, 0, W, H))
	draw.Draw(in, in.Rect, img, r.Min, draw.Src)
	white := func(x, y int) bool {
		p := in.Pix[in.PixOffset(x, y):]
		return p[0]&p[1]&p[2]&p[3] == 0xff
	}
	// Most pictures have no white frame. The last row of a gallery may have no gap below it.
	if W < 3 || H < 3 {
		return data
	}
	for y := range H {
		if !white(0, y) || !white(W-1, y) {
			return data
		}
	}
	for x := range W {
		if !white(x, 0) {
			return data
		}
	}
	row, column := make([]bool, H), make([]bool, W) // white over the whole width or height
	for x := range column {
		column[x] = true
	}
	for y := range row {
		row[y] = true
		for x := range column {
			if !white(x, y) {
				row[y], column[x] = false, false
			}
		}
	}
	out := image.NewNRGBA(image.Rect(0, 0, W, H))
	// A rectangle between gaps in both directions is a tile, or entirely white.
	for _, v := range runs(row) {
		for _, u := range runs(column) {
			empty := true
			for y := v[0]; y < v[1] && empty; y++ {
				for x := u[0]; x < u[1] && empty; x++ {
					empty = white(x, y)
				}
			}
			if empty {
				continue
			}
			for y := v[0]; y < v[1]; y++ {
				copy(out.Pix[out.PixOffset(u[0], y):out.PixOffset(u[1], y)], in.Pix[in.PixOffset(u[0], y):])
			}
		}
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, out); err != nil {
		return data
	}
	return base64.StdEncoding.EncodeToString(buf.Bytes())
}

// runs returns the intervals between the gaps.
func runs(gap []bool) (list [][2]int) {
	for i := 0; i < len(gap); i++ {
		if gap[i] {
			continue
		}
		j := i
		for j < len(gap) && !gap[j] {
			j++
		}
		list = append(list, [2]int{i, j})
		i = j
	}
	return list
}
