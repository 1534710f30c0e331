// Package s3cplot draws what package s3c trains and infers.
//
//	r, err := s3c.Fit(ctx, src, &s3c.Options{Units: 400, Steps: 2000})
//	s3cplot.Training(r.State)
//	s3cplot.Filters(r.Model, 6, 6, &s3cplot.TileOptions{Color: true, Use: r.State.Use})
package s3cplot

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gallery"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/s3c"
)

// Training draws the mean energy of each batch, and its mean over the last hundred
// batches, against the step.
func Training(s *s3c.State) *figure.Figure {
	given.Args("s3cplot: Training", "s", s)
	if s.Step == 0 {
		panic("s3cplot: Training: the state has no steps")
	}
	var x, y, smooth []float64
	for k, r := range s.History {
		x, y = append(x, float64(r.Step)), append(y, r.Energy)
		from := max(0, k-99)
		smooth = append(smooth, mean(y[from:]))
	}
	d, n := s.Model.Dims()
	return figure.New("Training", "step", "mean energy of a patch").
		Lines("batch", x, y).Lines("mean of the last 100", x, smooth).
		Note(fmt.Sprintf("%d units for patches of %d numbers. Each value is the energy functional after the E step, under the model from before the M step.", n, d))
}

// Sparsity draws the mean of ĥ in each batch, and σ of the mean bias, against the step.
func Sparsity(s *s3c.State) *figure.Figure {
	given.Args("s3cplot: Sparsity", "s", s)
	if s.Step == 0 {
		panic("s3cplot: Sparsity: the state has no steps")
	}
	var x, h, prior []float64
	for _, r := range s.History {
		x, h, prior = append(x, float64(r.Step)), append(h, r.H), append(prior, sigmoid(r.Bias))
	}
	return figure.New("Sparsity while training", "step", "mean of ĥ").
		Lines("E step", x, h).Lines("σ of the mean bias", x, prior).
		Note("The mean of ĥ over units and patches, and what the prior gives.")
}

// Inference draws the mean energy against the number of updates. It panics unless
// s3c.InferOptions.Trace was set.
func Inference(r *s3c.Inference) *figure.Figure {
	given.Args("s3cplot: Inference", "r", r)
	if len(r.Trace) == 0 {
		panic("s3cplot: Inference: no trace; set s3c.InferOptions.Trace")
	}
	var x []float64
	for k := range r.Trace {
		x = append(x, float64(k))
	}
	f := figure.New("The E step", "update", "mean energy of a patch").Marked("", x, r.Trace)
	return f.WholeX().Note(fmt.Sprintf("The energy functional of %d patches, before the E step and after each update.", len(r.Energy)))
}

// H draws the histogram of log₁₀ ĥ over units and patches.
func H(q *s3c.Posterior) *figure.Figure {
	given.Args("s3cplot: H", "q", q)
	var x []float64
	n, N := q.Logit.Dims()
	for k := range n {
		for _, t := range q.Logit.RawRowView(k) {
			x = append(x, logSigmoid(t)/math.Ln10)
		}
	}
	at, height := counts(x)
	return figure.New("How likely spikes are", "log10 ĥ", "count").Marked("", at, height).LogY().
		Note(fmt.Sprintf("ĥ of %d units for %d patches; 0 is a spike that is sure.", N, n))
}

// HS draws the histogram of ĥŝ over the units and patches with ĥ > 0.01.
func HS(q *s3c.Posterior) *figure.Figure {
	given.Args("s3cplot: HS", "q", q)
	var x []float64
	n, N := q.Logit.Dims()
	for k := range n {
		for i, t := range q.Logit.RawRowView(k) {
			if h := sigmoid(t); h > 0.01 {
				x = append(x, h*q.S.At(k, i))
			}
		}
	}
	if len(x) == 0 {
		panic("s3cplot: HS: no ĥ is above 0.01")
	}
	at, height := counts(x)
	return figure.New("Codes", "ĥŝ", "count").Marked("", at, height).LogY().
		Note(fmt.Sprintf("E[h s] of the units with ĥ > 0.01: %.3g of all %d units for %d patches.", float64(len(x))/float64(n*N), N, n))
}

