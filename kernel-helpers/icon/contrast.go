package icon

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/option"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/ui/progress"
)

// ContrastOptions configures FitContrast. Height and Width are required; the zero value of
// any other field means its default.
type ContrastOptions struct {
	Height, Width int
	Hidden        int     // units of the first layer. 0: 256
	Features      int     // units of the second layer, which are the features. 0 means 128
	Projection    int     // outputs of the projection head. 0: 32
	Batch         int     // images per batch, with two views of each image. 0 means 128
	Steps         int     // 0: 300
	Rate          float64 // initial step size of Adam, which falls to 0 along a half cosine. 0 means 0.002
	Temperature   float64 // τ of the cosine kernel. 0: 0.3
	Augment       Augment // the zero value: Digits(Height)
	Seed          uint64
	// Recorder receives an event for each step. It may be nil.
	Recorder progress.Recorder
}

// A ContrastResult is a network trained by SimCLR.
type ContrastResult struct {
	Net     *Encoder
	History []Step // one Step for each batch
	Status  ended.Status
}

// String returns a one-line summary.
func (r *ContrastResult) String() string {
	return fmt.Sprintf("encoder after %d batches (%v)", len(r.History), r.Status)
}

// FitContrast trains a network on images (n×(h·w)) without labels, by SimCLR: each step draws a batch, makes
// two random views of each image, and performs a descent step on SimCLR's loss for the views.
func FitContrast(ctx context.Context, images mat.Matrix, options *ContrastOptions) (*ContrastResult, error) {
	var opt ContrastOptions
	if options != nil {
		opt = *options
	}
	if ctx == nil {
		ctx = context.Background()
	}
	X, err := finite.Dense("images", images)
	if err != nil {
		return nil, fmt.Errorf("icon: FitContrast: %w", err)
	}
	n, d := X.Dims()
	if d != opt.Height*opt.Width {
		panic(fmt.Sprintf("icon: FitContrast: images is %d×%d, pictures of %d×%d", n, d, opt.Height, opt.Width))
	}
	if n < 2 {
		return nil, errors.New("icon: FitContrast: at least two images are needed")
	}
	for _, v := range []struct {
		at  *int
		def int
	}{{&opt.Hidden, 256}, {&opt.Features, 128}, {&opt.Projection, 32}, {&opt.Batch, 128}, {&opt.Steps, 300}} {
		if *v.at == 0 {
			*v.at = v.def
		}
		if *v.at < 0 {
			return nil, errors.New("icon: FitContrast: an option is negative")
		}
	}
	opt.Batch = min(opt.Batch, n)
	if opt.Rate == 0 {
		opt.Rate = 0.002
	}
	if opt.Temperature == 0 {
		opt.Temperature = 0.3
	}
	if !(opt.Rate > 0) || math.IsInf(opt.Rate, 1) || !(opt.Temperature > 0) || math.IsInf(opt.Temperature, 1) {
		return nil, fmt.Errorf("icon: FitContrast: Rate %v and Temperature %v must be positive and finite", opt.Rate, opt.Temperature)
	}
	if opt.Augment == (Augment{}) {
		opt.Augment = Digits(opt.Height)
	}
	r := &ContrastResult{Net: NewEncoder(opt.Seed, 1, d, opt.Hidden, opt.Features, opt.Projection), Status: ended.Done}
	rng := rand.New(rand.NewPCG(opt.Seed, 0xba7c4))
	adam := &tape.Adam{}
	t := tape.New()
	batch := mat.NewDense(opt.Batch, d, nil)
	var order []int
	for s := range opt.Steps {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("icon: FitContrast: %w", err)
		}
		if len(order) < opt.Batch { // start a new pass in a new order
			order = rng.Perm(n)
		}
		for b, i := range order[:opt.Batch] {
			batch.SetRow(b, X.RawRowView(i))
		}
		order = order[opt.Batch:]
		views := opt.Augment.Views(batch, opt.Height, opt.Width, rng.Uint64())
		t.Reset()
		var loss *tape.Value
		err := t.Until(ctx, func() {
			loss = SimCLR(views, r.Net, opt.Temperature).On(t)
			t.Backward(loss)
		})
		if err != nil {
			return nil, fmt.Errorf("icon: FitContrast: %w", err)
		}
		L, g := loss.Scalar(), tape.GradNorm(r.Net.Params())
		if math.IsNaN(L-L) || math.IsNaN(g-g) {
			return nil, fmt.Errorf("icon: FitContrast: step %d: loss %v: %w", s, L, ErrDiverged)
		}
		r.History = append(r.History, Step{L, g})
		progress.Report(opt.Recorder, progress.Event{What: "SimCLR", Step: s, Total: opt.Steps, Objective: L})
		adam.Rate = opt.Rate * (1 + math.Cos(math.Pi*float64(s)/float64(opt.Steps))) / 2
		adam.Step(r.Net.Params())
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("icon: FitContrast: %w", err)
	}
	return r, nil
}

