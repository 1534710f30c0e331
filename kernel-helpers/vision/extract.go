package vision

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/features"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/ui/progress"
)

// A Pooling specifies how the features at all positions in a cell, a rectangle of the image, are combined into one
// number per channel.
type Pooling int

const (
	// Mean is the mean of the features.
	Mean Pooling = iota
	// Sum is the sum of the features, as in Coates and Ng.
	Sum
	// Max is the largest feature.
	Max
)

// String returns the name of the pooling.
func (p Pooling) String() string {
	switch p {
	case Mean:
		return "mean"
	case Sum:
		return "sum"
	case Max:
		return "max"
	}
	return fmt.Sprintf("Pooling(%d)", int(p))
}

// ExtractOptions are the options of ExtractShards, ShardsLayout, ExtractFeatures and PoolMaps. With the zero value,
// each feature is the mean over one quadrant of an image. ExtractShards also needs Folder.
type ExtractOptions struct {
	// Grid is the number of cells along each side over which features are pooled. 0 means 2.
	Grid    int
	Pooling Pooling
	// Pools lists several ways to pool the same features of patches. The results are concatenated in the image's row.
	// Encoding is nearly all of the work, so several pools cost about as much as a single pool. nil means a single
	// pool, which Grid and Pooling describe. If Pools is given, Grid and Pooling must be 0.
	Pools []Pool
	// Block is the number of patches that are encoded at a time. 0 means 128.
	Block int
	// Workers is the number of images processed in parallel. 0 means GOMAXPROCS. Results do not depend on it.
	Workers int

	// The fields below are for ExtractShards only. Files are written to Folder, in the given Format, with ShardRows
	// images each (0: 1000).
	Folder    string
	Format    features.Format
	ShardRows int
	// Shards lists the shards to make, if several machines share the work (see features.Layout.Part). nil means all.
	Shards []int
	// Recorder receives an event for each shard. May be nil.
	Recorder progress.Recorder
}

func (o ExtractOptions) withDefaults() ExtractOptions {
	if o.Grid == 0 && o.Pools == nil {
		o.Grid = 2
	}
	if o.Block == 0 {
		o.Block = 128
	}
	return o
}

// An extractor holds everything that the features of an image depend on.
type extractor struct {
	im      *Images
	w       *Whitening
	e       Encoder
	opt     ExtractOptions
	side    int
	across  int   // positions along a row
	down    int   // rows of positions
	cell    []int // cell of each position, row by row
	size    []int // number of positions of each cell
	columns int
	pools   []placedPool // nil means cell and size describe the cells of Grid; otherwise the fine cells (see pool.go)
}

func newExtractor(im *Images, w *Whitening, e Encoder, opt ExtractOptions) (*extractor, error) {
	opt = opt.withDefaults()
	side := int(math.Round(math.Sqrt(float64(w.Dim() / im.Channels))))
	switch {
	case im.Channels*side*side != w.Dim():
		return nil, fmt.Errorf("patches of %d values are not squares of %d planes", w.Dim(), im.Channels)
	case e.Dim() != w.Dim():
		return nil, fmt.Errorf("the whitening is for patches of %d values, the encoder for %d", w.Dim(), e.Dim())
	case side > im.Height || side > im.Width:
		return nil, fmt.Errorf("patches of %d×%d in images of %d×%d", side, side, im.Height, im.Width)
	case opt.Block < 0:
		return nil, fmt.Errorf("blocks of %d patches", opt.Block)
	}
	x := &extractor{im: im, w: w, e: e, opt: opt, side: side, across: im.Width - side + 1, down: im.Height - side + 1}
	return x, x.pool()
}

// A summer is an encoder that can add the features of n patches directly to the sums of the cells over which they are
// pooled, instead of returning the features. cell[i] is the cell of patch i.
type summer interface {
	add(ctx context.Context, sums []float32, cell []int, X []float32, n int) error
}

