package drawing

// textWidth is an estimate: figures in a browser's kernel have an SVG with the length of each text.
func textWidth(text string, size float64, bold bool) (w float64, known bool) {
	return .55 * size * float64(len([]rune(text))), false
}
