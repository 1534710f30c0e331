package figure

import "image/color"

// Grey is the old name of Gray.
//
// Deprecated: use Gray.
const Grey = Gray

// ColourMap is the old name of ColorMap.
//
// Deprecated: use ColorMap.
type ColourMap = ColorMap

// Colour does what Color does.
//
// Deprecated: use Color.
func Colour(i int) color.Color { return Color(i) }

// Greys does what Grays does.
//
// Deprecated: use Grays.
func Greys(t float64) color.Color { return Grays(t) }

// Tabled is the old name of Tabler.
//
// Deprecated: use Tabler.
type Tabled = Tabler
