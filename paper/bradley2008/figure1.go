package bradley2008

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// A Regulariser holds the results for one prior of figure 1 at one λ.
type Regulariser struct {
	Name   string
	Lambda float64
	// Error is the error of the reconstruction of test digits, as a share of their energy.
	Error float64
	// Zeros is the share of coefficients that are exactly 0, and Large the share of coefficients above a tenth of the
	// largest coefficient of their digit. Both are measured on test digits.
	Zeros, Large float64
	// Sorted is |w|/‖w‖_∞ in descending order, averaged over the test digits.
	Sorted []float64
	// Validation and Test are error rates of a maxent classifier.
	Validation, Test float64
}

// Figure1Result holds the panels of figure 1, and the results for each prior.
type Figure1Result struct {
	// Equal has L2, L1, L½, KL and KL's signed codes, at the reconstruction error that KL has at its chosen settings.
	// Chosen has the same priors, each at the λ with the least error on the validation part. For L2, L1 and L½, three λ
	// are tried: the λ in Equal, a quarter of it, and four times as much. For L1, the λ from Search is tried as well.
	// KL has only the λ from Search. At lecture size only the λ in Equal are tried, so Chosen has the same results as
	// Equal.
	Equal, Chosen []*Regulariser
	*figure.Grid
}

// The order of the priors in Figure1Result.
const (
	atL2 = iota
	atL1
	atHalf
	atKL
	atSigned
)

// ridge, lasso and half are the priors of sparseapprox in figure 1.
var (
	ridge = sparseapprox.Options{Prior: sparseapprox.L2}
	lasso = sparseapprox.Options{Prior: sparseapprox.L1}
	half  = sparseapprox.Options{Prior: sparseapprox.Lp, P: 0.5}
)

// codeWith codes X (D×N) on B (D×n). The options o select the prior.
func codeWith(ctx context.Context, o sparseapprox.Options, B, X mat.Matrix, lambda float64) *mat.Dense {
	o.Lambda, o.Tolerance = lambda, tolerance
	r, err := sparseapprox.Solve(ctx, B, X, &o)
	lab.Check(err)
	return r.W
}

// lambdaFor finds, by bisection of log λ, the λ at which the codes of X under a prior have the given reconstruction
// error. For L½ the codes are only local minima, so the error need not always grow with λ. Then several λ may have this
// error, and lambdaFor returns one of them.
func lambdaFor(ctx context.Context, o sparseapprox.Options, B, X mat.Matrix, target float64) float64 {
	lo, hi := math.Log(1e-4), math.Log(1e3)
	for range 16 {
		mid := (lo + hi) / 2
		if Reconstruction(B, X, codeWith(ctx, o, B, X, math.Exp(mid))) < target {
			lo = mid
		} else {
			hi = mid
		}
	}
	return short(math.Exp((lo + hi) / 2))
}

// sortedMean sorts |w|/‖w‖_∞ in descending order for each column w of W (m×N), and returns the mean over the columns.
func sortedMean(W *mat.Dense) []float64 {
	m, N := W.Dims()
	out, w := make([]float64, m), make([]float64, m)
	for i := range N {
		for j := range m {
			w[j] = -math.Abs(W.At(j, i))
		}
		slices.Sort(w)
		for j, v := range w {
			if w[0] < 0 {
				out[j] += v / w[0] / float64(N)
			}
		}
	}
	return out
}

// shares returns the share of elements of W (m×N) that are zero, and the share that exceed a tenth of the largest
// element of their column.
func shares(W *mat.Dense) (zeros, large float64) {
	m, N := W.Dims()
	most := make([]float64, N)
	for j := range m {
		for i, w := range W.RawRowView(j) {
			most[i] = max(most[i], math.Abs(w))
		}
	}
	for j := range m {
		for i, w := range W.RawRowView(j) {
			if w == 0 {
				zeros++
			} else if math.Abs(w) > most[i]/10 {
				large++
			}
		}
	}
	return zeros / float64(m*N), large / float64(m*N)
}

