package bradley2008

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// The λ and p of both priors in Jumps, where all signals have length 1.
const (
	jumpsL1Lambda = 0.2
	jumpsKLLambda = 0.1
	jumpsP        = 0.01
)

// pair returns two atoms of length 1 in the plane, at the angles +half and −half, in degrees (2×2).
func pair(half float64) *mat.Dense {
	sin, cos := math.Sincos(half * math.Pi / 180)
	return mat.NewDense(2, 2, []float64{cos, cos, sin, -sin})
}

// signalsAt returns signals of length 1 at the given angles in degrees (2×N).
func signalsAt(degrees []float64) *mat.Dense {
	X := mat.NewDense(2, len(degrees), nil)
	for i, a := range degrees {
		sin, cos := math.Sincos(a * math.Pi / 180)
		X.Set(0, i, cos)
		X.Set(1, i, sin)
	}
	return X
}

// codePair codes the signals X (2×N) on the two atoms B with both priors. The tolerance is small, because the codes of
// neighboring columns are subtracted.
func codePair(ctx context.Context, B, X mat.Matrix) (l1, kl *mat.Dense) {
	r, err := sparseapprox.Solve(ctx, B, X, &sparseapprox.Options{Lambda: jumpsL1Lambda, Tolerance: 1e-12})
	lab.Check(err)
	c, err := klcoding.New(B, &klcoding.Options{Lambda: jumpsKLLambda, P: jumpsP, Doubled: true, Tolerance: 1e-12})
	lab.Check(err)
	k, err := c.Code(ctx, X)
	lab.Check(err)
	return r.W, k.W
}

// steepest returns the largest change |w_i − w_{i+1}|₁ between neighboring columns of W.
func steepest(W *mat.Dense) float64 {
	n, N := W.Dims()
	out := 0.
	for i := range N - 1 {
		s := 0.
		for j := range n {
			s += math.Abs(W.At(j, i+1) - W.At(j, i))
		}
		out = max(out, s)
	}
	return out
}

