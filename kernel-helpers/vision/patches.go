package vision

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/given"
)

// Rows is a matrix that is read row by row and need not be in memory. Its rows are patches in this package and features
// in package features.
type Rows interface {
	// Dims returns the number of rows and the number of columns.
	Dims() (n, d int)
	// Read stores the rows [from, to) in dst ((to−from)×d). Several goroutines may call
	// it at once.
	Read(dst []float32, from, to int) error
}

// Patches are square pieces from uniformly random places of all images. They are not stored: patch i depends
// only on the images and the seed, and is computed whenever it is read. Each row is one patch, plane by
// plane, row by row; values are 0..255.
type Patches struct {
	images  *Images
	side, n int
	seed    uint64
}

// NewPatches returns n random patches of side×side pixels.
func NewPatches(im *Images, side, n int, seed uint64) *Patches {
	given.Args("vision: NewPatches", "im", im)
	if side <= 0 || side > im.Height || side > im.Width || n <= 0 {
		panic(fmt.Sprintf("vision: NewPatches: %d patches of %d×%d from images of %d×%d", n, side, side, im.Height, im.Width))
	}
	return &Patches{im, side, n, seed}
}

// Dims returns the number of patches and D, the number of values of a patch.
func (p *Patches) Dims() (n, d int) { return p.n, p.images.Channels * p.side * p.side }

// Side returns the height and width of a patch.
func (p *Patches) Side() int { return p.side }

// Read stores the patches [from, to) in dst.
func (p *Patches) Read(dst []float32, from, to int) error {
	n, d := p.Dims()
	if from < 0 || to < from || to > n || len(dst) != (to-from)*d {
		panic(fmt.Sprintf("vision: Patches: rows %d to %d of %d×%d do not go into %d numbers", from, to, n, d, len(dst)))
	}
	src := rand.NewPCG(0, 0)
	rng := rand.New(src)
	for i := from; i < to; i++ {
		src.Seed(p.seed, uint64(i)) // a separate stream for each patch
		k := rng.IntN(p.images.Len())
		row, col := rng.IntN(p.images.Height-p.side+1), rng.IntN(p.images.Width-p.side+1)
		p.images.window(dst[(i-from)*d:(i-from+1)*d], k, row, col, p.side)
	}
	return nil
}

// window stores in dst the patch of image k whose upper left corner is at (row, col).
func (im *Images) window(dst []float32, k, row, col, side int) {
	at := k * im.size()
	for c := range im.Channels {
		for y := range side {
			from := at + (c*im.Height+row+y)*im.Width + col
			for x, v := range im.Pixels[from : from+side] {
				dst[x] = float32(v)
			}
			dst = dst[side:]
		}
	}
}

// Matrix returns the rows [from, to) of X as a matrix.
func Matrix(X Rows, from, to int) (*mat.Dense, error) {
	given.Args("vision: Matrix", "X", X)
	n, d := X.Dims()
	if from < 0 || to <= from || to > n {
		panic(fmt.Sprintf("vision: Matrix: rows %d to %d, but there are %d", from, to, n))
	}
	x := make([]float32, (to-from)*d)
	if err := X.Read(x, from, to); err != nil {
		return nil, fmt.Errorf("vision: Matrix: %w", err)
	}
	M := mat.NewDense(to-from, d, nil)
	for k, v := range x {
		M.RawMatrix().Data[k] = float64(v)
	}
	return M, nil
}

// Hold reads X into memory and returns the rows from there, for repeated use. 400,000 patches of 108 values take 173
// MB.
func Hold(ctx context.Context, X Rows) (Rows, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	given.Args("vision: Hold", "X", X)
	n, d := X.Dims()
	if err := ram.Check(fmt.Sprintf("%d rows of %d numbers", n, d), 4*float64(n)*float64(d)); err != nil {
		return nil, fmt.Errorf("vision: Hold: %w", err)
	}
	h := &heldRows{make([]float32, n*d), n, d}
	err := inChunks(ctx, n, func(_, from, to int) error { return X.Read(h.data[from*d:to*d], from, to) })
	if err != nil {
		return nil, fmt.Errorf("vision: Hold: %w", err)
	}
	return h, nil
}

type heldRows struct {
	data []float32
	n, d int
}

func (h *heldRows) Dims() (n, d int) { return h.n, h.d }

func (h *heldRows) Read(dst []float32, from, to int) error {
	copy(dst, h.data[from*h.d:to*h.d])
	return nil
}
