package iconframework

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/check"
	"overcomplete/kernel-helpers/icon"
	"overcomplete/paper/internal/must"
)

// init registers the exercises of the notebook, whose cells call check.Exercise. The inputs are smaller than the
// notebook's, so that the verdict comes at once.
func init() {
	for _, t := range []check.Task{
		{
			Name: "icon-1", Function: "covering", Signature: (func(grid, p []float64) []float64)(nil),
			Draw: drawHumps, Reference: covering, Tolerance: 1e-2, Points: 1,
			Empty: func(check.Case) any { return []float64{0, 1} },
			Nudges: [2]string{
				"Write −Σ p log q for a Gaussian q. What is left of p in it?",
				"Only the mean and the mean square of p are left; set the derivatives by μ and by σ to 0.",
			},
			Mistakes: []check.Mistake{
				{Says: "The second number is the variance: σ is its root.", Result: func(c check.Case) any { m := covering(c).([]float64); return []float64{m[0], m[1] * m[1]} }},
				{Says: "The mean is right, and σ is not fitted.", Result: func(c check.Case) any { return []float64{covering(c).([]float64)[0], 1} }},
			},
			Hint: func(check.Case) string {
				return "For a Gaussian q only two numbers of p are left in −Σ p log q. Which μ and σ minimize it?"
			},
		},
		{
			Name: "icon-2", Function: "bound", Signature: (func(N int, tau float64) float64)(nil),
			Draw: drawBatch, Reference: bound, Points: 1,
			Nudges: [2]string{
				"What is the cosine of two corners of a simplex of N corners?",
				"The denominator has one term for the other view, and 2N − 2 equal ones for everything else.",
			},
			Mistakes: []check.Mistake{
				{Says: "The others are orthogonal here: the corners of a simplex lean away from each other.", Result: func(c check.Case) any {
					N, tau := float64(c.Args[0].(int)), c.Args[1].(float64)
					return math.Log1p((2*N - 2) * math.Exp(-1/tau))
				}},
				{Says: "Each other thing counts once here: it has two views.", Result: func(c check.Case) any {
					N, tau := float64(c.Args[0].(int)), c.Args[1].(float64)
					return math.Log1p((N - 1) * math.Exp(-(1+1/(N-1))/tau))
				}},
				{Says: "The simplex has N corners, and not 2N: both views of a thing are at the same one.", Result: func(c check.Case) any {
					N, tau := float64(c.Args[0].(int)), c.Args[1].(float64)
					return math.Log1p((2*N - 2) * math.Exp(-(1+1/(2*N-1))/tau))
				}},
			},
			Hint: func(c check.Case) string {
				return fmt.Sprintf("Each of the %d rows has one other view with cosine 1, and %d things with the cosine of a simplex. The sum in the denominator has all but the row itself.", 2*c.Args[0].(int), 2*c.Args[0].(int)-2)
			},
		},
		{
			Name: "icon-3", Function: "hesitation", Signature: (func(P *mat.Dense) []float64)(nil),
			Draw: drawRows, Reference: hesitation, Points: 1,
			Nudges: [2]string{
				"A row that is uniform over k things must give k. Does yours?",
				"Entropy in nats first, then the exponential; and a probability of 0 needs a line of its own.",
			},
			Mistakes: []check.Mistake{
				{Says: "This is the entropy: its exponential is a number of things.", Result: func(c check.Case) any {
					h := hesitation(c).([]float64)
					for i, x := range h {
						h[i] = math.Log(x)
					}
					return h
				}},
				{Says: "The entropy is in nats here, but the power is of 2: take both in nats, or both in bits.", Result: func(c check.Case) any {
					h := hesitation(c).([]float64)
					for i, x := range h {
						h[i] = math.Exp2(math.Log(x))
					}
					return h
				}},
				{Says: "This counts the things with p > 0: those with little of p count less.", Result: func(c check.Case) any {
					P := c.Args[0].(*mat.Dense)
					n, _ := P.Dims()
					out := make([]float64, n)
					for i := range n {
						out[i] = float64(floats.Count(func(p float64) bool { return p > 0 }, P.RawRowView(i)))
					}
					return out
				}},
			},
			Hint: func(check.Case) string {
				return "One number for each row, e to the entropy in nats. 0 log 0 is 0, but not for math.Log."
			},
		},
		{
			Name: "icon-4", Function: "byRows", Signature: (func(P, Z *mat.Dense) *mat.Dense)(nil),
			Draw: drawMap, Reference: rowsGradient, Tolerance: 1e-7, Points: 2,
			Nudges: [2]string{
				"With q by rows, where does the derivative differ from SNE's? In one factor.",
				"For SNE the log kernel is −d², here it is −log(1 + d²): what is the derivative of each by z_i?",
			},
			Mistakes: []check.Mistake{
				{Says: "These are SNE's springs: the factor 1/(1 + d²) is missing.", Result: func(c check.Case) any { return springs(c, 0, 1, 1) }},
				{Says: "The factor 1/(1 + d²) is squared here.", Result: func(c check.Case) any { return springs(c, 2, 1, 1) }},
				{Says: "Only row i is here: z_i is in the rows of all others, too.", Result: func(c check.Case) any { return springs(c, 1, 0, 1) }},
				{Says: "The loss is a mean over the rows: the division by n is missing.", Result: func(c check.Case) any {
					n, _ := c.Args[1].(*mat.Dense).Dims()
					return springs(c, 1, 1, float64(n))
				}},
				{Says: "This has the opposite sign: it points downhill.", Result: func(c check.Case) any { return springs(c, 1, 1, -1) }},
			},
			Hint: func(check.Case) string {
				return "The springs are SNE's, with q by rows of 1/(1 + d²). What is the derivative of log 1/(1 + d²) by z_i, beside that of −d²?"
			},
		},
		{
			Name: "icon-5", Function: "supCon", Signature: (func(Z *mat.Dense, labels []int, tau float64) float64)(nil),
			Draw: drawClasses, Reference: supCon, Tolerance: 1e-8, Points: 2,
			Nudges: [2]string{
				"Which pairs are in the numerator, and which in the denominator?",
				"A mean of logarithms is not the logarithm of a mean: which of them does the loss take?",
			},
			Mistakes: []check.Mistake{
				{Says: "The denominator has i itself: q(i|i) does not count.", Result: func(c check.Case) any { return contrastBy(c, true, false) }},
				{Says: "This is the logarithm of the mean of q over the class: the loss is the mean of the logarithms.", Result: func(c check.Case) any { return contrastBy(c, false, true) }},
				{Says: "The temperature is missing.", Result: func(c check.Case) any { return supCon(check.Case{Args: []any{c.Args[0], c.Args[1], 1.0}}) }},
				{Says: "This is the sum over all i: the mean was asked for.", Result: func(c check.Case) any { return float64(len(c.Args[1].([]int))) * supCon(c).(float64) }},
			},
			Hint: func(check.Case) string {
				return "For each i, the mean of −log q(j|i) over the others of its class, and then the mean over i. The denominator of q has everything but i."
			},
		},
		{
			Name: "icon-6", Function: "cut", Signature: (func(P *mat.Dense, labels []int, eps float64) float64)(nil),
			Draw: drawCut, Reference: cut, Tolerance: 1e-8, Points: 2,
			Nudges: [2]string{
				"What does q(·|i) sum to, over all things?",
				"1 − ε is shared out within the cluster of i, and ε among all n things.",
			},
			Mistakes: []check.Mistake{
				{Says: "ε goes only to the other clusters here: q does not sum to 1.", Result: func(c check.Case) any {
					eps := c.Args[2].(float64)
					return cutBy(c, func(size, n float64) float64 { return (1 - eps) / size })
				}},
				{Says: "All clusters are taken to be equally large here.", Result: func(c check.Case) any {
					k, eps := float64(clusters(c)), c.Args[2].(float64)
					return cutBy(c, func(_, n float64) float64 { return (1-eps)*k/n + eps/n })
				}},
				{Says: "This is the sum over all i: the mean was asked for.", Result: func(c check.Case) any { return float64(len(c.Args[1].([]int))) * cut(c).(float64) }},
				{Says: "ε is missing: without it pairs of two clusters cost infinitely much.", Result: func(c check.Case) any { return math.Inf(1) }},
			},
			Hint: func(check.Case) string {
				return "ε/n goes to all things, also to those of the same cluster. p(i|i) counts here, and a p of 0 adds nothing."
			},
		},
		{
			Name: "icon-7", Function: "anchored", Signature: (func(q, prior []float64, lambda float64) []float64)(nil),
			Draw: drawAnchor, Reference: anchored, Tolerance: 1e-5, Points: 2,
			Nudges: [2]string{
				"The p asked for lies between q and the prior. What kind of mean is it?",
				"log p is a weighted mean of log q and log p₀, up to a constant that makes the sum 1.",
			},
			Mistakes: []check.Mistake{
				{Says: "The weights of q and the prior are exchanged.", Result: func(c check.Case) any { return anchored(check.Case{Args: []any{c.Args[1], c.Args[0], c.Args[2]}}) }},
				{Says: "This is the arithmetic mean: the derivative has logarithms.", Result: func(c check.Case) any {
					q, prior, lambda := c.Args[0].([]float64), c.Args[1].([]float64), c.Args[2].(float64)
					p := append([]float64(nil), q...)
					floats.AddScaled(p, lambda, prior)
					floats.Scale(1/floats.Sum(p), p)
					return p
				}},
			},
			Hint: func(check.Case) string {
				return "Lagrange: set the derivative of Σ p log p/q + λ Σ p log p/p₀ − ν Σ p by each p_j to 0, and solve for log p_j. The sum gives ν."
			},
		},
	} {
		t.Notebook = Paper
		check.Register(t)
	}
}

