package vision

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/internal/parallel"
)

// LeavesOptions are the options of NewLeaves. In each field zero means the default.
type LeavesOptions struct {
	N       int // images. 0: 1000
	Classes int // 2 to 10. 0: 10
	Seed    uint64
}

// NewLeaves returns generated color images of 32×32 pixels and their classes, for use where no photographs are
// available. The images are dead leaves (package synth) in random colors. The classes differ in the size and elongation
// of the leaves, not in color, and they overlap. Results on these images say nothing about results on photographs.
func NewLeaves(ctx context.Context, options *LeavesOptions) (*Images, []int, error) {
	var opt LeavesOptions
	if options != nil {
		opt = *options
	}
	if opt.N == 0 {
		opt.N = 1000
	}
	if opt.Classes == 0 {
		opt.Classes = 10
	}
	if opt.N < 0 || opt.Classes < 2 || opt.Classes > 10 {
		return nil, nil, fmt.Errorf("vision: NewLeaves: %d images of %d classes; need 2 to 10 classes", opt.N, opt.Classes)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	const side = 32
	pixels, labels := make([]uint8, opt.N*3*side*side), make([]int, opt.N)
	errs := make([]error, opt.N)
	parallel.Do(opt.N, 0, func(i int) {
		if errs[i] = ctx.Err(); errs[i] != nil {
			return
		}
		rng := rand.New(rand.NewPCG(opt.Seed, uint64(i)))
		class := rng.IntN(opt.Classes)
		labels[i] = class
		radius := []float64{1, 1.7, 2.9, 4.9, 8.3}[class%5]
		l, err := synth.DeadLeaves(synth.LeavesOptions{Size: side,
			RMin:       radius,
			RMax:       4 * radius,
			Elongation: []float64{1, 8}[class/5],
			Seed:       rng.Uint64()})
		if err != nil {
			errs[i] = err
			return
		}
		// A gray value identifies a leaf. Each color plane maps it by a different sine.
		var slope, phase [3]float64
		for c := range 3 {
			slope[c], phase[c] = 1+2*rng.Float64(), 2*math.Pi*rng.Float64()
		}
		for c := range 3 {
			for p := range side * side {
				g := l.Image.At(p/side, p%side)
				v := 0.5 + 0.35*math.Sin(2*math.Pi*slope[c]*g*0.4+phase[c]) + 0.02*rng.NormFloat64()
				pixels[(i*3+c)*side*side+p] = uint8(math.Round(255 * math.Max(0, math.Min(1, v))))
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, nil, fmt.Errorf("vision: NewLeaves: %w", err)
		}
	}
	return NewImages(pixels, 3, side, side), labels, nil
}
