package lecturepca

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Four returns the matrix X of the lecture's example, with n = 4 points in d =
// 2 dimensions.
func Four() *mat.Dense { return mat.NewDense(4, 2, []float64{1, 2, 2, 4, -1, -2, -2, -4}) }

// printed is the precision of the numbers on the slides of the example: three
// decimals.
const printed = 0.0005

// Example computes the lecture's worked example and draws it.
func (l *Lab) Example() *figure.Figure {
	X := Four()
	m := fit(l.Context(), X, nil)
	S, err := pca.Scatter(X)
	lab.Check(err)
	data := record.Example("the lecture's 4 × 2 matrix")
	heading := "Example of PCA"
	l.Row(record.Row{
		ID: "example-mean", What: "the mean of each dimension is 0", Published: slides.Quote("mean [0 0]", heading),
		Measured: record.Bool(m.Mean[0] == 0 && m.Mean[1] == 0, fmt.Sprint(m.Mean)), Rule: record.Holds(), Data: data, Figure: "example",
	})
	l.Row(record.Row{
		ID: "example-covariance", What: "XᵀX", Published: record.Text("[10 20; 20 40]", "the slide '"+heading+"'"),
		Measured: record.Text(fmt.Sprintf("[%g %g; %g %g]", S.At(0, 0), S.At(0, 1), S.At(1, 0), S.At(1, 1)), ""),
		Rule:     record.Same(), Data: data, Figure: "example",
	})
	for i, want := range []float64{50, 0} {
		l.Row(record.Row{
			ID: fmt.Sprintf("example-eigenvalue-%d", i+1), What: fmt.Sprintf("eigenvalue %d of XᵀX", i+1),
			Published: slides.Number(want, "", heading), Measured: record.Number(m.Eigenvalues[i], ""), Rule: record.Within(1e-9), Data: data, Figure: "example", Repeat: 1e-9,
		})
	}
	q := m.Axis(0)
	l.Row(record.Row{
		ID: "example-eigenvector-1", What: "first entry of the first eigenvector",
		Published: slides.Number(0.477, "", heading), Measured: record.Number(q[0], ""), Rule: record.Within(printed), Data: data, Figure: "example",
		Reason: "an error on the slide: the vector (0.477, 0.894) has length 1.013, not 1; the entry is 1/√5 = 0.447",
	})
	l.Row(record.Row{
		ID: "example-eigenvector-2", What: "second entry of the first eigenvector",
		Published: slides.Number(0.894, "", heading), Measured: record.Number(q[1], ""), Rule: record.Within(printed), Data: data, Figure: "example",
	})
	l.noisy()

	f := figure.New("The lecture's example: four points on one line", "x₁", "x₂")
	f.Scatter("the four points", mat.Col(nil, 0, X), mat.Col(nil, 1, X))
	f.Use(figure.Vermilion).Basis("unit eigenvectors", m.Components, 1)
	f.Height = 4.2
	l.Save("example", "All four points are multiples of (1, 2): all the variance is along one direction (eigenvalue 50), and none along the other (eigenvalue 0).", f)
	return f
}

// noisyRows are the readable rows of the noisy example in our copy of the slide. The last digit of
// the 4.1 may be missing; the fourth row is missing.
var noisyRows = [3][2]float64{{1.07, 2.16}, {2.05, 4.1}, {-0.93, -2.03}}

// The eigenvalues printed on the slide.
const (
	noisyFirst, noisySecond       = 52.30, 0.0055
	noisyFirstErr, noisySecondErr = 0.005, 0.00005
)

// A Completion is a possible matrix of the noisy example: the rows that our copy of the slide shows, and a fourth row
// chosen so that the eigenvalues are those on the slide.
type Completion struct {
	X       [4][2]float64
	Centred bool // whether First and Second are the eigenvalues of X̄ᵀX̄ instead of XᵀX
	First   float64
	Second  float64
}