// A contextSummer is a PatchEncoder that can do what a summer does, for instance the encoder of a spike-and-slab model
// (S3C), which computes the sums on the device that encodes.
type contextSummer interface {
	AddContext(ctx context.Context, sums []float32, cell []int, X []float32, n int) error
}

// An adder makes a summer of a contextSummer.
type adder struct{ contextSummer }

func (a adder) add(ctx context.Context, sums []float32, cell []int, X []float32, n int) error {
	return a.AddContext(ctx, sums, cell, X, n)
}

// summerOf returns e as a summer, or nil if e is not a summer.
func summerOf(e Encoder) summer {
	switch e := e.(type) {
	case *patchEncoder:
		if c, ok := e.PatchEncoder.(contextSummer); ok {
			return adder{c}
		}
	case summer:
		return e
	}
	return nil
}

// A worker holds one goroutine's encoder and buffers.
type worker struct {
	*extractor
	e                Encoder
	summer           summer    // nil if e is none, or if there are several pools
	raw, work, white []float32 // block×D
	f                []float32 // block×C
	sums, most       []float32 // cells×C, nil if no pool in pools needs them
}

func (x *extractor) worker() *worker {
	b, d := x.opt.Block, x.w.Dim()
	w := &worker{extractor: x, e: x.e.Copy(), raw: make([]float32, b*d), work: make([]float32, b*d), white: make([]float32, b*d)}
	if x.pools == nil {
		w.summer = summerOf(w.e)
	}
	if w.summer == nil {
		w.f = make([]float32, b*x.e.Channels())
	}
	w.remember()
	return w
}

// image stores the pooled features of image k in dst, cell by cell, with the channels of each cell together.
// It encodes one block of positions at a time.
func (w *worker) image(ctx context.Context, dst []float32, k int) error {
	d, C := w.w.Dim(), w.e.Channels()
	clear(dst)
	w.forget()
	total := w.down * w.across
	for from := 0; from < total; from += w.opt.Block {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(w.opt.Block, total-from)
		for i := range n {
			p := from + i
			w.im.window(w.raw[i*d:(i+1)*d], k, p/w.across, p%w.across, w.side)
		}
		x := w.white[:n*d]
		w.w.apply(x, w.raw[:n*d], w.work[:n*d], n)
		if w.summer != nil {
			if err := w.summer.add(ctx, dst, w.cell[from:from+n], x, n); err != nil {
				return err
			}
			continue
		}
		f := w.f[:n*C]
		if err := encode(ctx, w.e, f, x, n); err != nil {
			return err
		}
		if w.pools != nil {
			w.gather(f, w.cell[from:from+n])
			continue
		}
		for i := range n {
			sum := dst[w.cell[from+i]*C:][:C]
			for j, v := range f[i*C : (i+1)*C] {
				sum[j] += v
			}
		}
	}
	switch {
	case w.pools != nil:
		w.spread(dst)
	case w.opt.Pooling == Mean:
		for c, size := range w.size {
			s := 1 / float32(size)
			for j := range C {
				dst[c*C+j] *= s
			}
		}
	}
	if j := finite.Index(dst); j >= 0 {
		return fmt.Errorf("feature %d of image %d is %v", j, k, dst[j])
	}
	return nil
}

