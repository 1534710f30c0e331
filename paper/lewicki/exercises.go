package lewicki

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/check"
	"overcomplete/kernel-helpers/ica"
)

// init registers the exercises of the notebook. Cells try answers with check.Exercise.
func init() {
	for _, t := range []check.Task{
		{
			Name: "lewicki-1", Function: "oneSource", Signature: (func(x []float64, sign, a, eta float64, steps int) float64)(nil),
			Draw: drawOneSource, Reference: oneSource, Points: 1,
			Empty: func(c check.Case) any { return c.Args[2] },
			Nudges: [2]string{
				"Which sign has Δa if E|ŝ| is large, for each of the two signs?",
				"Each sample has its ŝ = x/a. The rule multiplies a by one plus the step times a mean over the samples.",
			},
			Mistakes: []check.Mistake{
				{Says: "The sign is always −1 here: it is an argument.", Result: func(c check.Case) any { return oneSourceBy(c, -1, 0) }},
				{Says: "The sign is always +1 here: it is an argument.", Result: func(c check.Case) any { return oneSourceBy(c, 1, 0) }},
				{Says: "This is one step too many.", Result: func(c check.Case) any { return oneSourceBy(c, c.Args[1].(float64), 1) }},
			},
			Hint: func(check.Case) string {
				return "ŝ = x/a for each sample, and z ŝ is the given sign times |ŝ|. The mean over the samples comes first, then the step, which is relative to a."
			},
		},
		{
			Name: "lewicki-2", Function: "leastOnLine", Signature: (func(s0, v []float64) float64)(nil),
			Draw: drawLine, Reference: leastOnLine, Tolerance: 1e-6, Points: 1,
			Nudges: [2]string{
				"What does the sum of absolute values look like along a line?",
				"It is made of straight pieces that meet where a coefficient is 0, and it is least at one of these places.",
			},
			Mistakes: []check.Mistake{
				{Says: "This is where the first coefficient is 0: another corner may be lower.", Result: func(c check.Case) any { return -c.Args[0].([]float64)[0] / c.Args[1].([]float64)[0] }},
				{Says: "This has the opposite sign.", Result: func(c check.Case) any { return -leastOnLine(c).(float64) }},
				{Says: "This is least squares: the sum of absolute values was asked for.", Result: func(c check.Case) any {
					s0, v := c.Args[0].([]float64), c.Args[1].([]float64)
					return -floats.Dot(s0, v) / floats.Dot(v, v)
				}},
			},
			Hint: func(check.Case) string {
				return "At which t is coefficient i equal to 0? A sum of straight pieces has its minimum at such a t."
			},
		},
		{
			Name: "lewicki-3", Function: "firstMoment", Signature: (func(A *mat.Dense) int)(nil),
			Draw: drawDirections, Reference: firstMoment, Points: 2,
			Empty: func(check.Case) any { return 2 },
			Nudges: [2]string{
				"Which k can fail at all, if each column and its negative count alike?",
				"Try each even k: turn u, and watch whether the sum moves by more than rounding does.",
			},
			Mistakes: []check.Mistake{
				{Says: "This is twice the number of columns: that holds for even directions only.", Result: func(c check.Case) any {
					_, n := c.Args[0].(*mat.Dense).Dims()
					return 2 * n
				}},
				{Says: "This is the last k at which the sum stays as it is: the first one at which it moves was asked for.", Result: func(c check.Case) any { return c.Known.(int) - 2 }},
				{Says: "Odd k count here, at which the sum of any basis changes its sign with u.", Result: func(check.Case) any { return 1 }},
			},
			Hint: func(check.Case) string {
				return "For k = 2, 4, 6 and so on, turn u by half a circle in small steps: is the largest sum more than a millionth above the smallest?"
			},
		},
		{
			Name: "lewicki-4", Function: "nonNegative", Signature: (func(A *mat.Dense, x []float64) []float64)(nil),
			Draw: drawCone, Reference: nonNegative, Tolerance: 1e-6, Points: 2,
			Nudges: [2]string{
				"How many coefficients are not 0 at a corner of the solutions, in two dimensions?",
				"Two columns at a time: solve for the pair, keep it if both are at least 0, and take the pair with the least sum.",
			},
			Mistakes: []check.Mistake{
				{Says: "Negative coefficients are allowed here.", Result: func(c check.Case) any { return cheapestPair(c, true, nil) }},
				{Says: "These are the coefficients of either sign with the negative ones set to 0: x is not A s then.", Result: func(c check.Case) any {
					s := cheapestPair(c, true, nil)
					for i, v := range s {
						s[i] = max(0, v)
					}
					return s
				}},
				{Says: "These are the two columns next to x: a long column further away may cost less.", Result: func(c check.Case) any { return cheapestPair(c, false, ica.ColumnNorms(c.Args[0].(*mat.Dense))) }},
			},
			Hint: func(check.Case) string {
				return "Solve the 2×2 system of each pair of columns. Pairs with a negative coefficient do not count, and of the others the least sum wins; with none left, all is 0."
			},
		},
		{
			Name: "lewicki-5", Function: "restingLengths", Signature: (func(A, X *mat.Dense) []float64)(nil),
			Draw: drawSquare, Reference: restingLengths, Tolerance: 1e-6, Points: 2,
			Nudges: [2]string{
				"Look at one diagonal entry of the rule: what must E|ŝ_i| be for it to be 0?",
				"Column i times c makes ŝ_i smaller by c. Which c brings E|ŝ_i| to where the rule rests?",
			},
			Mistakes: []check.Mistake{
				{Says: "These are the lengths as they are: the rule is not at rest there.", Result: func(c check.Case) any { return ica.ColumnNorms(c.Args[0].(*mat.Dense)) }},
				{Says: "This goes the other way: a longer column makes ŝ smaller.", Result: func(c check.Case) any {
					out := ica.ColumnNorms(c.Args[0].(*mat.Dense))
					for i, length := range restingLengths(c).([]float64) {
						out[i] *= out[i] / length
					}
					return out
				}},
				{Says: "This is E|ŝ_i|, by which a column must grow: its own length is missing.", Result: func(c check.Case) any {
					out := restingLengths(c).([]float64)
					floats.Div(out, ica.ColumnNorms(c.Args[0].(*mat.Dense)))
					return out
				}},
				{Says: "These are root mean squares: the rule has the mean of the absolute values.", Result: func(c check.Case) any {
					S := sourcesOf(c)
					out := ica.ColumnNorms(c.Args[0].(*mat.Dense))
					_, p := S.Dims()
					for i := range out {
						out[i] *= mat.Norm(S.RowView(i), 2) / math.Sqrt(float64(p))
					}
					return out
				}},
			},
			Hint: func(check.Case) string {
				return "On the diagonal the rule is at rest where E|ŝ_i| = b. What becomes of ŝ_i when column i is multiplied by c?"
			},
		},
		{
			Name: "lewicki-6", Function: "logFall", Signature: (func(beta, s float64) float64)(nil),
			Draw: drawPeak, Reference: logFall, Tolerance: 1e-6, Points: 1,
			Nudges: [2]string{
				"Of which function is −tanh(βt) the derivative?",
				"The derivative of log cosh u is tanh u. What does u = βt add?",
			},
			Mistakes: []check.Mistake{
				{Says: "The factor 1/β of the substitution is missing.", Result: func(c check.Case) any { return c.Args[0].(float64) * logFall(c).(float64) }},
				{Says: "This has the opposite sign: the density falls on both sides of 0.", Result: func(c check.Case) any { return -logFall(c).(float64) }},
				{Says: "This is the derivative, and not the integral.", Result: func(c check.Case) any { return -math.Tanh(c.Args[0].(float64) * c.Args[1].(float64)) }},
				{Says: "This is the Laplacian, whose peak is sharp: it is the limit of a large β.", Result: func(c check.Case) any { return -math.Abs(c.Args[1].(float64)) }},
			},
			Hint: func(c check.Case) string {
				return fmt.Sprintf("Integrate −tanh(βt) from 0 to s, with β = %.2f: substitute u = βt.", c.Args[0])
			},
		},
	} {
		t.Notebook = Paper
		check.Register(t)
	}
}

