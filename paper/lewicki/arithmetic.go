package lewicki

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/ica"
	"overcomplete/paper/record"
)

// Sentences of the post that can be checked with a few numbers. A reader can repeat each check in a cell.

// sentence returns a quotation from the post without naming a section, for sentences whose place in the post does not
// matter.
func sentence(quote string) record.Value { return record.Text(quote, "the post") }

// arithmeticRows adds a row for each sentence of the post that can be checked with a few numbers.
func (l *Lab) arithmeticRows() {
	// |s|₁ is the sum of s only where no coefficient is negative.
	s := []float64{0.8, -0.3}
	sum, norm := s[0]+s[1], math.Abs(s[0])+math.Abs(s[1])
	l.Row(record.Row{
		ID: "e2-sum-is-norm", What: "1ᵀs = |s|₁ for every s, tested at s = (0.8, −0.3)",
		Published: sentence("… while minimizing 1ᵀs = |s|₁"),
		Measured:  record.Bool(math.Abs(sum-norm) < 1e-12, fmt.Sprintf("1ᵀs = %.1f and |s|₁ = %.1f; at (0.8, 0.3) both are 1.1", sum, norm)), Rule: record.Holds(), Data: record.Example("two numbers"),
		Reason: "true for s ≥ 0, which the post's ReLU enforces but its Laplacian prior does not. For coefficients of either sign, a linear program writes s = u − v with u, v ≥ 0, and minimizes 1ᵀu + 1ᵀv",
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
		ID: "e1-scale-irrelevant", What: "largest difference between the slopes of log P(s), s > 0, of an exponential and a Laplacian density with the same b",
		Published: sentence("the scaling factor is completely irrelevant in the context of gradient descent"),
		Measured:  record.Number(off, ""), Rule: record.AtMost(1e-6), Repeat: 1e-6, Data: record.Example("two densities"),
		Reason: "the factor ½ adds the constant log ½ to log P, which has no gradient. The scale b of the density does matter (e4-scale)",
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
		ID: "evidence-mean-mode", What: "one coefficient, x = 0.5, λ = 4, b = 0.5: posterior mean minus posterior mode ŝ",
		Published: sentence("the mean of a Gaussian (and Laplacian for that matter) distribution has the maximum probability density. This is a useful fact about ŝ"),
		Measured:  record.Number(tidy(first/mass-mode), ""), Rule: record.AtMost(0.01), Repeat: 1e-3, Data: record.Example("one number"),
		Reason: fmt.Sprintf("true of the Gaussian approximation, not of the posterior itself: there ŝ is %.2f (x does not exceed the threshold (1/b)/λ), and the mean is %.2f. With averages over the posterior in place of ŝ, dense sources are recovered (recovery-dense-exact-posterior)", math.Abs(tidy(mode)), first/mass),
	})

	// For three directions at equal angles, AA' is 1.5 I, however the directions are turned.
	var gram, turned, difference mat.Dense
	A, B := ica.EvenBasis(3, 90), ica.EvenBasis(3, 120) // 30 degrees apart: the largest possible difference
	gram.Mul(A, A.T())
	turned.Mul(B, B.T())
	difference.Sub(&gram, &turned)
	l.Row(record.Row{
		ID: "rule-aat-geometry", What: "AA' distinguishes a basis A of equal angles from B, the same basis rotated by 30 degrees: ‖AA' − BB'‖/‖AA'‖",
		Published: sentence("[AA^⊤] captures geometry"),
		Measured:  record.Number(tidy(mat.Norm(&difference, 2)/mat.Norm(&gram, 2)), ""), Rule: record.AtLeast(0.1), Repeat: 1e-9, Data: record.Example("three directions at equal angles"),
		Reason: "AA' contains only second moments of x; for this basis it is a multiple of the identity. The factor AA' makes the step independent of the units of x (natural gradient); it adds no information about A",
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
		ID: "ica-covariance", What: "uncorrelated features are independent: correlation of the squares of two independent random signs rotated by 45 degrees",
		Published: sentence("minimizing covariance of features"),
		Measured:  record.Number(stat.Correlation(q1, q2, nil), ""), Rule: record.Between(-0.01, 0.01), Repeat: 1e-9, Data: record.Example("two signs"),
		Reason: fmt.Sprintf("the covariance is %.0f, but the squares always add up to 2. Zero covariance, which PCA also achieves, does not determine the rotation; ICA uses higher moments", math.Abs(stat.Covariance(y1, y2, nil))),
	})

	l.Row(record.Row{
		ID: "histograms-laplacian", What: "activations of a language model, as in Anthropic's histograms, are nearly Laplacian",
		Published: sentence("[the histograms of Anthropic's features look Laplacian]"),
		Rule:      record.NoData("neither the activations nor the numbers behind the histograms are available"),
	})
}

// tidy rounds v to a millionth, because further digits would be rounding errors.
func tidy(v float64) float64 { return math.Round(1e6*v) / 1e6 }