// drawHumps returns a case with a distribution with two humps on a fine grid. Both humps are far from the ends of the
// grid.
func drawHumps(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 1))
	const n = 201
	grid, p := make([]float64, n), make([]float64, n)
	a, b := -3+2*rng.Float64(), 1+2*rng.Float64()
	s, t, share := 0.5+0.5*rng.Float64(), 0.5+0.5*rng.Float64(), 0.2+0.6*rng.Float64()
	for i := range grid {
		x := float64(i-n/2) / 10 // −10 to 10
		grid[i] = x
		p[i] = share/s*math.Exp(-(x-a)*(x-a)/(2*s*s)) + (1-share)/t*math.Exp(-(x-b)*(x-b)/(2*t*t))
	}
	floats.Scale(1/floats.Sum(p), p)
	return check.Case{Sizes: fmt.Sprintf("%d points", n), Args: []any{grid, p}}
}

// covering returns the mean and the standard deviation of p. Among normal distributions q, −Σ p log q is least for
// the q with the same mean and standard deviation.
func covering(c check.Case) any {
	grid, p := c.Args[0].([]float64), c.Args[1].([]float64)
	mean, square := floats.Dot(p, grid), 0.0
	for i, x := range grid {
		square += p[i] * (x - mean) * (x - mean)
	}
	return []float64{mean, math.Sqrt(square)}
}

