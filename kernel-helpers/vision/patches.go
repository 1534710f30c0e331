package vision

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/parallel"
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

// Patches are square pieces at uniformly random places in all images. They are not stored: patch i depends only on the
// images, the side, the seed and i, and is computed whenever it is read. Each row is one patch, plane by plane, row by
// row; values are 0..255.
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

const (
	// chunk is the number of rows processed at a time; lanes is the number of partial sums. Both are fixed,
	// so sums do not depend on the number of processors.
	chunk = 512
	lanes = 8
)

// inChunks divides n rows into lanes, and each lane into ranges of rows. The constant chunk is the maximum length of a
// range. inChunks calls f for each range. The ranges of a lane are processed in order; the lanes run concurrently.
func inChunks(ctx context.Context, n int, f func(lane, from, to int) error) error {
	var errs [lanes]error
	parallel.Do(lanes, 0, func(lane int) {
		for from, end := lane*n/lanes, (lane+1)*n/lanes; from < end; {
			to := min(from+chunk, end)
			if errs[lane] = ctx.Err(); errs[lane] == nil {
				errs[lane] = f(lane, from, to)
			}
			if errs[lane] != nil {
				return
			}
			from = to
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// A Source is an endless supply of whitened random patches, for models that learn from millions of them. It implements
// s3c.Source. Its patch i is the whitened patch i that NewPatches would give for the same seed. A Source is not safe
// for concurrent use.
type Source struct {
	images *Images
	side   int
	seed   uint64
	w      *Whitening
	raw    []float32
	print  uint64
}

// NewSource returns a source of patches of side×side pixels, whitened by w.
func NewSource(im *Images, side int, w *Whitening, seed uint64) *Source {
	given.Args("vision: NewSource", "im", im, "w", w)
	if _, d := NewPatches(im, side, 1, seed).Dims(); d != w.Dim() {
		panic(fmt.Sprintf("vision: NewSource: patches of %d values, the whitening is for %d", d, w.Dim()))
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%v; %v; side %d, seed %d", im, w, side, seed))
	return &Source{images: im, side: side, seed: seed, w: w, print: binary.LittleEndian.Uint64(sum[:])}
}

// Dim returns D, the number of values of a patch.
func (s *Source) Dim() int { return s.w.Dim() }

// Patches stores the n patches with the numbers start, start+1, ..., start+n−1 in the rows of dst (n×D).
func (s *Source) Patches(dst []float32, start, n int) error {
	if start < 0 || n < 0 || len(dst) != n*s.Dim() {
		panic(fmt.Sprintf("vision: Patches: %d patches from %d on, of %d values, into %d", n, start, s.Dim(), len(dst)))
	}
	if n == 0 {
		return nil
	}
	s.raw = grow(s.raw, len(dst))
	p := NewPatches(s.images, s.side, start+n, s.seed)
	if err := p.Read(s.raw[:len(dst)], start, start+n); err != nil {
		return err
	}
	s.w.Apply(dst, s.raw[:len(dst)], n)
	return nil
}

// Fingerprint returns a number that depends on images, side, whitening and seed, and so distinguishes sources.
func (s *Source) Fingerprint() uint64 { return s.print }
