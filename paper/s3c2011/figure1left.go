package s3c2011

import (
	"fmt"
	"math"
	"slices"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/paper/record"
)

// Figure1Left draws the left half of the paper's figure 1: the energy functional of a batch of patches during the E
// step.
func (l *Lab) Figure1Left() *figure.Grid {
	f := &figure1Left{sharedLab: &l.sharedLab, n: l.Pick(100, 500, 5000)}
	eachUpdate(l.Context(), l.Model(), l.HeldOut(f.n), s3c.DefaultSchedule(), f.see)
	g := f.plot()
	f.rows()
	return g
}

// A figure1Left holds the measurements for figure 1 (left).
type figure1Left struct {
	*sharedLab
	n                  int       // patches
	x, average, lo, hi []float64 // update; mean energy after it; bounds of the middle 80 % of energies
	at, share          []float64 // update; percentage of patches whose energy it raised
	before             []float64 // energies before the update
	raisedMean, raised int       // how often an update raised the mean energy, or the energy of a patch
}

// see is called by eachUpdate before the first update and after each update, and records the energies e of the patches.
// updates is the number of updates so far.
func (f *figure1Left) see(updates int, _ *s3c.Posterior, e []float64) {
	f.x, f.average = append(f.x, float64(updates)), append(f.average, mean(e))
	if f.before != nil {
		up := 0
		for k, energy := range e {
			if energy > f.before[k] {
				up++
			}
		}
		f.raised += up
		f.at, f.share = append(f.at, float64(updates)), append(f.share, 100*float64(up)/float64(f.n))
		if f.average[updates] > f.average[updates-1] {
			f.raisedMean++
		}
	}
	f.before = e
	s := slices.Sorted(slices.Values(e))
	f.lo, f.hi = append(f.lo, s[f.n/10]), append(f.hi, s[f.n-1-f.n/10])
}

func (f *figure1Left) plot() *figure.Grid {
	a := figure.New(fmt.Sprintf("Energy functional, %d patches", f.n), "update", "nats per patch")
	a.Band(f.x, f.lo, f.hi).Marked("mean", f.x, f.average).WholeX()
	b := figure.New("Patches whose energy rises", "update", "% of patches").Marked("", f.at, f.share).WholeX()
	b.Y.Min, b.Y.Max = math.Min(b.Y.Min, 90), 100.5
	g := figure.NewGrid("The E step", 2, a, b).Size(3.8, 3)
	f.Save("figure1-left", fmt.Sprintf("Left, as in the paper's figure 1 (left): mean energy of the batch before the E step and after each update; the band covers the middle 80 %% of the patches. Right: percentage of patches whose energy each update raises. Patches of test images, model with %d units. Data: %v.", f.Settings().Units, f.Photographs().Data), g)
	return g
}

func (f *figure1Left) rows() {
	p, average, updates := f.Photographs(), f.average, len(f.at)
	gain := average[updates] - average[0]
	f.Claim(record.Row{
		ID: "figure1-left", What: fmt.Sprintf("a batch of %d patches: mean energy after the E step minus that before it", f.n),
		Published: record.Text("The energy functional of a batch of 5000 image patches increases during the E-step.", "figure 1 (left)"),
		Measured:  record.Number(gain, "nats a patch"), Rule: record.AtLeast(1), Data: p.Data, Figure: "figure1-left", Repeat: 0.01,
		Reason: fmt.Sprintf("from %.2f to %.2f", average[0], average[updates]),
	})
	f.Row(record.Row{
		ID: "figure1-left-monotone", What: fmt.Sprintf("the same batch: number of the %d updates that raise its mean energy", updates),
		Measured: record.Number(float64(f.raisedMean), ""), Rule: record.AtLeast(float64(updates)), Data: p.Data, Figure: "figure1-left",
		Reason: "not guaranteed for parallel updates",
	})
	f.Row(record.Row{
		ID: "figure1-left-patches", What: "the same batch: share of updates, counted per patch, that raise the energy of the patch",
		Measured: record.Number(100*float64(f.raised)/float64(updates*f.n), "%"), Rule: record.AtLeast(90), Data: p.Data, Figure: "figure1-left", Repeat: 0.5,
		Reason: fmt.Sprintf("lowest at update %.0f: %.1f %%", f.at[slices.Index(f.share, slices.Min(f.share))], slices.Min(f.share)),
	})
}
