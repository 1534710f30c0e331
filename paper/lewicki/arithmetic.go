package lewicki

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/ica"
	"overcomplete/paper/record"
)

// Sentences of the post that a few numbers decide. A reader can repeat each check in a cell.

// sentence returns a quotation from the post without naming a section, for sentences whose place in the post does not
// matter.
func sentence(quote string) record.Value { return record.Text(quote, "the post") }

// arithmeticRows adds a row for each sentence of the post that can be checked with a few numbers.
func (l *Lab) arithmeticRows() {
	// |s|₁ is the sum of s only where no coefficient is negative.
	s := []float64{0.8, -0.3}
	sum, norm := s[0]+s[1], math.Abs(s[0])+math.Abs(s[1])
	l.Row(record.Row{
		ID: "e2-sum-is-norm", What: "1's = |s|₁ for every s, at s = (0.8, −0.3)",
		Published: sentence("… while minimizing 1ᵀs = |s|₁"),
		Measured:  record.Bool(math.Abs(sum-norm) < 1e-12, fmt.Sprintf("1's = %.1f and |s|₁ = %.1f; of (0.8, 0.3) both are 1.1", sum, norm)), Rule: record.Holds(), Data: record.Example("two numbers"),
		Reason: "true of s ≥ 0, which the post's ReLU demands and its Laplacian prior does not. A linear program for either sign has s = u − v with u, v ≥ 0, and 1'u + 1'v for the norm",
	})

	// For s > 0 a Laplacian's log density is the exponential's minus log 2, a constant, which has no slope.
	const b, h = 0.5, 1e-6
	exponential := func(s float64) float64 { return -math.Log(b) - s/b }
	laplacian := func(s float64) float64 { return -math.Log(2*b) - math.Abs(s)/b }
	off := 0.0
	for s := 0.1; s < 3; s += 0.1 {
		slope := func(f func(float64) float64) float64 { return (f(s+h) - f(s-h)) / (2 * h) }
		off = max(off, math.Abs(slope(exponential)-slope(laplacian)))
	}
	l.Row(record.Row{
		ID: "e1-scale-irrelevant", What: "slopes of log P(s) for s > 0, exponential and Laplacian of the same b: largest difference",
		Published: sentence("the scaling factor is completely irrelevant in the context of gradient descent"),
		Measured:  record.Number(off, ""), Rule: record.AtMost(1e-6), Repeat: 1e-6, Data: record.Example("two densities"),
		Reason: "the factor is ½, and log ½ has no slope: true of the height of the density. The scale b in it does count (e4-scale)",
	})

	// The posterior of one coefficient, λ = 4: P(s|x) ∝ exp(−λ/2 (x − s)² − |s|/b).
	const x, lambda, step = 0.5, 4.0, 1e-4
	var mass, first, best, mode float64
	for s := -5.0; s <= 6; s += step {
		p := math.Exp(-lambda/2*(x-s)*(x-s) - math.Abs(s)/b)
		mass, first = mass+p, first+p*s
		if p > best {
			best, mode = p, s
		}
	}
	l.Row(record.Row{
		ID: "evidence-mean-mode", What: "one coefficient, x = 0.5, λ = 4, b = 0.5: the posterior's mean less ŝ, where its density is largest",
		Published: sentence("the mean of a Gaussian (and Laplacian for that matter) distribution has the maximum probability density. This is a useful fact about ŝ"),
		Measured:  record.Number(tidy(first/mass-mode), ""), Rule: record.AtMost(0.01), Repeat: 1e-3, Data: record.Example("one number"),
		Reason: fmt.Sprintf("true of the Gaussian that replaces the posterior, not of the posterior itself: there ŝ is %.2f (the threshold (1/b)/λ takes all of x), and the mean %.2f. With the mean in place of ŝ dense sources are learned (recovery-dense-exact-posterior)", math.Abs(tidy(mode)), first/mass),
	})

	// For three directions at equal angles, AA' is 1.5 I, however the directions are turned.
	var gram, turned, difference mat.Dense
	A, B := ica.EvenBasis(3, 90), ica.EvenBasis(3, 120) // 30 degrees apart: the largest possible difference
	gram.Mul(A, A.T())
	turned.Mul(B, B.T())
	difference.Sub(&gram, &turned)
	l.Row(record.Row{
		ID: "rule-aat-geometry", What: "AA' tells the basis of equal angles from the same basis turned by 30 degrees: ‖AA' − BB'‖ by ‖AA'‖",
		Published: sentence("[AA^⊤] captures geometry"),
		Measured:  record.Number(tidy(mat.Norm(&difference, 2)/mat.Norm(&gram, 2)), ""), Rule: record.AtLeast(0.1), Repeat: 1e-9, Data: record.Example("three directions at equal angles"),
		Reason: "AA' has only the second moments of x; for this basis it is a multiple of the identity. The factor AA' is there to make the step independent of the units of x (the natural gradient), not to add knowledge of A",
	})

	// Two independent signs, turned by 45 degrees: the results u and v have no covariance, but u² = 2 − v².
	var y1, y2, q1, q2 []float64
	for _, s1 := range []float64{-1, 1} {
		for _, s2 := range []float64{-1, 1} {
			u, v := (s1+s2)/math.Sqrt2, (s1-s2)/math.Sqrt2
			y1, y2, q1, q2 = append(y1, u), append(y2, v), append(q1, u*u), append(q2, v*v)
		}
	}
	l.Row(record.Row{
		ID: "ica-covariance", What: "two independent signs, turned by 45 degrees: features without covariance are independent, correlation of their squares",
		Published: sentence("minimizing covariance of features"),
		Measured:  record.Number(stat.Correlation(q1, q2, nil), ""), Rule: record.Between(-0.01, 0.01), Repeat: 1e-9, Data: record.Example("two signs"),
		Reason: fmt.Sprintf("their covariance is %.0f, and the squares always add to 2: PCA too achieves zero covariance, which leaves every rotation open; ICA looks at higher moments", math.Abs(stat.Covariance(y1, y2, nil))),
	})

	l.Row(record.Row{
		ID: "histograms-laplacian", What: "activations of a language model, as Anthropic's histograms show them, are nearly Laplacian",
		Published: sentence("[the histograms of Anthropic's features look Laplacian]"),
		Rule:      record.NoData("neither the activations nor the numbers behind the pictures are here"),
	})
}

// tidy rounds v to a millionth, because further digits would be rounding errors.
func tidy(v float64) float64 { return math.Round(1e6*v) / 1e6 }
