package drawing

// textWidth estimates the width of a text. Exact widths are not needed: figures of the kernel in a browser have
// the length of each text in their SVG.
func textWidth(text string, size float64, bold bool) (w float64, known bool) {
	return .55 * size * float64(len([]rune(text))), false
}
