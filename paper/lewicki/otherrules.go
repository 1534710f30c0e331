package lewicki

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/data"
	"overcomplete/data/natural"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/ica"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Two rules that E3 does not use: the printed update taken literally, and the rule of Olshausen and Field (1996),
// which, according to the post's quotation, breaks down.

// perturbation is the angle in degrees between the true basis and the starts of OtherRules.
const perturbation = 10

// learnLiterally returns the basis that results from the post's printed update, read as an assignment: A := −α
// A(E[zŝ'] + I), with z = +sign(ŝ)/b and α = rate. The right side replaces A; in E3 it is added to A. learnLiterally
// ends early if the columns vanish, grow without bound, or make the gradient steps for ŝ diverge.
func learnLiterally(ctx context.Context, start *mat.Dense, mix *ica.Mixture, rate float64, steps int) *mat.Dense {
	m, n := start.Dims()
	_, p := mix.X.Dims()
	b := mix.Source.MeanAbs()
	A := mat.DenseCopyOf(start)
	for range steps {
		in, err := ica.Infer(ctx, A, mix.X, &ica.InferOptions{Method: ica.ReLUGradient, Noise: inferenceNoise, Scale: b, MaxIterations: 100})
		lab.Heed(ctx)
		if err != nil { // the gradient steps diverged
			break
		}
		M := mat.NewDense(n, n, nil) // E[zŝ'] + I
		for i := range n {
			z := make([]float64, p)
			for k, s := range in.S.RawRowView(i) {
				if s != 0 {
					z[k] = math.Copysign(1/b, s)
				}
			}
			for j := range n {
				for k, s := range in.S.RawRowView(j) {
					M.Set(i, j, M.At(i, j)+z[k]*s/float64(p))
				}
			}
			M.Set(i, i, M.At(i, i)+1)
		}
		next := mat.NewDense(m, n, nil)
		next.Mul(A, M)
		next.Scale(-rate, next)
		A = next
		if size := mat.Norm(A, 2); !(size > 1e-6 && size < 1e6) {
			break
		}
	}
	return A
}

// literalRates lists the values of α for the literal reading.
var literalRates = []float64{0.02, 0.1, 0.5, 1}

// A literalReading holds the results of learnLiterally for each rate in literalRates, with several seeds.
type literalReading struct {
	seeds, steps int
	angles       [][]float64 // worst angles in degrees
	lengths      [][]float64 // lengths of the longest column, initially 1
}

func (l *Lab) literal() *literalReading {
	out := &literalReading{seeds: l.Pick(3, 12, 50), steps: 100}
	for _, rate := range literalRates {
		angles, lengths := make([]float64, out.seeds), make([]float64, out.seeds)
		lab.Parallel(l.Context(), out.seeds, func(k int) {
			mix := l.exponentialMixture(320 + uint64(k))
			A := learnLiterally(l.Context(), ica.PerturbBasis(planeBasis(), perturbation, l.Seed+300+uint64(k)), mix, rate, out.steps)
			angles[k] = 90
			for _, v := range ica.ColumnNorms(A) {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return
				}
				lengths[k] = max(lengths[k], v)
			}
			if lengths[k] > 0 {
				angles[k] = ica.Match(mix.A, A).Worst
			}
		})
		out.angles, out.lengths = append(out.angles, angles), append(out.lengths, lengths)
	}
	return out
}

