package drawing

// textWidth estimates the width of a text, and returns false, because the estimate is not exact. An estimate is good
// enough: the figures drawn by a kernel in a browser state the length of each text in their SVG.
func textWidth(text string, size float64, bold bool) (w float64, known bool) {
	return .55 * size * float64(len([]rune(text))), false
}
