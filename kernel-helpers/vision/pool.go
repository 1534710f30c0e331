package vision

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
)

// A Pool is one way to pool features: a Pooling over Grid×Grid cells.
type Pool struct {
	Grid    int
	Pooling Pooling
}

// String returns a description of the pool.
func (p Pool) String() string { return fmt.Sprintf("%v over %d×%d cells", p.Pooling, p.Grid, p.Grid) }

// pooling returns a description of how features are pooled. It is part of the description that extractor.dependencies
// returns.
func (o ExtractOptions) pooling() string {
	if o.Pools == nil {
		return Pool{o.Grid, o.Pooling}.String()
	}
	var list []string
	for _, p := range o.Pools {
		list = append(list, p.String())
	}
	return strings.Join(list, ", then ")
}

// A placedPool is a Pool together with the place of its features in an image's row. For each fine cell (see
// extractor.pool), it also holds the number of the pool's cell that contains the fine cell.
type placedPool struct {
	Pool
	from int   // index of its first feature
	cell []int // the pool's cell of each fine cell
	size []int // number of positions of each of the pool's cells
}

// pool checks the options of pooling, and assigns each position to a cell. If there are several pools, these cells are
// the fine cells of one common grid, which has a boundary wherever any of the pools has one. So each cell of a pool
// consists of whole fine cells, and each position is processed only once.
func (x *extractor) pool() error {
	o, C := x.opt, x.e.Channels()
	list := o.Pools
	switch {
	case list == nil:
		list = []Pool{{o.Grid, o.Pooling}}
	case len(list) == 0:
		return fmt.Errorf("Pools are given, and there are none")
	case o.Grid != 0 || o.Pooling != Mean:
		return fmt.Errorf("both Pools and Grid or Pooling are given")
	}
	var rows, cols []int // starts of the cells
	for _, p := range list {
		if p.Pooling < Mean || p.Pooling > Max {
			return fmt.Errorf("unknown pooling %d", p.Pooling)
		}
		if p.Grid < 1 || p.Grid > x.across || p.Grid > x.down {
			return fmt.Errorf("%d×%d cells for %d×%d positions", p.Grid, p.Grid, x.down, x.across)
		}
		rows, cols = append(rows, edges(x.down, p.Grid)...), append(cols, edges(x.across, p.Grid)...)
		x.columns += p.Grid * p.Grid * C
	}
	slices.Sort(rows)
	slices.Sort(cols)
	rows, cols = slices.Compact(rows), slices.Compact(cols)
	x.cell, x.size = cells(rows, cols, x.down, x.across)
	if len(list) == 1 && list[0].Pooling != Max {
		return nil
	}
	from := 0
	for _, p := range list {
		q := placedPool{Pool: p, from: from, cell: make([]int, len(x.size))}
		var own []int // the pool's cell of each position
		own, q.size = cells(edges(x.down, p.Grid), edges(x.across, p.Grid), x.down, x.across)
		for position, fine := range x.cell {
			q.cell[fine] = own[position]
		}
		x.pools = append(x.pools, q)
		from += p.Grid * p.Grid * C
	}
	return nil
}

// edges returns the starts of the cells along a side: cell k starts at position round(k·length/grid), with
// halves rounded up. A length of 27 gives two cells of 14 and 13, or three cells of 9.
func edges(length, grid int) []int {
	var list []int
	for k := range grid {
		list = append(list, (2*k*length+grid)/(2*grid))
	}
	return list
}

// cells divides down×across positions into cells. rows and cols are the positions at which the rows and the columns of
// cells start. The slice called cell holds the number of each position's cell, row by row. The slice called size holds
// the number of positions of each cell.
func cells(rows, cols []int, down, across int) (cell, size []int) {
	size = make([]int, len(rows)*len(cols))
	i := 0
	for y := range down {
		if i+1 < len(rows) && y == rows[i+1] {
			i++
		}
		j := 0
		for x := range across {
			if j+1 < len(cols) && x == cols[j+1] {
				j++
			}
			c := i*len(cols) + j
			cell = append(cell, c)
			size[c]++
		}
	}
	return cell, size
}

// remember allocates the sums of the fine cells if a pool needs sums, and the maxima if a pool needs maxima.
func (w *worker) remember() {
	n := len(w.size) * w.e.Channels()
	for _, p := range w.pools {
		switch {
		case p.Pooling == Max && w.most == nil:
			w.most = make([]float32, n)
		case p.Pooling != Max && w.sums == nil:
			w.sums = make([]float32, n)
		}
	}
}

// forget resets the sums and maxima for a new image.
func (w *worker) forget() {
	clear(w.sums)
	for j := range w.most {
		w.most[j] = float32(math.Inf(-1))
	}
}

// gather updates the sums and maxima of the fine cells with the features f of some positions. cell[i] is the fine cell
// of the i-th of these positions.
func (w *worker) gather(f []float32, cell []int) {
	C := w.e.Channels()
	for i, c := range cell {
		v := f[i*C : (i+1)*C]
		if w.sums != nil {
			sum := w.sums[c*C:][:len(v)]
			for j, x := range v {
				sum[j] += x
			}
		}
		if w.most != nil {
			most := w.most[c*C:][:len(v)]
			for j, x := range v {
				most[j] = max(most[j], x) // max keeps NaN
			}
		}
	}
}

// spread computes the features of all pools from the sums and maxima of the fine cells. It stores them in dst, which
// must be all zeros.
func (w *worker) spread(dst []float32) {
	C := w.e.Channels()
	for _, p := range w.pools {
		out := dst[p.from:][:p.Grid*p.Grid*C]
		if p.Pooling == Max {
			for j := range out {
				out[j] = float32(math.Inf(-1))
			}
		}
		for fine, c := range p.cell {
			to := out[c*C : (c+1)*C]
			if p.Pooling == Max {
				for j, x := range w.most[fine*C : (fine+1)*C] {
					to[j] = max(to[j], x)
				}
				continue
			}
			for j, x := range w.sums[fine*C : (fine+1)*C] {
				to[j] += x
			}
		}
		if p.Pooling == Mean {
			for c, size := range p.size {
				s := 1 / float32(size)
				for j := range C {
					out[c*C+j] *= s
				}
			}
		}
	}
}

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