// counts returns the centers of the bins of a histogram of x, and the counts in them. It leaves out empty bins,
// because a logarithmic axis cannot show 0.
func counts(x []float64) (at, height []float64) {
	lo, hi := slices.Min(x), slices.Max(x)
	const bins = 60
	if hi == lo {
		hi = lo + 1
	}
	count := make([]float64, bins)
	for _, v := range x {
		count[min(bins-1, int(bins*(v-lo)/(hi-lo)))]++
	}
	for k, c := range count {
		if c > 0 {
			at, height = append(at, lo+(float64(k)+0.5)*(hi-lo)/bins), append(height, c)
		}
	}
	return at, height
}

func mean(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += v
	}
	return s / float64(len(x))
}

// sigmoid returns 1/(1+e^−x). It is accurate even for very negative x.
func sigmoid(x float64) float64 {
	if e := math.Exp(-math.Abs(x)); x < 0 {
		return e / (1 + e)
	} else {
		return 1 / (1 + e)
	}
}

// logSigmoid returns log σ(x).
func logSigmoid(x float64) float64 { return -(max(-x, 0) + math.Log1p(math.Exp(-math.Abs(x)))) }

// TileOptions specify how patches are drawn as pictures. nil and the zero value mean the defaults.
type TileOptions struct {
	Title   string
	Columns int // the number of columns of the grid. 0 means 16.
	// Most is the maximum number of pictures shown. 0 means 128.
	Most int
	// Map is the matrix, (pixels)×D, that maps a patch linearly to its pixels. It is for patches in another space, for
	// instance whitened colors. nil means that the numbers of a patch are its pixels.
	Map mat.Matrix
	// Color says that a patch consists of three planes, red, green and blue, each h×w.
	Color bool
	// Use (N) is how much each unit is used. Filters are sorted by descending use; patches are not affected. nil means
	// that the filters keep their order.
	Use []float64
}

// orZero returns the options, or the zero value if o is nil.
func (o *TileOptions) orZero() TileOptions {
	if o == nil {
		return TileOptions{}
	}
	return *o
}

// Filters draws the columns of W as pictures of h rows and w columns. Each picture has its own range, with 0 as middle
// gray. With opt.Use, for instance s3c.State.Use after training, the most used filters come first.
func Filters(m *s3c.Model, h, w int, opt *TileOptions) *figure.Figure {
	given.Args("s3cplot: Filters", "m", m)
	o := opt.orZero()
	_, N := m.Dims()
	order := make([]int, N)
	for i := range order {
		order[i] = i
	}
	caption := "Columns of W"
	if o.Use != nil {
		if len(o.Use) != N {
			panic(fmt.Sprintf("s3cplot: Filters: Use has %d elements, W has %d columns", len(o.Use), N))
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(o.Use[j], o.Use[i]) })
		caption += ", those with the largest use first"
	}
	d, _ := m.Dims()
	X := mat.NewDense(N, d, nil)
	for k, i := range order {
		X.SetRow(k, mat.Col(nil, i, m.W))
	}
	if o.Title == "" {
		o.Title = "Filters"
	}
	return Tiles(X, h, w, &o, caption)
}

// Samples draws n samples of v from the model as pictures.
func Samples(m *s3c.Model, n int, seed uint64, h, w int, opt *TileOptions) (*figure.Figure, error) {
	o := opt.orZero()
	x, err := m.Sample(n, seed)
	if err != nil {
		return nil, err
	}
	if o.Title == "" {
		o.Title = "Samples"
	}
	return Tiles(x.V, h, w, &o, "Samples of the model"), nil
}

// Reconstructions draws the patches V (n×D) in rows of a grid, and below each row their reconstructions E_Q[W(h∘s)]. If
// V is noisy, the reconstructions have less noise.
func Reconstructions(m *s3c.Model, V mat.Matrix, q *s3c.Posterior, h, w int, opt *TileOptions) (*figure.Figure, error) {
	given.Args("s3cplot: Reconstructions", "q", q)
	o := opt.orZero()
	if err := m.Check(); err != nil {
		return nil, err
	}
	x, err := finite.Dense("V", V)
	if err != nil {
		return nil, fmt.Errorf("s3cplot: Reconstructions: %w", err)
	}
	n, d := x.Dims()
	D, N := m.Dims()
	if d != D {
		panic(fmt.Sprintf("s3cplot: Reconstructions: V is %d×%d, its rows must be patches of %d numbers", n, d, D))
	}
	for name, x := range map[string]*mat.Dense{"the posterior's Logit": q.Logit, "the posterior's S": q.S} {
		if _, err := finite.Dense(name, x); err != nil {
			return nil, fmt.Errorf("s3cplot: Reconstructions: %w", err)
		}
		if r, c := x.Dims(); r != n || c != N {
			panic(fmt.Sprintf("s3cplot: Reconstructions: %s is %d×%d, must be %d×%d", name, r, c, n, N))
		}
	}
	R := m.Inverse(q)
	if o.Columns == 0 {
		o.Columns = 16
	}
	n = min(n, o.Columns*max(1, n/o.Columns))
	columns := min(n, o.Columns)
	rows := n / columns
	both := mat.NewDense(2*rows*columns, d, nil)
	for k := range rows * columns {
		at := k/columns*2*columns + k%columns
		both.SetRow(at, x.RawRowView(k))
		both.SetRow(at+columns, R.RawRowView(k))
	}
	if o.Title == "" {
		o.Title = "Reconstructions"
	}
	return Tiles(both, h, w, &o, "In turn, a row of patches and a row of their reconstructions"), nil
}