func drawOneSource(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, 40)
	for i := range x {
		x[i] = 2 * ica.Laplacian{}.Draw(rng)
	}
	// Take enough steps to show the limit, and a step length that differs from the notebook's.
	sign, a := float64(2*rng.IntN(2)-1), (1+3*rng.Float64())*float64(2*rng.IntN(2)-1)
	eta, steps := 0.05+0.1*rng.Float64(), 10+rng.IntN(50)
	return check.Case{Sizes: fmt.Sprintf("40 samples, sign %+g, %d steps", sign, steps), Args: []any{x, sign, a, eta, steps}}
}

func oneSource(c check.Case) any { return oneSourceBy(c, c.Args[1].(float64), 0) }

// oneSourceBy applies the learning rule for one mixture of one source, with the given sign, and returns the learned
// number a. The number of steps is that of the case plus the argument more.
func oneSourceBy(c check.Case, sign float64, more int) float64 {
	x, a, eta, steps := c.Args[0].([]float64), c.Args[2].(float64), c.Args[3].(float64), c.Args[4].(int)+more
	mean := 0.0 // E|x|
	for _, v := range x {
		mean += math.Abs(v) / float64(len(x))
	}
	for range steps {
		a -= eta * a * (sign*mean/math.Abs(a) + 1)
	}
	return a
}

