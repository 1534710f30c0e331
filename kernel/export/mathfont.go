//go:build !js

package export

import "codeberg.org/go-fonts/latin-modern/lmmath"

// mathFont is the font from which pages get the glyphs of their formulas.
var mathFont = lmmath.TTF
