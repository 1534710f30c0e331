package vision

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
)

// Maps returns the features of image k before pooling: one matrix for each of the given channels. Element (i, j) of a
// matrix is the feature of the patch whose upper left corner is at row i and column j of the image.
func Maps(im *Images, k int, w *Whitening, e Encoder, channels []int) ([]*mat.Dense, error) {
	given.Args("vision: Maps", "im", im, "w", w, "e", e)
	x, err := newExtractor(im, w, e, ExtractOptions{Grid: 1})
	if err != nil {
		return nil, fmt.Errorf("vision: Maps: %w", err)
	}
	if k < 0 || k >= im.Len() {
		panic(fmt.Sprintf("vision: Maps: there is no image %d, there are %d", k, im.Len()))
	}
	d, C := w.Dim(), e.Channels()
	n := x.down * x.across
	raw, white, f := make([]float32, n*d), make([]float32, n*d), make([]float32, n*C)
	for p := range n {
		im.window(raw[p*d:(p+1)*d], k, p/x.across, p%x.across, x.side)
	}
	w.Apply(white, raw, n)
	if err := encode(context.Background(), e.Copy(), f, white, n); err != nil {
		return nil, fmt.Errorf("vision: Maps: %w", err)
	}
	var maps []*mat.Dense
	for _, c := range channels {
		if c < 0 || c >= C {
			panic(fmt.Sprintf("vision: Maps: there is no channel %d, there are %d", c, C))
		}
		m := mat.NewDense(x.down, x.across, nil)
		for p := range n {
			m.Set(p/x.across, p%x.across, float64(f[p*C+c]))
		}
		maps = append(maps, m)
	}
	return maps, nil
}

// PoolMaps returns the maps of image k, as Maps does, and for each map a Grid×Grid matrix of its pooled values. These
// are the steps of ExtractShards for one image. It is an error if options.Pools is given.
func PoolMaps(im *Images, k int, w *Whitening, e Encoder, channels []int, options *ExtractOptions) (maps, pooled []*mat.Dense, err error) {
	var opt ExtractOptions
	if options != nil {
		opt = *options
	}
	given.Args("vision: PoolMaps", "im", im, "w", w, "e", e)
	if opt.Pools != nil {
		return nil, nil, fmt.Errorf("vision: PoolMaps: Pools are given, and a map is pooled in one way: use Grid and Pooling")
	}
	if maps, err = Maps(im, k, w, e, channels); err != nil {
		return nil, nil, err
	}
	x, err := newExtractor(im, w, e, opt)
	if err != nil {
		return nil, nil, fmt.Errorf("vision: PoolMaps: %w", err)
	}
	g := x.opt.Grid
	for _, m := range maps {
		P := mat.NewDense(g, g, nil)
		if x.opt.Pooling == Max {
			P.Apply(func(_, _ int, _ float64) float64 { return math.Inf(-1) }, P)
		}
		for p, cell := range x.cell {
			v := m.At(p/x.across, p%x.across)
			if x.opt.Pooling == Max {
				P.Set(cell/g, cell%g, max(P.At(cell/g, cell%g), v))
				continue
			}
			if x.opt.Pooling == Mean {
				v /= float64(x.size[cell])
			}
			P.Set(cell/g, cell%g, P.At(cell/g, cell%g)+v)
		}
		pooled = append(pooled, P)
	}
	return maps, pooled, nil
}
