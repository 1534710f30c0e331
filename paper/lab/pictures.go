package lab

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Shrink averages blocks of f × f pixels in pictures of h × w pixels, which are
// the rows of X (n×hw).
func Shrink(X *mat.Dense, h, w, f int) *mat.Dense {
	n, p := X.Dims()
	if f < 1 || h%f != 0 || w%f != 0 || p != h*w {
		panic(fmt.Sprintf("lab: Shrink: blocks of %d do not fit pictures of %d × %d (%d values)", f, h, w, p))
	}
	out := mat.NewDense(n, (h/f)*(w/f), nil)
	for i := range n {
		row, o := X.RawRowView(i), out.RawRowView(i)
		for y := range h {
			for x := range w {
				o[(y/f)*(w/f)+x/f] += row[y*w+x] / float64(f*f)
			}
		}
	}
	return out
}

// First returns a copy of the first n rows of X, or of all rows if it has
// fewer.
func First(X *mat.Dense, n int) *mat.Dense {
	r, c := X.Dims()
	return mat.DenseCopyOf(X.Slice(0, min(n, r), 0, c))
}
