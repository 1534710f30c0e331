package lecturesparse

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/data"
	"overcomplete/data/natural"
	"overcomplete/data/synth"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Patches returns a copy of the patches from which atoms are learned. The patches are cut from the ten whitened natural
// images of Olshausen and Field if they are on this machine, otherwise from generated images of dead leaves, whitened
// by the same filter.
func (l *Lab) Patches() *Patches {
	p := *l.patchSet()
	p.X = mat.DenseCopyOf(p.X)
	return &p
}

func (l *Lab) patchSet() *Patches {
	if l.patches == nil {
		images, err := naturalImages()
		name := record.Real
		what := "the 10 whitened natural images of Olshausen and Field"
		if errors.Is(err, data.ErrAbsent) {
			images, name = l.leaves(), record.Generated
			what = fmt.Sprintf("%d images of dead leaves, whitened", len(images))
		} else {
			lab.Check(err)
		}
		side, n := l.Pick(8, 12, 12), l.Pick(4000, 30000, 100000)
		l.patches = &Patches{X: cut(images, side, n, l.Seed), Side: side,
			Data: name(fmt.Sprintf("%d patches of %d × %d from %s", n, side, side, what))}
	}
	return l.patches
}

func naturalImages() ([]*mat.Dense, error) {
	s, err := natural.Load()
	if err != nil {
		return nil, err
	}
	return s.Images, nil
}

// leaves returns generated images of dead leaves, whitened by whiten. They stand in for the natural images.
func (l *Lab) leaves() []*mat.Dense {
	images := make([]*mat.Dense, l.Pick(2, 6, 10))
	lab.Parallel(l.Context(), len(images), func(i int) {
		g, err := synth.DeadLeaves(synth.LeavesOptions{Size: 256, RMin: 2, RMax: 64, Elongation: 3, Seed: l.Seed + uint64(i)})
		lab.Check(err)
		images[i] = whiten(g.Image)
	})
	return images
}

// margin is the least distance of patches from the edges of an image, in pixels. It is needed because the filter wraps
// around.
const margin = 4

// cut returns n patches of side × side pixels, from random places in the images, as the columns of a matrix. One common
// factor scales them to variance 1. The mean of each patch is not removed, because the whitening filter has removed
// most of it.
func cut(images []*mat.Dense, side, n int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0x9a7c))
	X := mat.NewDense(side*side, n, nil)
	for j := range n {
		im := images[rng.IntN(len(images))]
		h, w := im.Dims()
		y, x := margin+rng.IntN(h-side-2*margin+1), margin+rng.IntN(w-side-2*margin+1)
		for i := range side * side {
			X.Set(i, j, im.At(y+i/side, x+i%side))
		}
	}
	X.Scale(1/stat.StdDev(X.RawMatrix().Data, nil), X)
	return X
}

// cutoff is f₀ of the filter in cycles per pixel: 200 cycles on 512 pixels, as in Olshausen and
// Field.
const cutoff = 200.0 / 512

// whiten applies the filter f·exp(−(f/f₀)⁴) of Olshausen and Field, where f is the frequency and f₀ is the constant
// cutoff. The filter amplifies the high frequencies, which are weak in natural images, and cuts off the corners of the
// spectrum.
func whiten(im *mat.Dense) *mat.Dense {
	h, w := im.Dims()
	z := mat.NewCDense(h, w, nil)
	for i := range h {
		for j := range w {
			z.Set(i, j, complex(im.At(i, j), 0))
		}
	}
	along, across := fourier.NewCmplxFFT(w), fourier.NewCmplxFFT(h)
	transform(z, along.Coefficients, across.Coefficients)
	for i := range h {
		for j := range w {
			f := math.Hypot(across.Freq(i), along.Freq(j))
			z.Set(i, j, z.At(i, j)*complex(f*math.Exp(-math.Pow(f/cutoff, 4)), 0))
		}
	}
	transform(z, along.Sequence, across.Sequence)
	out := mat.NewDense(h, w, nil)
	out.Apply(func(i, j int, _ float64) float64 { return real(z.At(i, j)) }, out)
	return out
}

// transform replaces each row of z by along(nil, row), and then each column by across(nil, column).
func transform(z *mat.CDense, along, across func(dst, src []complex128) []complex128) {
	h, w := z.Dims()
	row, col := make([]complex128, w), make([]complex128, h)
	for i := range h {
		for j := range w {
			row[j] = z.At(i, j)
		}
		for j, v := range along(nil, row) {
			z.Set(i, j, v)
		}
	}
	for j := range w {
		for i := range h {
			col[i] = z.At(i, j)
		}
		for i, v := range across(nil, col) {
			z.Set(i, j, v)
		}
	}
}