func (l *Lab) literalRow(r *literalReading) {
	best, seen := 0., ""
	for i, rate := range literalRates {
		best = max(best, shareBelow(r.angles[i], threshold))
		if i > 0 {
			seen += ", "
		}
		seen += fmt.Sprintf("α = %v: length %.1e, %.0f degrees off", rate, quantile(r.lengths[i], 0.5), quantile(r.angles[i], 0.5))
	}
	l.Row(record.Row{ID: "e3-literal", What: "the update as printed, A := −α(Azŝ' + A), read as an assignment, start 10 degrees off: share of runs that end within 5 degrees, best of four α",
		Published: blog.Quote("The update equation here is simply from the paper: A := −α A(zs' + I)", "E3"),
		Measured:  record.Number(best, "%"), Rule: record.AtLeast(target).Partly(partly), Repeat: 100 / float64(r.seeds),
		Data: record.Generated("mixtures of 3 exponential sources"), Seeds: seedList(l.Seed+300, r.seeds), Figure: "other-rules",
		Reason: fmt.Sprintf("length of the longest column (1 at the start) and worst angle after at most %d steps (fewer if A vanishes or explodes), medians of %d runs: %s. The post means A := A + ΔA, as in E3", r.steps, r.seeds, seen)})
}

// olshausenField returns a basis learned by the rule of Olshausen and Field with an L1 prior. In each step, infer
// computes the coefficients ŝ by the lasso. Then A ← A + η E[(x − Aŝ)ŝ'], a gradient step on the mean of ½‖x − Aŝ‖²
// with ŝ fixed. The samples of a step are batch(step), or all of X if batch is nil. η decays geometrically from rate
// to a thirtieth of it.
//
// Nothing in this objective keeps the columns from growing, which would make ŝ small. So the columns are scaled to
// norm 1 after each step; Olshausen and Field's gain control does the same on average.
func olshausenField(ctx context.Context, start, X *mat.Dense, rate float64, steps int, infer func(A, X *mat.Dense) *mat.Dense, batch func(step int) *mat.Dense) *mat.Dense {
	A := mat.DenseCopyOf(start)
	ica.Normalize(A)
	for t := range steps {
		lab.Heed(ctx)
		x := X
		if batch != nil {
			x = batch(t)
		}
		S := infer(A, x)
		_, p := x.Dims()
		var R, G mat.Dense
		R.Mul(A, S)
		R.Sub(x, &R)     // m×p
		G.Mul(&R, S.T()) // m×n
		eta := rate * math.Pow(30, -float64(t)/float64(max(1, steps-1)))
		G.Scale(eta/float64(p), &G)
		A.Add(A, &G)
		ica.Normalize(A)
	}
	return A
}

// breakdownNoise lists the noise of the data in OtherRules, which is also the noise of the model. η is chosen
// for the first value.
var breakdownNoise = []float64{0.1, 0.05, 0.02, 0.01, 0.005}

// A breakdown holds the shares of runs, in percent, that recover the true basis, by Olshausen and Field's rule and,
// for comparison, by Lewicki and Sejnowski's.
type breakdown struct {
	runs, steps int
	rate        float64   // η, chosen at the first element of breakdownNoise
	constant    []float64 // for each of breakdownNoise, with the same η
	scaled      []float64 // the same, with η proportional to 1/σ²
	lewicki     []float64 // Lewicki and Sejnowski's rule, with the right sign
	sources     []int
	of, ls      []float64 // like scaled and lewicki, but for each number in sources, with noise 0.05
}

