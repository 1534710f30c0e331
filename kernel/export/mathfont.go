//go:build !js

package export

import "codeberg.org/go-fonts/latin-modern/lmmath"

// mathFont is the font that provides the glyphs of formulas.
var mathFont = lmmath.TTF
