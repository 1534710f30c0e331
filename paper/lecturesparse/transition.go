package lecturesparse

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/recovery"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// The grid of the phase diagram.
var (
	deltas = []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}
	rhos   = []float64{0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95}
)

// Transition measures how often min ‖w‖₁ finds a sparse w, for random atoms. In theory a line divides the cases in
// which min ‖w‖₁ succeeds from those in which it fails. Transition compares this line with the measured rates of
// success, which should be one half on the line.
func (l *Lab) Transition() *figure.Figure {
	n, draws := l.Pick(50, 120, 400), l.Pick(10, 25, 50)
	share := mat.NewDense(len(rhos), len(deltas), nil) // the row of largest ρ first, as in a plot
	lab.Parallel(l.Context(), len(rhos)*len(deltas), func(cell int) {
		i, j := cell/len(deltas), cell%len(deltas)
		d := int(math.Round(deltas[j] * float64(n)))
		k := max(1, int(math.Round(rhos[i]*float64(d))))
		share.Set(len(rhos)-1-i, j, l.success(n, d, k, draws, uint64(cell)))
	})
	data := record.Generated(fmt.Sprintf("random atoms, n = %d, %d draws for each cell", n, draws))
	for _, delta := range []float64{0.3, 0.5, 0.7} {
		l.halfRow(n, delta)
	}
	_, wrong := l.sides(share)
	// The transition has a width of order 1/√n, so cells next to the curve may be on either
	// side.
	l.Row(record.Row{
		ID: "transition-sides", What: "cells at least 0.1 from the curve in ρ whose share found is on the wrong side of one half",
		Published: donoho.Quote(transitionCurve, "the weak threshold"),
		Measured:  record.Number(float64(wrong), ""), Rule: record.AtMost(0), Data: data, Figure: "transition",
	})
	f := figure.HeatmapIn("Does min ‖w‖₁ find the truth?", share, 0, 1, figure.Sequential)
	var x, y []float64
	for delta := 0.06; delta < 0.945; delta += 0.01 {
		x = append(x, (delta-deltas[0])/0.1)
		y = append(y, (rhos[len(rhos)-1]-recovery.Transition(delta))/0.1)
	}
	f.Use(figure.Vermilion).Lines("theory", x, y)
	f.X.Label.Text, f.Y.Label.Text = "equations per unknown, δ = D/n", "nonzeros per equation, ρ = k/D"
	var xt, yt plot.ConstantTicks
	for j, v := range deltas {
		if j%2 == 0 {
			xt = append(xt, plot.Tick{Value: float64(j), Label: fmt.Sprint(v)})
		}
	}
	for i, v := range rhos {
		if i%2 == 0 {
			yt = append(yt, plot.Tick{Value: float64(len(rhos) - 1 - i), Label: fmt.Sprint(v)})
		}
	}
	f.X.Tick.Marker, f.Y.Tick.Marker = xt, yt
	l.Save("transition", fmt.Sprintf("Share of random sparse vectors that are found. Line: the transition predicted by theory for n → ∞. Data: %v.", data), f)
	return f
}

// success returns how often min ‖w‖₁ finds a random w with k nonzeros, as a share of the trials. The argument draws is
// a lower bound for the number of trials. The dictionary B (d×n) is random; a new one is drawn for every four trials.
func (l *Lab) success(n, d, k, draws int, stream uint64) float64 {
	const each = 4
	rng := rand.New(rand.NewPCG(l.Seed+3, stream))
	hits, all := 0, 0
	for all < draws {
		B := gaussian(rng, d, n)
		W := mat.NewDense(n, each, nil)
		for j := range each {
			W.SetCol(j, sparseVector(rng, n, k).RawVector().Data)
		}
		for _, ok := range l.pursue(B, W) {
			if all++; ok {
				hits++
			}
		}
	}
	return float64(hits) / float64(all)
}

// halfRow adds a row about the transition at δ = d/n: the ratio ρ = k/d of nonzeros to equations at which min ‖w‖₁
// finds half of the vectors. It interpolates between two neighboring values of k.
func (l *Lab) halfRow(n int, delta float64) {
	d, draws := int(math.Round(delta*float64(n))), l.Pick(40, 100, 200)
	want := recovery.Transition(float64(d) / float64(n))
	before, at := 1.0, math.NaN()
	for k := max(1, int((want-0.2)*float64(d))); k <= d; k++ {
		s := l.success(n, d, k, draws, uint64(1000*d+k))
		if s <= 0.5 {
			at = float64(k) - (0.5-s)/math.Max(before-s, 1e-9)
			break
		}
		before = s
	}
	// The transition's width at this n, and the standard error of a share from this many draws: a
	// tenth at n = 50, a twentieth at 120, a thirtieth at 400.
	l.Row(record.Row{
		ID: fmt.Sprintf("transition-%.0f", 100*delta), What: fmt.Sprintf("δ = %.1f: nonzeros per equation at which half of the vectors are found, n = %d", delta, n),
		Published: donoho.Number(want, "", "the curve ρ(δ), computed by the formula of Donoho, Maleki and Montanari 2009"),
		Measured:  record.Number(at/float64(d), ""), Rule: record.Within(0.6 / math.Sqrt(float64(n))), Repeat: 0.02,
		Data: record.Generated(fmt.Sprintf("random atoms, %d × %d, %d draws for each k", d, n, draws)), Figure: "transition",
		Reason: "the theory is for n → ∞",
	})
}

// sides compares the phase diagram with the theoretical curve. The argument share holds the share of the vectors that
// were found, for each cell of the diagram. sides returns the number of cells whose ρ is at least 0.1 from the curve,
// and how many of these contradict the curve. A cell above the curve contradicts it if the share is above one half, and
// a cell below the curve if the share is at most one half.
func (l *Lab) sides(share *mat.Dense) (far, wrong int) {
	for i, rho := range rhos {
		for j, delta := range deltas {
			off := rho - recovery.Transition(delta)
			if math.Abs(off) < 0.1 {
				continue
			}
			far++
			if (share.At(len(rhos)-1-i, j) > 0.5) == (off > 0) {
				wrong++
			}
		}
	}
	return far, wrong
}