// Completions looks for the values that our copy of the slide lacks: the fourth row, and the second decimal of the
// entry 4.1. It tries each possible digit for this decimal, together with each candidate for the fourth row. A
// candidate's entries have two decimals each; the first entry is from −5 to 5, and the second entry from −7 to 7.
//
// Completions returns the matrices whose eigenvalues round to those on the slide. It also returns the number of
// matrices that fit if the entries on the slide are themselves rounded. In that case √λ_1 and √λ_2 may differ by up to
// 0.005·√8 from the square roots of the eigenvalues on the slide. This follows from Weyl's inequality for singular
// values.
func Completions() (fit []Completion, rounded int) {
	slack := 0.005 * math.Sqrt(8)
	near := func(l, want, tol float64) bool {
		return math.Sqrt(l) >= math.Sqrt(want-tol)-slack && math.Sqrt(l) <= math.Sqrt(want+tol)+slack
	}
	for digit := range 10 {
		known := noisyRows
		known[1][1] += float64(digit) / 100
		var sx, sy, sxx, sxy, syy float64
		for _, r := range known {
			sx, sy = sx+r[0], sy+r[1]
			sxx, sxy, syy = sxx+r[0]*r[0], sxy+r[0]*r[1], syy+r[1]*r[1]
		}
		for i := -500; i <= 500; i++ {
			x := float64(i) / 100
			for j := -700; j <= 700; j++ {
				y := float64(j) / 100
				for _, centred := range []bool{false, true} {
					a, b, c := sxx+x*x, sxy+x*y, syy+y*y
					if centred {
						a, b, c = a-(sx+x)*(sx+x)/4, b-(sx+x)*(sy+y)/4, c-(sy+y)*(sy+y)/4
					}
					// λ_1 <= trace <= λ_1 + λ_2, so most rows need no square root.
					if math.Abs(a+c-noisyFirst) > 0.5 {
						continue
					}
					first := (a+c)/2 + math.Hypot((a-c)/2, b)
					second := (a*c - b*b) / first
					if near(first, noisyFirst, noisyFirstErr) && near(math.Max(0, second), noisySecond, noisySecondErr) {
						rounded++
					}
					if math.Abs(first-noisyFirst) <= noisyFirstErr && math.Abs(second-noisySecond) <= noisySecondErr {
						full := [4][2]float64{known[0], known[1], known[2], {x, y}}
						fit = append(fit, Completion{full, centred, first, second})
					}
				}
			}
		}
	}
	return fit, rounded
}