func drawBatch(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 2))
	N, tau := 2+rng.IntN(500), 0.1+rng.Float64()
	return check.Case{Sizes: fmt.Sprintf("N = %d, τ = %.2f", N, tau), Args: []any{N, tau}}
}

func bound(c check.Case) any {
	N, tau := float64(c.Args[0].(int)), c.Args[1].(float64)
	return math.Log1p((2*N - 2) * math.Exp(-(1+1/(N-1))/tau))
}

// drawRows returns a case with a distribution in each row of a matrix. Each row has a zero, and the first row is a
// point mass.
func drawRows(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 3))
	n, m := 3+rng.IntN(4), 5+rng.IntN(5)
	P := mat.NewDense(n, m, nil)
	for i := range n {
		row := P.RawRowView(i)
		for _, j := range rng.Perm(m)[:min(1+i, m-1)] {
			row[j] = 0.1 + rng.ExpFloat64()
		}
		floats.Scale(1/floats.Sum(row), row)
	}
	return check.Case{Sizes: fmt.Sprintf("%d×%d", n, m), Args: []any{P}}
}

func hesitation(c check.Case) any {
	P := c.Args[0].(*mat.Dense)
	n, m := P.Dims()
	out := make([]float64, n)
	for i := range n {
		out[i] = icon.Perplexity(P.Slice(i, i+1, 0, m))
	}
	return out
}