// Jumps shows why L1 jumps and KL does not: a signal turns slowly from one of two nearly parallel
// atoms to the other. L1 moves the whole coefficient from one atom to the other while the signal is between
// the atoms, and the nearer the atoms are, the faster the coefficient moves. KL shares the coefficient
// between the atoms over a range of angles that does not shrink.
func (l *Lab) Jumps() *figure.Grid {
	const half, step = 2, 0.01 // degrees
	angles := linspace(-10, 10, 2001)
	l1, kl := codePair(l.Context(), pair(half), signalsAt(angles))
	data := record.Generated("two atoms and rotating signals in the plane")
	row := func(r record.Row) {
		r.Data, r.Figure = data, "jumps"
		l.Row(r)
	}
	row(record.Row{ID: "jumps-l1-by-kl", What: fmt.Sprintf("two atoms %d degrees apart: largest change of the code per step of %v degrees, ratio of L1 to KL", 2*half, step),
		Measured: record.Number(steepest(l1)/steepest(kl), ""), Rule: record.AtLeast(5), Repeat: 1e-3,
		Reason: fmt.Sprintf("L1 %.3g and KL %.3g per degree; |w|₁ midway between the atoms is %.2f and %.2f", steepest(l1)/step, steepest(kl)/step, mat.Norm(l1.ColView(1000), 1), mat.Norm(kl.ColView(1000), 1))})

	// Halving the angle doubles L1's slope, and hardly changes KL's.
	fine := linspace(-3, 3, 6001)
	var s1, sk []float64
	seen := "half-angles between the atoms 1, 0.1, 0.01 degrees: L1"
	for _, h := range []float64{1, 0.1, 0.01} {
		a, b := codePair(l.Context(), pair(h), signalsAt(fine))
		s1, sk = append(s1, steepest(a)), append(sk, steepest(b))
	}
	seen += fmt.Sprintf(" %.3g, %.3g, %.3g, KL %.3g, %.3g, %.3g per 0.001 degrees", s1[0], s1[1], s1[2], sk[0], sk[1], sk[2])
	row(record.Row{ID: "jumps-l1-grows", What: "L1: growth factor of the largest change per step when the angle between two atoms is divided by 10",
		Measured: record.Number(s1[1]/s1[0], ""), Rule: record.Between(8, 12), Repeat: 1e-3, Reason: seen})
	row(record.Row{ID: "jumps-kl-bounded", What: "KL: growth factor of the largest change per step when the angle between two atoms is divided by 100",
		Measured: record.Number(sk[2]/sk[0], ""), Rule: record.AtMost(1.1), Repeat: 1e-3, Reason: seen})

	// The claim about B: let the two atoms change places. With L1 the whole coefficient moves to the other atom.
	x := signalsAt([]float64{1})
	const tiny = 1e-3
	a1, ak := codePair(l.Context(), pair(tiny), x)
	b1, bk := codePair(l.Context(), pair(-tiny), x)
	move := func(V, W *mat.Dense) float64 { return change(V, W)[0] }
	row(record.Row{ID: "jumps-in-b", What: "two atoms 0.002 degrees apart swap places: ‖Δŵ‖₁/‖ŵ‖₁ for a signal 1 degree away",
		Published: record.Text("L1 allows ŵ to be discontinuous with respect to X and B", "appendix A"),
		Measured:  record.Bool(move(a1, b1) > 1 && move(ak, bk) < 0.01, fmt.Sprintf("L1 %.3g, KL %.3g", move(a1, b1), move(ak, bk))), Rule: record.Holds(),
		Reason: "the part of the claim about B: in the limit of parallel atoms, L1 jumps"})

	// The claim about X: a jump would not become smaller if the signal turned in smaller steps.
	coarse, _ := codePair(l.Context(), pair(0.1), signalsAt(linspace(-0.3, 0.3, 601)))
	finer, _ := codePair(l.Context(), pair(0.1), signalsAt(linspace(-0.3, 0.3, 6001)))
	shrinks := steepest(coarse) / steepest(finer)
	row(record.Row{ID: "jumps-in-x", What: "two atoms 0.2 degrees apart: L1's largest change per step does not shrink when the signal turns in steps ten times smaller",
		Published: record.Text("L1 allows ŵ to be discontinuous with respect to X and B", "appendix A"),
		Measured:  record.Bool(shrinks < 2, fmt.Sprintf("it shrinks by a factor of %.3g", shrinks)), Rule: record.Holds(),
		Reason: "the part of the claim about X: if B's columns are linearly independent, (2) is strictly convex in w, so ŵ is a continuous function of x (piecewise linear, and steeper the closer the atoms are). Only dependent columns, such as the identical ones of footnote 11, can make ŵ non-unique"})

	// At the minimum w_i = p exp(b_i'r/λ), so log(w_i/w_j) = (b_i − b_j)'r/λ.
	_, alike := codePair(l.Context(), pair(0.1), signalsAt(angles))
	ratio := 0.
	for i := range len(angles) {
		a, b := alike.At(0, i), alike.At(1, i)
		ratio = max(ratio, a/b, b/a)
	}
	row(record.Row{ID: "jumps-similar", What: "two atoms 0.2 degrees apart, signals up to 10 degrees away: largest ratio between KL's two coefficients",
		Published: record.Text("similar columns of B will have similar activations in ŵ", "appendix A"),
		Measured:  record.Number(ratio, "times"), Rule: record.AtMost(1.1), Repeat: 1e-3,
		Reason: "with L1 one of the two is 0 for nearly all of these signals"})

	// Footnote 11: two equal atoms.
	twin := mat.NewDense(2, 2, []float64{1, 1, 0, 0})
	t1, tk := codePair(l.Context(), twin, signalsAt([]float64{0}))
	w := t1.At(0, 0) + t1.At(1, 0)
	least, most := math.Inf(1), math.Inf(-1)
	for _, share := range []float64{0, 0.25, 0.5, 1} {
		v := (1-w)*(1-w)/2 + jumpsL1Lambda*(math.Abs(share*w)+math.Abs((1-share)*w)) // (2) at (share·w, (1 − share)·w)
		least, most = min(least, v), max(most, v)
	}
	apart := math.Abs(tk.At(0, 0) - tk.At(1, 0))
	row(record.Row{ID: "jumps-footnote-11", What: "two identical atoms: every split of the coefficient has the same L1 objective; KL has a unique solution, the equal split",
		Published: record.Text("there is no longer even a unique ŵ", "footnote 11"),
		Measured: record.Bool(most-least < 1e-15 && math.Abs(w-(1-jumpsL1Lambda)) < 1e-9 && apart < 1e-9,
			fmt.Sprintf("L1 objectives within %.1g; L1 returned (%.3g, %.3g), KL (%.3g, %.3g)", most-least, t1.At(0, 0), t1.At(1, 0), tk.At(0, 0), tk.At(1, 0))), Rule: record.Holds()})

	panel := func(title string, W *mat.Dense) *figure.Figure {
		f := figure.New(title, "angle of the signal, degrees", "coefficient")
		f.Lines("atom at 2 degrees", angles, W.RawRowView(0)).Lines("atom at −2 degrees", angles, W.RawRowView(1))
		f.Use(figure.Gray).VLine("", half).Use(figure.Gray).VLine("", -half)
		return f
	}
	g := figure.NewGrid("Why L1 jumps and KL does not", 2, panel("L1", l1), panel("KL on [−B B]", kl)).Size(3.4, 2.8).SameRange()
	l.Save("jumps", fmt.Sprintf("Coefficients of two nearly parallel atoms while a signal of length 1 turns from one to the other. Dashed: the angles of the two atoms. L1 with λ = %v, KL with λ = %v and p = %v.", jumpsL1Lambda, jumpsKLLambda, jumpsP),
		g)
	return g
}