// noisy adds the result rows about the noisy example.
func (l *Lab) noisy() {
	heading := "Example of PCA (take 2, noisy data)"
	fits, rounded := Completions()
	un := 0
	for _, c := range fits {
		if !c.Centred {
			un++
		}
	}
	said := fmt.Sprintf("our copy of the slide lacks the fourth row of the matrix, and perhaps a digit of the second. Of all completions with two decimals, %d give the printed eigenvalues with XᵀX and %d with the centered matrix", un, len(fits)-un)
	if len(fits) == 1 {
		c := fits[0].X
		said += fmt.Sprintf(" (fourth row %.2f, %.2f, with %.2f in the second row)", c[3][0], c[3][1], c[1][1])
	}
	said += fmt.Sprintf("; if the printed entries are rounded, up to %d may. So the matrix on the slide cannot be determined", rounded)
	data := record.Example("the lecture's noisy 4 × 2 matrix, three rows of which are known")
	for i, want := range []float64{noisyFirst, noisySecond} {
		l.Row(record.Row{
			ID: fmt.Sprintf("noisy-eigenvalue-%d", i+1), What: fmt.Sprintf("noisy example: eigenvalue %d", i+1),
			Published: slides.Number(want, "", heading), Rule: record.NoData(said), Data: data,
		})
	}
	entries := map[string]bool{}
	for _, c := range fits {
		var X mat.Dense
		X.CloneFrom(mat.NewDense(4, 2, []float64{c.X[0][0], c.X[0][1], c.X[1][0], c.X[1][1], c.X[2][0], c.X[2][1], c.X[3][0], c.X[3][1]}))
		entries[fmt.Sprintf("%.3f", math.Abs(fit(l.Context(), &X, &pca.Options{NoCenter: !c.Centred}).Axis(0)[1]))] = true
	}
	l.Row(record.Row{
		ID: "noisy-eigenvector", What: "noisy example: second entry of the first eigenvector",
		Published: slides.Number(0.894, "", heading), Rule: record.NoData(said + fmt.Sprintf(". For the completions that fit, the entry is %s", strings.Join(slices.Sorted(maps.Keys(entries)), ", "))), Data: data,
	})
	l.Row(record.Row{
		ID: "noisy-completions", What: "noisy example: number of completions with two decimals that give the printed eigenvalues",
		Measured: record.Number(float64(len(fits)), ""), Rule: record.AtLeast(1), Data: data,
		Reason: fmt.Sprintf("with the printed entries taken as exact; if they are rounded, at most %d", rounded),
	})

	// The effect of noise of that size on the example, whatever the rows on the slide are.
	draws, noise := l.Pick(200, 2000, 20000), 0.07
	rng := rand.New(rand.NewPCG(l.Seed, 0x4015e))
	var firsts, seconds, squares float64
	for range draws {
		X := Four()
		for i := range 4 {
			for j := range 2 {
				X.Set(i, j, X.At(i, j)+noise*rng.NormFloat64())
			}
		}
		m := fit(l.Context(), X, nil)
		firsts += m.Eigenvalues[0] / float64(draws)
		seconds += m.Eigenvalues[1] / float64(draws)
		squares += m.Eigenvalues[1] * m.Eigenvalues[1] / float64(draws)
	}
	gen := record.Generated(fmt.Sprintf("%d draws of the example with noise of 0.07", draws))
	// To second order in the noise σ, the first eigenvalue is 50 plus 3σ² from the noise along the line and σ² from
	// the line's rotation, with a standard deviation of 2σ√50. The second is σ² times a χ² with two degrees of
	// freedom.
	variance, errors := noise*noise, 3/math.Sqrt(float64(draws))
	around := func(mean, sd float64) record.Rule { return record.Between(mean-errors*sd, mean+errors*sd) }
	l.Row(record.Row{
		ID: "noisy-first", What: "noise of standard deviation 0.07 on the four points: mean first eigenvalue",
		Measured: record.Number(firsts, ""), Rule: around(50+4*variance, 2*noise*math.Sqrt(50)), Data: gen, Repeat: 1e-6,
	})
	l.Row(record.Row{
		ID: "noisy-second", What: "the same noise: mean second eigenvalue (0 without noise)",
		Measured: record.Number(seconds, ""), Spread: math.Sqrt(math.Max(0, squares-seconds*seconds)), SpreadOf: "standard deviation over the draws",
		Rule: around(2*variance, 2*variance), Data: gen, Repeat: 1e-6,
		Reason: "two degrees of freedom remain perpendicular to the line, so 2 · 0.07² = 0.0098 is expected; the slide's 0.0055 is well within the spread",
	})
}

// Noisy draws the three known points of the noisy example, and each candidate for the fourth point that gives the
// eigenvalues on the slide (see Completions).
func (l *Lab) Noisy() *figure.Figure {
	fits, _ := Completions()
	var x, y, fx, fy []float64
	for _, r := range noisyRows {
		x, y = append(x, r[0]), append(y, r[1])
	}
	for _, c := range fits {
		fx, fy = append(fx, c.X[3][0]), append(fy, c.X[3][1])
	}
	f := figure.New("The noisy example: known and possible rows", "x₁", "x₂")
	f.Curve("direction (1, 2)", func(t float64) float64 { return 2 * t }, -2.4, 2.4)
	f.Scatter("the three legible rows", x, y)
	if len(fx) > 0 {
		f.Scatter("possible fourth rows", fx, fy)
	}
	f.Equal = true
	l.Save("example-noisy", "Possible: every fourth row that gives the printed eigenvalues 52.30 and 0.0055 to all their digits, with the printed entries taken as exact. The slide's own row is unknown.", f)
	return f
}