func drawMap(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 4))
	n, k := 8+rng.IntN(8), 2+rng.IntN(2)
	p := must.Get(icon.PerplexityP(icon.Normal(n, 5, 1, seed), 4))
	return check.Case{Sizes: fmt.Sprintf("%d points in %d dimensions", n, k), Args: []any{p.P, icon.Normal(n, k, 1, seed+1)}}
}

// rowsGradient returns the engine's gradient of the I-Con loss for t-SNE's kernel with a separate distribution q(·|i)
// for each row i.
func rowsGradient(c check.Case) any {
	P, Z := c.Args[0].(*mat.Dense), c.Args[1].(*mat.Dense)
	o := &icon.Objective{P: &icon.Given{Title: "p", P: P}, Q: icon.On(icon.NewPoints(Z), icon.StudentT{})}
	o.Gradient()
	return mat.DenseCopyOf(o.Params()[0].Grad)
}

// springs returns the gradient that rowsGradient computes, or a wrong one, as a sum of forces along the differences z_i
// − z_j, like those of springs. If power, columns and factor are all 1, the gradient is right; other values imitate
// mistakes. Each force contains 1/(1 + d²) to the given power, where d is the distance between z_i and z_j. A force has
// a part from row i of P and Q and a part from column i. The latter is multiplied by columns, and the whole sum by
// factor.
func springs(c check.Case, power int, columns, factor float64) *mat.Dense {
	P, Z := c.Args[0].(*mat.Dense), c.Args[1].(*mat.Dense)
	n, k := Z.Dims()
	w, sums := mat.NewDense(n, n, nil), make([]float64, n)
	for i := range n {
		for j := range n {
			if j != i {
				d := floats.Distance(Z.RawRowView(i), Z.RawRowView(j), 2)
				w.Set(i, j, 1/(1+d*d))
			}
		}
		sums[i] = floats.Sum(w.RawRowView(i))
	}
	out := mat.NewDense(n, k, nil)
	for i := range n {
		for j := range n {
			s := P.At(i, j) - w.At(i, j)/sums[i] + columns*(P.At(j, i)-w.At(j, i)/sums[j])
			s *= factor * 2 / float64(n) * math.Pow(w.At(i, j), float64(power))
			for d := range k {
				out.Set(i, d, out.At(i, d)+s*(Z.At(i, d)-Z.At(j, d)))
			}
		}
	}
	return out
}

// drawClasses returns a case with two to four points of each class, so that the classes differ in
// size.
func drawClasses(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 5))
	var labels []int
	for class := range 3 {
		for range 2 + (class+int(seed%3))%3 {
			labels = append(labels, class)
		}
	}
	rng.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	k, tau := 3+rng.IntN(3), 0.1+rng.Float64()
	return check.Case{Sizes: fmt.Sprintf("%d things in %d dimensions, τ = %.2f", len(labels), k, tau), Args: []any{icon.Normal(len(labels), k, 1, seed), labels, tau}}
}

func supCon(c check.Case) any {
	Z, labels, tau := c.Args[0].(*mat.Dense), c.Args[1].([]int), c.Args[2].(float64)
	o := &icon.Objective{P: must.Get(icon.SameLabelP(labels)), Q: icon.On(icon.NewPoints(Z), icon.Cosine{Temperature: tau}), CrossEntropy: true}
	return o.Loss()
}

