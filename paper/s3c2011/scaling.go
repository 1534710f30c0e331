package s3c2011

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// A ScalingLine holds the cost of training with one number of units.
type ScalingLine struct {
	Units   int
	Step    float64 // median seconds for a batch of 100 patches
	Million float64 // hours for a million patches, at that rate
	MB      float64 // memory in use after the last step, for all data of the training
}

// Scaling measures how the time and the memory of training grow with the number of units, and how the memory grows
// with the number of patches. Memory should hardly depend on the latter, because patches are drawn from the images one
// batch at a time.
func (l *Lab) Scaling() []ScalingLine { return scaling{&l.learner}.run() }

// scaling is a learner with the methods of the experiment Scaling.
type scaling struct{ *learner }

func (s scaling) run() []ScalingLine {
	top := 4 * 400
	switch s.Size {
	case record.Smoke:
		top = 40
	case record.Lecture:
		top = 400
	case record.Full:
		top = 3200
	}
	steps := s.Pick(3, 7, 9)
	var lines []ScalingLine
	for n := top; n >= max(20, top/16); n /= 2 {
		lines = append(lines, s.trainFor(n, steps))
	}
	slices.Reverse(lines)
	first, last := lines[0], lines[len(lines)-1]
	p := s.Photographs()
	row := record.Row{ID: "thousands-on-millions", What: fmt.Sprintf("hours to train %d units on a million patches, extrapolated from %d batches of 100", top, steps),
		Published: record.Text("an inference scheme that scales to the kinds of object classifications tasks that we consider, which require training thousands of bases on millions of examples", "section 'The S3C model'"),
		Data:      record.Times(p.Data)}
	if why := s.smaller(); why != "" {
		row.Rule = record.NoData("thousands of bases are not trained at this size: " + why)
	} else {
		row.Measured, row.Rule, row.Repeat = record.Number(last.Million, "hours"), record.AtMost(24), 1e4
		row.Reason = fmt.Sprintf("the bound of one day was set before the measurement; %.3g s per batch, %d processors, %.3g MB", last.Step, runtime.GOMAXPROCS(0), last.MB)
	}
	s.Claim(row)
	if s.Size != record.Smoke { // with forty units most of the time is overhead
		power := math.Log(last.Step/first.Step) / math.Log(float64(last.Units)/float64(first.Units))
		s.Row(record.Row{ID: "scaling-units", What: fmt.Sprintf("exponent of a power law for time per batch against number of units, from %d to %d units", first.Units, last.Units),
			Measured: record.Number(power, ""), Rule: record.Between(0.5, 1.5), Repeat: 1e4, Data: record.Times(p.Data),
			Reason: fmt.Sprintf("%.3g and %.3g s; an update takes four products with a D×N matrix per patch", first.Step, last.Step)})
	}
	few, many := s.trainFor(first.Units, steps), s.trainFor(first.Units, 8*steps)
	s.Row(record.Row{ID: "scaling-patches", What: fmt.Sprintf("%d units: memory in use after %d patches divided by that after %d", first.Units, 800*steps, 100*steps),
		Measured: record.Number(many.MB/few.MB, "times"), Rule: record.AtMost(1.5), Repeat: 1e4, Data: record.Times(p.Data),
		Reason: fmt.Sprintf("%.3g and %.3g MB; only the training history grows, by nine numbers per batch", many.MB, few.MB)})
	return lines
}

// trainFor trains a model with n units for the given number of steps, and returns the time and the memory that this
// takes.
func (s scaling) trainFor(n, steps int) ScalingLine {
	src := vision.NewSource(s.Photographs().Unlabelled, side, s.Whitening(), s.Seed)
	inUse := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // collect twice, because one collection keeps pooled memory
		runtime.ReadMemStats(&m)
		return 1e-6 * float64(m.HeapAlloc)
	}
	defer gemm.Serial()() // blocks of patches run in parallel
	before := inUse()
	line := ScalingLine{Units: n}
	var took []float64
	last := time.Now()
	_, err := s3c.Fit(s.Context(), src, &s3c.Options{Units: n, Steps: steps, Callback: func(st *s3c.State) error {
		took = append(took, time.Since(last).Seconds())
		if st.Step == steps {
			line.MB = max(0.1, inUse()-before) // other memory may have been freed
		}
		last = time.Now()
		return nil
	}})
	lab.Check(err)
	line.Step = median(took[1:]) // skip the first step, which includes drawing W
	line.Million = line.Step * 1e6 / 100 / 3600
	return line
}