func drawLine(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 2))
	n := 3 + rng.IntN(4)
	s0, v := make([]float64, n), make([]float64, n)
	for i := range n {
		s0[i] = rng.NormFloat64()
		v[i] = (0.2 + rng.Float64()) * float64(2*rng.IntN(2)-1)
	}
	return check.Case{Sizes: fmt.Sprintf("%d coefficients", n), Args: []any{s0, v}}
}

// leastOnLine returns the t with the least ‖s0 + t v‖₁, for the vectors s0 and v of the case. It tries all t at which
// a coefficient is 0.
func leastOnLine(c check.Case) any {
	s0, v := c.Args[0].([]float64), c.Args[1].([]float64)
	best, least := 0.0, math.Inf(1)
	for i := range v {
		t, norm := -s0[i]/v[i], 0.0
		for j := range v {
			norm += math.Abs(s0[j] + t*v[j])
		}
		if norm < least {
			best, least = t, norm
		}
	}
	return best
}

// drawDirections draws a basis for which the answer to the exercise is known. The basis is of one of three kinds: n
// evenly spread directions (the answer is 2n), two pairs of perpendicular directions (the answer is 4), or evenly
// spread directions, one of which has been rotated (the answer is 2).
func drawDirections(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 3))
	first := 180 * rng.Float64()
	switch kind := rng.IntN(6); kind {
	case 0:
		A := mat.NewDense(2, 4, nil)
		between := 20 + 20*rng.Float64()
		A.Augment(ica.EvenBasis(2, first), ica.EvenBasis(2, first+between))
		return check.Case{Sizes: "2×4", Args: []any{A}, Known: 4}
	case 1:
		n := 3 + rng.IntN(3)
		A := ica.EvenBasis(n, first)
		sin, cos := math.Sincos((first + 15) * math.Pi / 180) // column 0, turned by 15 degrees
		A.SetCol(0, []float64{cos, sin})
		return check.Case{Sizes: fmt.Sprintf("2×%d", n), Args: []any{A}, Known: 2}
	default:
		n := kind // 2 to 5
		return check.Case{Sizes: fmt.Sprintf("2×%d", n), Args: []any{ica.EvenBasis(n, first)}, Known: 2 * n}
	}
}

func firstMoment(c check.Case) any { return c.Known }

