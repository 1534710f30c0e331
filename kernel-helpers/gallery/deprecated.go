package gallery

import (
	"image"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
)

// Greys is the old name of Grays.
//
// Deprecated: use Grays.
type Greys = Grays

// Draw does what Figure does.
//
// Deprecated: use Figure.
func Draw(X mat.Matrix, h, w int, opt Options) *figure.Figure { return Figure(X, h, w, &opt) }

// Picture does what Image does.
//
// Deprecated: use Image.
func Picture(X mat.Matrix, h, w int, opt Options) *image.Gray { return Image(X, h, w, &opt) }