func (l *Lab) breakdown() *breakdown {
	out := &breakdown{runs: l.Pick(3, 12, 50), steps: l.Pick(40, 100, 300), sources: []int{2, 3, 4, 5}}
	samples := l.Pick(150, 250, 1000)
	mixture := func(n int, sigma float64, seed uint64) (start *mat.Dense, mix *ica.Mixture) {
		truth := ica.EvenBasis(n, 90)
		return ica.PerturbBasis(truth, perturbation, seed), ica.NewMixture(truth, ica.BernoulliLaplacian{P: 0.6 / float64(n)}, samples, sigma, seed+1)
	}
	share := func(n int, sigma, rate float64, first uint64, runs int) float64 {
		angles := make([]float64, runs)
		lab.Parallel(l.Context(), runs, func(k int) {
			start, mix := mixture(n, sigma, l.Seed+first+2*uint64(k))
			b := mix.Source.MeanAbs()
			infer := func(A, X *mat.Dense) *mat.Dense {
				in, err := ica.Infer(l.Context(), A, X, &ica.InferOptions{Method: ica.Lasso, Noise: sigma, Scale: b, Workers: 1, Tolerance: 1e-4})
				if in == nil {
					lab.Check(err)
				}
				return in.S
			}
			angles[k] = ica.Match(mix.A, olshausenField(l.Context(), start, mix.X, rate, out.steps, infer, nil)).Worst
		})
		return shareBelow(angles, threshold)
	}
	lewicki := func(n int, sigma float64, first uint64) float64 {
		angles := make([]float64, out.runs)
		lab.Parallel(l.Context(), out.runs, func(k int) {
			start, mix := mixture(n, sigma, l.Seed+first+2*uint64(k))
			angles[k] = finalAngle(learner{"", ica.FitOptions{Steps: 2 * out.steps, UnitNorm: true, RecordEvery: -1, Infer: &ica.InferOptions{Workers: 1}}}.run(l.Context(), start, mix), mix.A)
		})
		return shareBelow(angles, threshold)
	}
	best := -1.
	for _, rate := range []float64{1, 3, 10, 30} { // chosen on mixtures that are not used later
		if s := share(3, breakdownNoise[0], rate, 15000, max(3, out.runs/2)); s > best {
			best, out.rate = s, rate
		}
	}
	for _, sigma := range breakdownNoise {
		up := math.Pow(breakdownNoise[0]/sigma, 2)
		out.constant = append(out.constant, share(3, sigma, out.rate, 16000, out.runs))
		out.scaled = append(out.scaled, share(3, sigma, out.rate*up, 16000, out.runs))
		out.lewicki = append(out.lewicki, lewicki(3, sigma, 16000))
	}
	const sigma = 0.05
	for _, n := range out.sources {
		out.of = append(out.of, share(n, sigma, out.rate*math.Pow(breakdownNoise[0]/sigma, 2), 17000, out.runs))
		out.ls = append(out.ls, lewicki(n, sigma, 17000))
	}
	return out
}

func (l *Lab) breakdownRows(b *breakdown) {
	sparse := record.Generated("Bernoulli-Laplacian mixtures in the plane, 0.6 sources active on average")
	// seeds lists the seeds of the runs' starts. Each run's mixture uses the next seed.
	seeds := func(first uint64) []uint64 {
		list := make([]uint64, b.runs)
		for k := range list {
			list[k] = l.Seed + first + 2*uint64(k)
		}
		return list
	}
	last := len(breakdownNoise) - 1
	list := func(at []float64, format string, v []float64) string {
		out := ""
		for i := range v {
			if i > 0 {
				out += ", "
			}
			out += fmt.Sprintf(format+": %.0f %%", at[i], v[i])
		}
		return out
	}
	l.Row(record.Row{ID: "e42-field-low-noise", What: "Olshausen and Field's rule, 3 sources, η chosen for noise 0.1: share of runs within 5 degrees with noise 0.005 minus that with noise 0.1",
		Published: blog.Quote("Olshausen and Field (1996) presented an algorithm […], including a tendency to breakdown in the case of low noise levels", "E4.2"), Measured: record.Number(b.constant[last]-b.constant[0], "points"), Rule: record.AtMost(-50).Partly(40), Repeat: 20,
		Data: sparse, Seeds: seeds(16000), Figure: "other-rules",
		Reason: fmt.Sprintf("η = %v; share by noise level: %s", b.rate, list(breakdownNoise, "%v", b.constant))})
	l.Row(record.Row{ID: "e42-field-low-noise-step", What: "Olshausen and Field's rule, η proportional to 1/σ² because the residual x − Aŝ is proportional to σ²/b: share of runs within 5 degrees with noise 0.005",
		Measured: record.Number(b.scaled[last], "%"), Rule: record.AtLeast(target), Repeat: 20, Data: sparse, Seeds: seeds(16000), Figure: "other-rules",
		Reason: fmt.Sprintf("share by noise level: %s; with Lewicki and Sejnowski's rule: %s", list(breakdownNoise, "%v", b.scaled), list(breakdownNoise, "%v", b.lewicki))})
	at := make([]float64, len(b.sources))
	for i, n := range b.sources {
		at[i] = float64(n)
	}
	end := len(b.of) - 1
	l.Row(record.Row{ID: "e42-field-overcomplete", What: "Olshausen and Field's rule, noise 0.05: share of runs within 5 degrees with 5 sources minus that with 2",
		Published: blog.Quote("[…] a tendency to breakdown […] when learning bases with higher degrees of overcompleteness", "E4.2"), Measured: record.Number(b.of[end]-b.of[0], "points"), Rule: record.AtMost(-50).Partly(40), Repeat: 20,
		Data: sparse, Seeds: seeds(17000), Figure: "other-rules",
		Reason: fmt.Sprintf("share by number of sources: %s; with Lewicki and Sejnowski's rule with unit norms, which does not use the noise level: %s", list(at, "%v", b.of), list(at, "%v", b.ls))})
}