// A figure1 computes and draws figure 1, and adds its rows.
type figure1 struct {
	*Lab
	train, held, test *Part   // few digits, for training, choosing and testing the classifiers
	size              float64 // the root mean square, over training digits, of the norm of the KL code
	out               *Figure1Result
}

func newFigure1(l *Lab) *figure1 {
	d, n := l.Digits(), l.Pick(200, 1000, 10000)
	return &figure1{Lab: l, train: d.Train.First(n), held: d.Validation.First(n), test: d.Test.First(n),
		out: &Figure1Result{Equal: make([]*Regulariser, 5), Chosen: make([]*Regulariser, 5)}}
}

// regulariser returns the results for one prior, or the stored results if there are any. The call codes() returns the
// prior's codes and their reconstruction error on the test digits. Before regulariser trains a classifier, it
// multiplies all codes by one factor. With this factor, the root mean square of the norms of the training codes is
// t.size.
func (t *figure1) regulariser(id, name string, lambda float64, codes func() (f *Features, reconstruction float64)) *Regulariser {
	x := t.store.Numbers(keysOf(t.Lab).figure1(id, lambda, t.train.N()), func() []float64 {
		f, reconstruction := codes()
		zeros, large := shares(f.Test)
		// Scale all codes of a prior by one factor, so that penalties have the same meaning for all priors: codes of
		// L2 are many times smaller than codes of KL.
		scale := t.size / rms(f.Train)
		by := func(W *mat.Dense) *mat.Dense {
			var out mat.Dense
			out.Scale(scale, W)
			return &out
		}
		_, validation, c := chooseMaxent(t.Context(), by(f.Train), t.train.Y, by(f.Validation), t.held.Y)
		e := classify.ErrorRate(c.Predict(by(f.Test).T()), t.test.Y)
		t.say("figure 1, %s, λ = %v: validation %.2f %%, test %.2f %%", name, lambda, 100*validation, 100*e)
		return append([]float64{reconstruction, zeros, large, validation, e}, sortedMean(f.Test)...)
	})
	return &Regulariser{name, lambda, x[0], x[1], x[2], x[5:], x[3], x[4]}
}

// rms returns the root mean square of the norms of W's columns.
func rms(W *mat.Dense) float64 {
	_, N := W.Dims()
	return mat.Norm(W, 2) / math.Sqrt(float64(N))
}

// searches reports whether figure 1 tries several λ.
func (t *figure1) searches() bool { return t.Pick(1, 0, 1) == 1 }

// Figure1 draws how large the coefficients of a digit are under four priors, and how well a maxent classifier
// does on these coefficients.
func (l *Lab) Figure1() *Figure1Result { return newFigure1(l).run() }