// drawCone draws columns of different lengths in a half plane, and a sample of one of three kinds: outside the cone of
// the columns; inside the cone; or inside it and next to a column that is so short that it lies within the hull of the
// others.
func drawCone(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 4))
	n := 3 + rng.IntN(3)
	A := mat.NewDense(2, n, nil)
	at := func(degrees, length float64) []float64 {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		return []float64{length * cos, length * sin}
	}
	first, apart := 360*rng.Float64(), 25+10*rng.Float64() // five columns span 140 degrees at most
	kind, short := rng.IntN(3), 1+rng.IntN(n-2)
	place := float64(rng.IntN(n - 1))
	if kind == 2 {
		place = float64(short)
	}
	angle := first + (place+0.1+0.8*rng.Float64())*apart // not at the direction of any column
	if kind == 0 {
		angle = first - 30
	}
	for to, j := range rng.Perm(n) {
		length := 0.8 + 0.8*rng.Float64()
		if kind == 2 && j == short {
			length = 0.3
		}
		A.SetCol(to, at(first+float64(j)*apart, length))
	}
	return check.Case{Sizes: fmt.Sprintf("2×%d", n), Args: []any{A, at(angle, 1+rng.Float64())}}
}

func nonNegative(c check.Case) any { return cheapestPair(c, false, nil) }

// cheapestPair considers the coefficients s with As = x that use only two columns, where A and x are those of the case.
// It returns those with the smallest ‖s‖₁. If costs is not nil, the absolute values in ‖s‖₁ are weighted by the
// columns' costs. If the argument either is true, coefficients may have either sign; otherwise both must be at least 0.
// If there is no such pair, all coefficients are 0.
func cheapestPair(c check.Case, either bool, costs []float64) []float64 {
	A, x := c.Args[0].(*mat.Dense), c.Args[1].([]float64)
	_, n := A.Dims()
	s, least := make([]float64, n), math.Inf(1)
	for i := range n {
		for j := range i {
			pair := mat.NewDense(2, 2, []float64{A.At(0, i), A.At(0, j), A.At(1, i), A.At(1, j)})
			var two mat.VecDense
			if two.SolveVec(pair, mat.NewVecDense(2, x)) != nil || !either && (two.AtVec(0) < 0 || two.AtVec(1) < 0) {
				continue
			}
			a, b := math.Abs(two.AtVec(0)), math.Abs(two.AtVec(1))
			if costs != nil {
				a, b = a*costs[i], b*costs[j]
			}
			if a+b < least {
				least = a + b
				clear(s)
				s[i], s[j] = two.AtVec(0), two.AtVec(1)
			}
		}
	}
	return s
}

func drawSquare(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 5))
	A := mat.NewDense(2, 2, nil)
	first, apart := 360*rng.Float64(), 40+60*rng.Float64()
	for j := range 2 {
		sin, cos := math.Sincos((first + float64(j)*apart) * math.Pi / 180)
		length := 0.5 + 2*rng.Float64()
		A.SetCol(j, []float64{length * cos, length * sin})
	}
	S := mat.NewDense(2, 60, nil)
	S.Apply(func(i, _ int, _ float64) float64 { return float64(1+i) * ica.Laplacian{}.Draw(rng) }, S)
	X := mat.NewDense(2, 60, nil)
	X.Mul(A, S)
	return check.Case{Sizes: "60 samples", Args: []any{A, X}}
}

func restingLengths(c check.Case) any {
	S := sourcesOf(c)
	_, p := S.Dims()
	out := ica.ColumnNorms(c.Args[0].(*mat.Dense))
	for i := range out {
		out[i] *= mat.Norm(S.RowView(i), 1) / float64(p)
	}
	return out
}

// sourcesOf returns A⁻¹X.
func sourcesOf(c check.Case) *mat.Dense {
	var S mat.Dense
	if err := S.Solve(c.Args[0].(*mat.Dense), c.Args[1].(*mat.Dense)); err != nil {
		panic(err) // cannot happen: drawSquare's columns are at least 40 degrees apart
	}
	return &S
}

func drawPeak(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 6))
	beta, s := 0.5+5*rng.Float64(), (0.3+3*rng.Float64())*float64(2*rng.IntN(2)-1)
	return check.Case{Sizes: fmt.Sprintf("β = %.2f, s = %.2f", beta, s), Args: []any{beta, s}}
}

func logFall(c check.Case) any {
	beta, s := c.Args[0].(float64), c.Args[1].(float64)
	prior := ica.SmoothLaplacian{Scale: 1, Sharpness: beta}
	return prior.LogDensity(s) - prior.LogDensity(0)
}