// Transform returns the features of the rows of X (n×(h·w)): the outputs of the layer before the projection
// head.
func (r *ContrastResult) Transform(X mat.Matrix) *mat.Dense {
	D, err := finite.Dense("X", X)
	if err != nil {
		panic("icon: ContrastResult.Transform: " + err.Error())
	}
	return r.Net.Transform(D)
}

// An Augment bounds the random changes that turn an image into a view of the image. With the zero value, a view equals
// the image. Digits returns the usual values.
type Augment struct {
	Shift    float64 // largest shift along each axis, in pixels
	Rotation float64 // largest rotation, in radians
	Scale    float64 // largest change of size: 0.1 means a factor from 1/1.1 to 1.1
	Noise    float64 // standard deviation of noise added to each pixel
}

// Digits returns the usual Augment for pictures of digits, h pixels high and wide.
func Digits(h int) Augment {
	return Augment{Shift: 0.1 * float64(h), Rotation: 0.26, Scale: 0.2, Noise: 0.05}
}

// apply writes a random view of the image (h×w) to dst. Pixels outside the image are 0.
func (a Augment) apply(dst, image []float64, h, w int, rng *rand.Rand) {
	uniform := func() float64 { return 2*rng.Float64() - 1 }
	sin, cos := math.Sincos(a.Rotation * uniform())
	scale := math.Exp(math.Log1p(a.Scale) * uniform())
	dy, dx := a.Shift*uniform(), a.Shift*uniform()
	cy, cx := float64(h-1)/2, float64(w-1)/2
	at := func(y, x int) float64 {
		if y < 0 || x < 0 || y >= h || x >= w {
			return 0
		}
		return image[y*w+x]
	}
	for y := range h {
		for x := range w {
			// (u, v) is the point of the image that maps to this pixel. Interpolate bilinearly at this point.
			v, u := (float64(y)-cy-dy)/scale, (float64(x)-cx-dx)/scale
			sy, sx := cos*v-sin*u+cy, sin*v+cos*u+cx
			fy, fx := math.Floor(sy), math.Floor(sx)
			iy, ix := int(fy), int(fx)
			fy, fx = sy-fy, sx-fx
			p := (1-fy)*((1-fx)*at(iy, ix)+fx*at(iy, ix+1)) + fy*((1-fx)*at(iy+1, ix)+fx*at(iy+1, ix+1))
			if a.Noise > 0 {
				p += a.Noise * rng.NormFloat64()
			}
			dst[y*w+x] = p
		}
	}
}

// Views returns two random views of each row of X (n×(h·w)): rows i and i+n of the result (2n×(h·w)) are
// views of row i. The random changes depend only on the seed and the row number.
func (a Augment) Views(X mat.Matrix, h, w int, seed uint64) *mat.Dense {
	D := given.Dense("icon: Augment.Views", "X", X)
	n, d := D.Dims()
	if d != h*w {
		panic(fmt.Sprintf("icon: Views: X is %d×%d, pictures of %d×%d", n, d, h, w))
	}
	if err := option.Check("icon: Views", option.NotNegative("Shift", float64(a.Shift)), option.NotNegative("Rotation", a.Rotation), option.NotNegative("Scale", a.Scale), option.NotNegative("Noise", a.Noise)); err != nil {
		panic(err.Error())
	}
	V := mat.NewDense(2*n, d, nil)
	eachRow(2*n, func(i int) {
		a.apply(V.RawRowView(i), D.RawRowView(i%n), h, w, rand.New(rand.NewPCG(seed, uint64(i))))
	})
	return V
}
