package lewicki

import (
	"context"
	"fmt"
	"slices"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/ica"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/lab"
)

// RecoveryOptions describes a recovery experiment with 2 mixtures. For each of many seeds, the experiment draws a true
// basis and data, learns a basis from the data, beginning at random starts, and compares the learned basis with the
// true one. Zero fields mean the defaults.
type RecoveryOptions struct {
	N       int        // sources; 0 means 3
	Samples int        // 0 means 1000
	Source  ica.Source // nil means BernoulliLaplacian{P: 0.3}
	Noise   float64
	Seeds   int    // number of trials; 0 means 50
	First   uint64 // seed of the first trial; the others follow
	// Restarts controls learning, which uses basis pursuit. The field Restarts.Seed is ignored, because each trial has
	// its own seed. A Fit.Scale of 0 means the source's mean absolute value. The scale is the unit of the columns'
	// norms and hardly affects their directions.
	Restarts *ica.RestartOptions
}

// String describes, in words, the data that the options specify.
func (o RecoveryOptions) String() string {
	s := fmt.Sprintf("2 of %d, %v, noise %g", o.N, o.Source, o.Noise)
	if o.Samples != 1000 {
		s += fmt.Sprintf(", %d samples", o.Samples)
	}
	return s
}

// RecoveryResult is the outcome of a recovery experiment.
type RecoveryResult struct {
	Options     RecoveryOptions // with the defaults filled in
	Worst       []float64       // worst angle in degrees of each trial, by seed; 90 if it diverged
	Success     float64         // share of trials with Worst below 5 degrees
	MedianWorst float64
}

// Recover runs a recovery experiment. The columns of a true basis are at least 60/N degrees apart, a third of the
// spacing of evenly spread lines. No method could distinguish two nearly parallel columns. Trials run in parallel;
// each depends only on its seed, so the result does not depend on their order. Recover panics on an error, like all
// experiments.
func Recover(ctx context.Context, opt RecoveryOptions) *RecoveryResult {
	if opt.N == 0 {
		opt.N = 3
	}
	if opt.Samples == 0 {
		opt.Samples = 1000
	}
	if opt.Source == nil {
		opt.Source = ica.BernoulliLaplacian{P: 0.3}
	}
	if opt.Seeds == 0 {
		opt.Seeds = 50
	}
	r := &RecoveryResult{Options: opt, Worst: make([]float64, opt.Seeds)}
	lab.Parallel(ctx, opt.Seeds, func(k int) { r.Worst[k] = opt.trial(ctx, opt.First+uint64(k)) })
	for _, v := range r.Worst {
		if v < threshold {
			r.Success++
		}
	}
	r.Success /= float64(opt.Seeds)
	r.MedianWorst = median(r.Worst)
	return r
}

// trial learns one basis and returns its worst angle in degrees.
func (o RecoveryOptions) trial(ctx context.Context, seed uint64) float64 {
	truth := must.Get(ica.RandomBasisApart(2, o.N, 60/float64(o.N), seed))
	mix := ica.NewMixture(truth, o.Source, o.Samples, o.Noise, seed)
	var restarts ica.RestartOptions
	if o.Restarts != nil {
		restarts = *o.Restarts
	}
	var fit ica.FitOptions
	if restarts.Fit != nil {
		fit = *restarts.Fit
	}
	if fit.Scale == 0 {
		fit.Scale = o.Source.MeanAbs()
	}
	fit.RecordEvery, fit.Infer = -1, &ica.InferOptions{Workers: 1}
	restarts.Fit, restarts.Seed = &fit, seed
	r := must.Get(ica.FitRestarts(ctx, mix.X, o.N, &restarts))
	if r.Status == ended.Diverged {
		return 90
	}
	return ica.Match(truth, r.A).Worst
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}
