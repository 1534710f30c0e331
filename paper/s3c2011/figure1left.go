package s3c2011

import (
	"fmt"
	"math"
	"slices"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/paper/record"
)

// Figure1Left draws the energy functional of a batch of patches during the E step,
// which is the left half of the paper's figure.
func (l *Lab) Figure1Left() *figure.Grid {
	m, V := l.Model(), l.HeldOut(l.Pick(100, 500, 5000))
	n, _ := V.Dims()
	var x, average, lo, hi []float64 // by update; lo and hi bound the middle 80 %
	var at, share []float64          // share of patches with an energy raised by the update, %
	var before []float64
	raisedMean, raised := 0, 0
	eachUpdate(l.Context(), m, V, s3c.DefaultSchedule(), func(made int, _ *s3c.Posterior, e []float64) {
		x, average = append(x, float64(made)), append(average, mean(e))
		if before != nil {
			up := 0
			for k, f := range e {
				if f > before[k] {
					up++
				}
			}
			raised += up
			at, share = append(at, float64(made)), append(share, 100*float64(up)/float64(n))
			if average[made] > average[made-1] {
				raisedMean++
			}
		}
		before = e
		s := slices.Clone(e)
		slices.Sort(s)
		lo, hi = append(lo, s[n/10]), append(hi, s[n-1-n/10])
	})
	updates := len(at)
	a := figure.New(fmt.Sprintf("Energy functional, %d patches", n), "update", "nats a patch")
	a.Band(x, lo, hi).Marked("mean", x, average).WholeX()
	b := figure.New("Patches that gain by the update", "update", "%").Marked("", at, share).WholeX()
	b.Y.Min, b.Y.Max = math.Min(b.Y.Min, 90), 100.5
	g := figure.NewGrid("The E step", 2, a, b).Size(3.8, 3)
	p := l.Photographs()
	l.Save("figure1-left", fmt.Sprintf("Left, as in the paper's figure 1 (left): the mean over the batch, before the E step and after each update; the band holds the middle 80 %% of the patches. Right, of how many patches each update raises the energy. Patches of test images, model of %d units. Data: %v.", l.Settings().Units, p.Data), g)

	gain := average[updates] - average[0]
	l.Claim(record.Row{
		ID: "figure1-left", What: fmt.Sprintf("a batch of %d patches: mean energy after the E step less that before", n),
		Published: record.Text("The energy functional of a batch of 5000 image patches increases during the E-step.", "figure 1 (left)"),
		Measured:  record.Number(gain, "nats a patch"), Rule: record.AtLeast(1), Data: p.Data, Figure: "figure1-left", Repeat: 0.01,
		Reason: fmt.Sprintf("from %.2f to %.2f", average[0], average[updates]),
	})
	l.Row(record.Row{
		ID: "figure1-left-monotone", What: fmt.Sprintf("the same batch: updates, of %d, that raise its mean energy", updates),
		Measured: record.Number(float64(raisedMean), ""), Rule: record.AtLeast(float64(updates)), Data: p.Data, Figure: "figure1-left",
		Reason: "nothing guarantees it for updates in parallel",
	})
	l.Row(record.Row{
		ID: "figure1-left-patches", What: "the same batch: share of updates, patch by patch, that raise the energy of the patch",
		Measured: record.Number(100*float64(raised)/float64(updates*n), "%"), Rule: record.AtLeast(90), Data: p.Data, Figure: "figure1-left", Repeat: 0.5,
		Reason: fmt.Sprintf("least at update %.0f: %.1f %%", at[slices.Index(share, minimum(share))], minimum(share)),
	})
	return g
}