func (t *figure1) run() *Figure1Result {
	s, B := t.Settings(), t.Basis()

	var codes *Features // codes of KL, computed only on demand
	kl := func(signed bool) func() (*Features, float64) {
		return func() (*Features, float64) {
			if codes == nil {
				code := func(p *Part) *mat.Dense { return CodeKL(t.Context(), B, p.X, s.KLLambda, s.P) }
				codes = &Features{Train: code(t.train), Validation: code(t.held), Test: code(t.test)}
			}
			w := &Features{Train: Signed(codes.Train), Validation: Signed(codes.Validation), Test: Signed(codes.Test)}
			e := Reconstruction(B, t.test.X, w.Test)
			if signed {
				return w, e
			}
			return codes, e
		}
	}
	// Reconstruction errors are made equal on validation digits.
	few := t.held.First(t.Pick(40, 50, 500))
	target := Reconstruction(B, few.X, Signed(CodeKL(t.Context(), B, few.X, s.KLLambda, s.P)))
	t.size = rms(CodeKL(t.Context(), B, t.train.First(t.Pick(100, 200, 500)).X, s.KLLambda, s.P)) // of the KL codes

	for i, r := range []struct {
		id, name string
		prior    sparseapprox.Options
	}{atL2: {"l2", "L2", ridge}, atL1: {"l1", "L1", lasso}, atHalf: {"half", "L½", half}} {
		at := func(lambda float64) *Regulariser {
			return t.regulariser(r.id, r.name, lambda, func() (*Features, float64) {
				code := func(p *Part) *mat.Dense { return codeWith(t.Context(), r.prior, B, p.X, lambda) }
				f := &Features{Train: code(t.train), Validation: code(t.held), Test: code(t.test)}
				return f, Reconstruction(B, t.test.X, f.Test)
			})
		}
		equal := lambdaFor(t.Context(), r.prior, B, few.X, target)
		t.out.Equal[i] = at(equal)
		t.out.Chosen[i] = t.out.Equal[i]
		if !t.searches() {
			continue
		}
		others := []float64{short(equal / 4), short(equal * 4)}
		if i == atL1 {
			others = append(others, s.L1Lambda) // chosen by the larger search
		}
		for _, lambda := range others {
			if o := at(lambda); o.Validation < t.out.Chosen[i].Validation {
				t.out.Chosen[i] = o
			}
		}
	}
	t.out.Equal[atSigned] = t.regulariser("kl-signed", "KL, signed", s.KLLambda, kl(true))
	t.out.Equal[atKL] = t.regulariser("kl", "KL", s.KLLambda, kl(false))
	copy(t.out.Chosen[atKL:], t.out.Equal[atKL:])
	t.rows()
	t.plot()
	return t.out
}

func (t *figure1) rows() {
	d, n := t.Digits(), t.Settings().Atoms
	row := func(r record.Row) {
		r.Data, r.Figure = d.Data, "figure1"
		t.Claim(r)
	}
	e := t.out.Equal
	row(record.Row{ID: "figure1-kl-no-zeros", What: "KL sets no coefficient of a test digit to 0",
		Published: record.Text("not sparse in the traditional sense of setting many elements of ŵ to zero", "section 6.1"),
		Measured:  record.Bool(e[atKL].Zeros == 0, fmt.Sprintf("zeros: KL %.1f %%, L1 %.1f %%, L½ %.1f %%", 100*e[atKL].Zeros, 100*e[atL1].Zeros, 100*e[atHalf].Zeros)), Rule: record.Holds()})
	row(record.Row{ID: "figure1-kl-few-large", What: "KL: mean number of coefficients per test digit above a tenth of the digit's largest",
		Published: record.Text("ŵ contains only a few large elements in each example", "section 6.1"),
		// A number, not a share: the paper says "few" elements, and the bound is a number of coefficients.
		Measured: record.Number(e[atKL].Large*float64(2*n), fmt.Sprintf("of %d coefficients", 2*n)), Rule: record.AtMost(20).Partly(10), Repeat: 1,
		Reason: fmt.Sprintf("%.2f %% of 2n coefficients; at equal reconstruction error, of n coefficients: KL's signed codes %.1f %%, L1 %.1f %%, L½ %.1f %%, L2 %.1f %%", 100*e[atKL].Large, 100*e[atSigned].Large, 100*e[atL1].Large, 100*e[atHalf].Large, 100*e[atL2].Large)})
	row(record.Row{ID: "figure1-kl-fewer-than-l2", What: "number of large coefficients, ratio of KL's signed codes to L2 codes, at equal reconstruction error",
		Measured: record.Number(e[atSigned].Large/e[atL2].Large, ""), Rule: record.AtMost(0.5), Repeat: 0.01,
		Reason: "both have n coefficients, so the doubled basis plays no part"})
	for _, rule := range []struct {
		id, name string
		of       []*Regulariser
	}{{"equal", "at equal reconstruction error", t.out.Equal}, {"chosen", "each at the λ with the lowest validation error", t.out.Chosen}} {
		r := rule.of
		seen := ""
		for i, k := range []int{atKL, atL1, atHalf, atL2, atSigned} {
			if i > 0 {
				seen += ", "
			}
			seen += fmt.Sprintf("%s %.2f %%", r[k].Name, 100*r[k].Test)
		}
		claim, judged := record.Holds(), true
		if rule.id == "chosen" && !t.searches() {
			claim, judged = record.NoData("λ is not searched at lecture size"), false
		}
		holds := func(x bool) record.Value {
			if !judged {
				return record.Value{}
			}
			return record.Bool(x, seen)
		}
		row(record.Row{ID: "figure1-best-" + rule.id, What: "test errors of KL and L1 are below those of L½ and L2, " + rule.name,
			Published: record.Text("Regularization functions that produced few large values in each examples (such as KL and L1) performed the best", "figure 1, caption"),
			Measured:  holds(max(r[atKL].Test, r[atL1].Test) < min(r[atHalf].Test, r[atL2].Test)), Rule: claim})
		row(record.Row{ID: "figure1-zeros-" + rule.id, What: "test error of KL (no exact zeros) is not larger than those of L1 and L½ (exact zeros), " + rule.name,
			Published: record.Text("Forcing small coefficients to be exactly 0 was not necessary for good performance", "figure 1, caption"),
			Measured:  holds(r[atKL].Test <= min(r[atL1].Test, r[atHalf].Test)), Rule: claim})
	}
	row(record.Row{ID: "figure1-signed-by-l1", What: "test error, ratio of KL's signed codes to L1 codes, at equal reconstruction error",
		Measured: record.Number(e[atSigned].Test/e[atL1].Test, ""), Rule: record.AtMost(1), Repeat: 0.02,
		Reason: "a control: both have n coefficients per digit. If KL on [−B B] is much better than KL's signed codes, that is due to the doubled basis, not the prior"})
	worst := 0.
	for _, r := range e {
		worst = max(worst, math.Abs(math.Log(r.Error/e[atKL].Error)))
	}
	row(record.Row{ID: "figure1-equal-errors", What: "reconstruction errors, made equal on validation digits: largest ratio to KL's on test digits (larger / smaller), minus 1",
		Measured: record.Number(100*(math.Exp(worst)-1), "%"), Rule: record.AtMost(15), Repeat: 0.1,
		Reason: fmt.Sprintf("KL's error %.4f; λ: L2 %.4g, L1 %.4g, L½ %.4g, KL %.4g", e[atKL].Error, e[atL2].Lambda, e[atL1].Lambda, e[atHalf].Lambda, e[atKL].Lambda)})
}