// Tiles draws the rows of X as pictures of h rows and w columns. Each picture has its own range, with 0 as middle gray.
func Tiles(X mat.Matrix, h, w int, opt *TileOptions, caption string) *figure.Figure {
	given.Args("s3cplot: Tiles", "X", X)
	o := opt.orZero()
	n, d := X.Dims()
	pixels := h * w
	if o.Color {
		pixels *= 3
	}
	var P mat.Dense // n × pixels
	if o.Map != nil {
		r, c := o.Map.Dims()
		if r != pixels || c != d {
			panic(fmt.Sprintf("s3cplot: Tiles: Map is %d×%d, must be %d×%d", r, c, pixels, d))
		}
		P.Mul(X, o.Map.T())
	} else {
		if d != pixels {
			panic(fmt.Sprintf("s3cplot: Tiles: patches of %d numbers do not fit pictures of %d pixels; is a Map missing?", d, pixels))
		}
		P.CloneFrom(X)
	}
	if o.Columns == 0 {
		o.Columns = 16
	}
	if o.Most == 0 {
		o.Most = 128
	}
	if o.Most < n {
		caption = fmt.Sprintf("%d of %d: %s", o.Most, n, caption)
		n = o.Most
	}
	caption += ". Each has its own range; 0 is the middle grey."
	S := P.Slice(0, n, 0, pixels)
	if !o.Color {
		return gallery.Figure(S, h, w, &gallery.Options{Title: o.Title, Columns: o.Columns, Grays: gallery.PerTileSigned}).Note(caption)
	}
	img := paintColors(S, h, w, o.Columns)
	b := img.Bounds()
	f := figure.New(o.Title, "", "")
	f.HideAxes()
	f.X.Padding, f.Y.Padding = 0, 0
	f.Equal = true
	f.Add(plotter.NewImage(img, 0, 0, float64(b.Dx()), float64(b.Dy())))
	f.Width = 6
	f.Height = 6*float64(b.Dy())/float64(b.Dx()) + 0.45
	return f.Note(caption)
}

// paintColors paints the rows of X, each of which has a red, a green and a blue plane, as tiles with white lines
// between them. Each pixel is drawn as a block of pixels, so that viewers do not smooth it.
func paintColors(X mat.Matrix, h, w, columns int) *image.NRGBA {
	n, _ := X.Dims()
	columns = min(columns, n)
	rows := (n + columns - 1) / columns
	zoom := max(1, 1200/((w+1)*columns))
	img := image.NewNRGBA(image.Rect(0, 0, (columns*(w+1)+1)*zoom, (rows*(h+1)+1)*zoom))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	for k := range n {
		var top float64
		for p := range 3 * h * w {
			v := X.At(k, p)
			if !finite.Is(v) {
				panic(fmt.Sprintf("s3cplot: Tiles: pixel %d of picture %d is %v", p, k, v))
			}
			top = max(top, math.Abs(v))
		}
		x0, y0 := (k%columns)*(w+1)+1, (k/columns)*(h+1)+1
		for y := range h {
			for x := range w {
				var c [3]uint8
				for plane := range c {
					c[plane] = 128
					if top > 0 {
						c[plane] = uint8(math.Round(127.5 * (1 + X.At(k, (plane*h+y)*w+x)/top)))
					}
				}
				for dy := range zoom {
					for dx := range zoom {
						img.SetNRGBA((x0+x)*zoom+dx, (y0+y)*zoom+dy, color.NRGBA{c[0], c[1], c[2], 255})
					}
				}
			}
		}
	}
	return img
}
