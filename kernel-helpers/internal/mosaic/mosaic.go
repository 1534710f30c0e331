// Package mosaic computes the gaps between pictures that are arranged in rows and columns.
package mosaic

// Gaps returns the gaps around n pictures of h×w pixels that are arranged in the given number of columns. The gaps are
// lines one pixel wide around the pictures, and the part of the last row that has no pictures. Each gap is a
// rectangle, given by its corners x0, y0, x1, y1, in pixels, with y pointing up. Below each row of pictures is a strip
// of the given height.
func Gaps(n, columns, h, w int, strip float64) (list [][4]float64) {
	rows := (n + columns - 1) / columns
	dx, dy := float64(w+1), float64(h+1)
	width, top := dx*float64(columns)+1, float64(rows)*(dy+strip)+1
	for c := range columns + 1 {
		x := dx * float64(c)
		list = append(list, [4]float64{x, 0, x + 1, top})
	}
	for r := range rows {
		y := top - float64(r)*(dy+strip)
		list = append(list, [4]float64{0, y - 1, width, y})
	}
	end := strip // the last row's strip ends here; the line below the last row's pictures begins here
	list = append(list, [4]float64{0, end, width, end + 1})
	if last := n - (rows-1)*columns; last < columns {
		list = append(list, [4]float64{dx * float64(last), end, width, end + 1 + dy})
	}
	return list
}
