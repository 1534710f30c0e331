package drawing

// textWidth is a guess: a kernel in a browser makes no pages of recorded figures, and has no fonts.
func textWidth(text string, size float64, bold bool) float64 {
	return .55 * size * float64(len([]rune(text)))
}