// contrastBy computes the loss of supCon, or a wrong one: each parameter, if true, adds a mistake. If self is true, the
// denominator of row i includes i itself. If inside is true, the mean is taken inside the logarithm.
func contrastBy(c check.Case, self, inside bool) float64 {
	Z, labels, tau := c.Args[0].(*mat.Dense), c.Args[1].([]int), c.Args[2].(float64)
	n, loss := len(labels), 0.0
	for i := range n {
		var all, class, logs, count float64
		for j := range n {
			a := mat.Dot(Z.RowView(i), Z.RowView(j)) / (mat.Norm(Z.RowView(i), 2) * mat.Norm(Z.RowView(j), 2) * tau)
			if j != i || self {
				all += math.Exp(a)
			}
			if j != i && labels[j] == labels[i] {
				class, logs, count = class+math.Exp(a), logs+a, count+1
			}
		}
		if inside {
			loss -= math.Log(class / count / all)
		} else {
			loss -= logs/count - math.Log(all)
		}
	}
	return loss / float64(n)
}

// drawCut returns a case in which few of the points are neighbors, so that p has zeros.
func drawCut(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 6))
	n, k := 10+rng.IntN(10), 2+rng.IntN(3)
	P := mat.NewDense(n, n, nil)
	for i := range n {
		row := P.RawRowView(i)
		row[i] = 1
		for range 4 {
			row[rng.IntN(n)] += rng.ExpFloat64()
		}
		floats.Scale(1/floats.Sum(row), row)
	}
	labels := make([]int, n)
	for i := range labels {
		labels[i] = rng.IntN(k)
		if i < k {
			labels[i] = i // no cluster is empty
		}
	}
	eps := 0.01 + 0.2*rng.Float64()
	return check.Case{Sizes: fmt.Sprintf("%d things, %d clusters, ε = %.2f", n, k, eps), Args: []any{P, labels, eps}}
}

// cut returns the engine's loss if each point belongs to one cluster with membership 1 and to the others with
// membership 0.
func cut(c check.Case) any {
	P, labels, eps := c.Args[0].(*mat.Dense), c.Args[1].([]int), c.Args[2].(float64)
	o := &icon.Objective{P: &icon.Given{Title: "p", P: P}, Q: icon.On(icon.NewPoints(logits(labels, clusters(c))), icon.CoMembership{Smooth: eps}), Self: true}
	return o.Loss()
}

// clusters returns the number of clusters of a case.
func clusters(c check.Case) int { return slices.Max(c.Args[1].([]int)) + 1 }

// cutBy returns the loss that results if two points of the same cluster have q = same(size, n), where size is the size
// of this cluster and n is the number of points. Two points of different clusters have q = ε/n.
func cutBy(c check.Case, same func(size, n float64) float64) float64 {
	P, labels, eps := c.Args[0].(*mat.Dense), c.Args[1].([]int), c.Args[2].(float64)
	n, sizes, loss := float64(len(labels)), make([]float64, clusters(c)), 0.0
	for _, k := range labels {
		sizes[k]++
	}
	for i, k := range labels {
		for j, p := range P.RawRowView(i) {
			if p == 0 {
				continue
			}
			q := eps / n
			if labels[j] == k {
				q = same(sizes[k], n)
			}
			loss += p * math.Log(p/q) / n
		}
	}
	return loss
}

func drawAnchor(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 7))
	m := 3 + rng.IntN(5)
	row := func() []float64 {
		p := make([]float64, m)
		for j := range p {
			p[j] = 0.05 + rng.ExpFloat64()
		}
		floats.Scale(1/floats.Sum(p), p)
		return p
	}
	lambda := 0.2 + 3*rng.Float64()
	return check.Case{Sizes: fmt.Sprintf("%d things, λ = %.2f", m, lambda), Args: []any{row(), row(), lambda}}
}

// anchored returns the geometric mean of q and the prior with weights 1 and λ, scaled to sum to 1.
func anchored(c check.Case) any {
	q, prior, lambda := c.Args[0].([]float64), c.Args[1].([]float64), c.Args[2].(float64)
	p := make([]float64, len(q))
	for j := range p {
		p[j] = math.Exp((math.Log(q[j]) + lambda*math.Log(prior[j])) / (1 + lambda))
	}
	floats.Scale(1/floats.Sum(p), p)
	return p
}