// imagePenalties lists the lasso penalties for patches of natural images with pixels of variance 1.
var imagePenalties = []float64{1, 0.3, 0.1, 0.03}

// imageResults holds the results of Olshausen and Field's rule on patches of their whitened images. For each penalty λ
// in imagePenalties it has the objective of the learned basis on test patches, divided by that of the initial random
// basis. The field called constant is for the same η at every λ, and the field called scaled is for η proportional to
// 1/λ.
type imageResults struct {
	side, atoms, steps int
	rate               float64
	constant, scaled   []float64
}

// images runs Olshausen and Field's rule on patches of images. It returns nil at smoke size, or if the images are not
// on this machine.
func (l *Lab) images() *imageResults {
	if l.Size == record.Smoke {
		return nil
	}
	set, err := natural.Load()
	if errors.Is(err, data.ErrAbsent) {
		return nil
	}
	lab.Check(err)
	const batch = 50
	out := &imageResults{side: 8, atoms: 128, steps: l.Pick(0, 80, 600)}
	rng := rand.New(rand.NewPCG(l.Seed, 0x4f46))
	d := out.side * out.side
	patches := func(n int) *mat.Dense {
		X := mat.NewDense(d, n, nil)
		for j := range n {
			im := set.Images[rng.IntN(len(set.Images))]
			h, w := im.Dims()
			y, x := 4+rng.IntN(h-out.side-8), 4+rng.IntN(w-out.side-8) // stay away from the edges, where the whitening filter wraps around
			for i := range d {
				X.Set(i, j, im.At(y+i/out.side, x+i%out.side))
			}
		}
		X.Scale(1/stat.StdDev(X.RawMatrix().Data, nil), X)
		return X
	}
	train, test := patches(batch*out.steps), patches(l.Pick(0, 300, 2000))
	start := ica.RandomBasis(d, out.atoms, l.Seed)
	solve := func(A, X *mat.Dense, lambda float64) *sparseapprox.Result {
		r, err := sparseapprox.Solve(l.Context(), A, X, &sparseapprox.Options{Lambda: lambda, Tolerance: 1e-3})
		if r == nil {
			lab.Check(err)
		}
		lab.Heed(l.Context())
		return r
	}
	objective := func(A *mat.Dense, lambda float64) float64 {
		r := solve(A, test, lambda)
		var R mat.Dense
		R.Mul(A, r.W)
		R.Sub(test, &R)
		f := mat.Norm(&R, 2)
		return f*f/2 + lambda*sumAbs(r.W)
	}
	left := func(lambda, rate float64) float64 {
		A := olshausenField(l.Context(), start, train, rate, out.steps,
			func(A, X *mat.Dense) *mat.Dense { return solve(A, X, lambda).W },
			func(t int) *mat.Dense { return mat.DenseCopyOf(train.Slice(0, d, batch*t, batch*(t+1))) })
		return objective(A, lambda) / objective(start, lambda)
	}
	least := math.Inf(1)
	for _, rate := range []float64{0.3, 1, 3, 10} {
		if v := left(imagePenalties[0], rate); v < least {
			least, out.rate = v, rate
		}
	}
	for _, lambda := range imagePenalties {
		out.constant = append(out.constant, left(lambda, out.rate))
		out.scaled = append(out.scaled, left(lambda, out.rate*imagePenalties[0]/lambda))
	}
	return out
}