func (t *figure1) plot() {
	left := figure.New("Sorted coefficients of a digit", "rank", "mean of |w| / max |w|").LogX()
	for i, r := range t.out.Equal {
		x := toFloats(ints(1, len(r.Sorted)+1))
		left.Use([]int{atL2: figure.Green, atL1: figure.Blue, atHalf: figure.Purple, atKL: figure.Vermilion, atSigned: figure.Black}[i])
		if i == atSigned { // this line coincides with KL's where KL's is high
			left.Dashed(r.Name, x, r.Sorted)
		} else {
			left.Lines(r.Name, x, r.Sorted)
		}
	}
	names := make([]string, len(t.out.Equal))
	errors := [][]float64{make([]float64, len(names)), make([]float64, len(names))}
	for i := range names {
		names[i] = t.out.Equal[i].Name
		errors[0][i], errors[1][i] = 100*t.out.Equal[i].Test, 100*t.out.Chosen[i].Test
	}
	rules, same := []string{"equal reconstruction error", "λ chosen by validation"}, ""
	if !t.searches() {
		rules, errors, same = rules[:1], errors[:1], ", on codes with the same λ as on the left"
	}
	right := figure.Bars("Test error of maxent, %", names, rules, errors)
	t.out.Grid = figure.NewGrid("Figure 1: priors", 2, left, right).Size(3.6, 3)
	t.Save("figure1", fmt.Sprintf("Left: mean over %d test digits, at equal reconstruction error. KL has 2n coefficients; its signed codes and the other priors have n. Right: maxent classifier trained on %d digits%s. Data: %v.", t.test.N(), t.train.N(), same, t.Digits().Data),
		t.out.Grid)
}