// rows stores the features of the images [from, to) in dst.
func (x *extractor) rows(ctx context.Context, dst []float32, from, to int) error {
	pool := make(chan *worker, to-from)
	errs := make([]error, to-from)
	parallel.Do(to-from, x.opt.Workers, func(i int) {
		if errs[i] = ctx.Err(); errs[i] != nil {
			return
		}
		var w *worker
		select {
		case w = <-pool:
		default:
			w = x.worker()
		}
		errs[i] = w.image(ctx, dst[i*x.columns:(i+1)*x.columns], from+i)
		pool <- w
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// dependencies returns a description of everything that features depend on: the images, the whitening, the encoder and
// the pooling. ExtractShards stores this description in its files.
func (x *extractor) dependencies() string {
	return fmt.Sprintf("%v; %v; %v; patches of %d×%d at every position, %s", x.im, x.w, x.e, x.side, x.side, x.opt.pooling())
}

func (x *extractor) layout() features.Layout {
	return features.Layout{Rows: x.im.Len(), Cols: x.columns, ShardRows: x.opt.ShardRows, Format: x.opt.Format, Depends: x.dependencies()}
}

// ExtractShards computes the features of all images. Each patch of an image, at every position, is whitened and
// encoded, and the features are pooled over a grid of cells. The result is a matrix with one row per image. The
// features in a row are ordered by pool (if Pools is given), then by cell (row by row), then by channel.
//
// The rows are written to options.Folder in files called shards, each with the rows of some of the images. Shards that
// exist already are kept, unless they are damaged. features.OpenShards opens the shards as one matrix.
func ExtractShards(ctx context.Context, im *Images, w *Whitening, e Encoder, options *ExtractOptions) (*features.Report, error) {
	var opt ExtractOptions
	if options != nil {
		opt = *options
	}
	if ctx == nil {
		ctx = context.Background()
	}
	given.Args("vision: ExtractShards", "im", im, "w", w, "e", e)
	x, err := newExtractor(im, w, e, opt)
	if err == nil && opt.Folder == "" {
		err = fmt.Errorf("no Folder is given")
	}
	var r *features.Report
	if err == nil {
		r, err = features.BuildShards(ctx, opt.Folder, x.layout(), func(dst []float32, from, to int) error { return x.rows(ctx, dst, from, to) }, &features.BuildOptions{Shards: opt.Shards, Recorder: opt.Recorder})
	}
	if err != nil {
		return r, fmt.Errorf("vision: ExtractShards: %w", err)
	}
	return r, nil
}

// ShardsLayout returns the layout of the files that ExtractShards writes with the same arguments. If several machines
// share the work, the layout's method Part returns the shards for each machine. The layout's field Depends tells
// features.OpenShards which matrix to open if a folder has shards of several matrices.
func ShardsLayout(im *Images, w *Whitening, e Encoder, options *ExtractOptions) (features.Layout, error) {
	var opt ExtractOptions
	if options != nil {
		opt = *options
	}
	given.Args("vision: ShardsLayout", "im", im, "w", w, "e", e)
	x, err := newExtractor(im, w, e, opt)
	if err != nil {
		return features.Layout{}, fmt.Errorf("vision: ShardsLayout: %w", err)
	}
	return x.layout(), nil
}

// ExtractFeatures returns the features of all images as a matrix (images × features). Each feature takes 12 bytes
// while the features are copied to float64, and 8 bytes afterwards.
func ExtractFeatures(ctx context.Context, im *Images, w *Whitening, e Encoder, options *ExtractOptions) (*mat.Dense, error) {
	var opt ExtractOptions
	if options != nil {
		opt = *options
	}
	if ctx == nil {
		ctx = context.Background()
	}
	given.Args("vision: ExtractFeatures", "im", im, "w", w, "e", e)
	x, err := newExtractor(im, w, e, opt)
	if err != nil {
		return nil, fmt.Errorf("vision: ExtractFeatures: %w", err)
	}
	n := im.Len()
	if err := ram.Check(fmt.Sprintf("%d features of %d images", x.columns, n), 12*float64(n)*float64(x.columns)); err != nil {
		return nil, fmt.Errorf("vision: ExtractFeatures: %w: package features keeps them on disk", err)
	}
	f := make([]float32, n*x.columns)
	if err := x.rows(ctx, f, 0, n); err != nil {
		return nil, fmt.Errorf("vision: ExtractFeatures: %w", err)
	}
	M := mat.NewDense(n, x.columns, nil)
	for k, v := range f {
		M.RawMatrix().Data[k] = float64(v)
	}
	return M, nil
}