func sumAbs(W *mat.Dense) float64 {
	sum := 0.
	for _, v := range W.RawMatrix().Data {
		sum += math.Abs(v)
	}
	return sum
}

func (l *Lab) imagesRow(r *imageResults) {
	if r == nil {
		return
	}
	last := len(imagePenalties) - 1
	seen := ""
	for i, lambda := range imagePenalties {
		seen += fmt.Sprintf("; λ = %v: %.3f, with η proportional to 1/λ %.3f", lambda, r.constant[i], r.scaled[i])
	}
	// The gain in the objective at the smallest penalty, relative to the gain at the largest.
	l.Row(record.Row{ID: "e42-field-images", What: fmt.Sprintf("Olshausen and Field's rule on their images, %d atoms, patches of %d × %d, same η: relative decrease of the objective at the smallest penalty divided by that at the largest", r.atoms, r.side, r.side),
		Measured: record.Number((1-r.constant[last])/(1-r.constant[0]), ""), Rule: record.AtMost(0.5), Repeat: 0.2, Data: record.Real("the 10 whitened natural images of Olshausen and Field"), Figure: "other-rules",
		Reason: fmt.Sprintf("η = %v, %d steps; objective on other random patches of the same images as a fraction of that at the start%s", r.rate, r.steps, seen)})
}

// OtherRules tries two rules that E3 does not use: the post's printed update, taken literally as an assignment; and
// Olshausen and Field's rule, with decreasing noise and with increasing numbers of sources.
func (l *Lab) OtherRules() *figure.Grid {
	r, b, im := l.literal(), l.breakdown(), l.images()
	noise := figure.New("3 sources", "noise σ of data and model", "runs within 5°, %").LogX()
	noise.Use(figure.Vermilion).Marked("Olshausen and Field, same η", breakdownNoise, b.constant).
		Use(figure.Blue).Marked("η proportional to 1/σ²", breakdownNoise, b.scaled).
		Use(figure.Gray).Marked("Lewicki and Sejnowski", breakdownNoise, b.lewicki)
	x := make([]float64, len(b.sources))
	for i, n := range b.sources {
		x[i] = float64(n)
	}
	more := figure.New("Noise 0.05", "sources in the plane", "runs within 5°, %").WholeX()
	more.Use(figure.Blue).Marked("Olshausen and Field", x, b.of).Use(figure.Gray).Marked("Lewicki and Sejnowski", x, b.ls)
	parts := []*figure.Figure{noise, more}
	words := ""
	if im != nil {
		f := figure.New("Natural images", "penalty λ", "objective / objective at the start").LogX()
		f.Use(figure.Vermilion).Marked("same η", imagePenalties, im.constant).Use(figure.Blue).Marked("η proportional to 1/λ", imagePenalties, im.scaled)
		parts = append(parts, f)
		words = fmt.Sprintf(" Right: objective on other patches of the same natural images, %d atoms in %d dimensions.", im.atoms, im.side*im.side)
	}
	g := figure.NewGrid("Olshausen and Field's rule", len(parts), parts...).Size(3.4, 3.2)
	l.Save("other-rules", fmt.Sprintf("Learning by the gradient of the reconstruction error alone, %d runs from bases 10 degrees off. Left: with the same η for all noise levels, the rule stalls as the noise goes to 0, because the residual goes to 0 too; with η proportional to 1/σ² it does not. "+
		"Middle: more sources, 0.6 of them active on average.%s", b.runs, words), g)
	l.literalRow(r)
	l.breakdownRows(b)
	l.imagesRow(im)
	return g
}
