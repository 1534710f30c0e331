package bradley2008

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/ica"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/regress"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/kernel-helpers/taskdict"
	"overcomplete/paper/lab"
)

// WordSettings are the values that the paper leaves open in section 6.3.3.
type WordSettings struct {
	Atoms  int
	Lambda float64
	P      float64
	// BaseRates adds b, the logarithms of the words' base rates, to the model: f(b + Bw) replaces f(Bw), where f is
	// the transfer function. The paper has no b; without it B must learn the base rates too.
	BaseRates bool
	// Rate is the η of learn, in units of V/mean ‖ŵ‖². The unit depends on ŵ because the paper says that "the step
	// size was adjusted for the magnitude of ŵ". It has the factor V, the number of words, because the curvature of
	// the loss falls as 1/V.
	Rate   float64
	Passes int // passes of SGD through the documents
}

// wordBatch is the number of documents in a step of SGD.
const wordBatch = 128

// The loops of learn and specialise differ from dictionary.Fit and taskdict.Fit. dictionary.Fit measures the
// unit of its step once, with the first B; in learn, the unit follows ‖ŵ‖². taskdict.Fit needs all codes
// within the tolerance, starts them at residuals, and takes gradient steps in θ; in specialise, the precision
// of float32 may stop a document short of the tolerance, codes start at the last ŵ, and θ is solved for.

// coder returns a coder of documents with KL for both loss and prior.
func (s WordSettings) coder(d *Documents, B *mat.Dense, tolerance float64) *klcoding.Coder {
	o := klcoding.Options{Lambda: s.Lambda, P: s.P, Loss: klcoding.Softmax, Method: klcoding.NewtonCG, Typical: d.Rates, Tolerance: tolerance, Single: true}
	if s.BaseRates {
		o.Offset = make([]float64, d.V())
		for i, r := range d.Rates {
			o.Offset[i] = math.Log(r)
		}
	}
	c, err := klcoding.New(B, &o)
	lab.Check(err)
	return c
}

// code computes the codes of the documents with the given indices. It starts from their last codes in W (n×N), and
// stores the new codes there. It returns the documents as the columns of a matrix, and the result of the coder.
//
// slack is the tolerance of the gradient in units of λ; the relative error of ŵ is about slack. A code that misses
// this tolerance is accepted.
func (s WordSettings) code(ctx context.Context, d *Documents, B, W *mat.Dense, of []int, slack float64) (mat.Matrix, *klcoding.Result) {
	lab.Heed(ctx)
	X := d.Columns(of)
	near := classify.Rows(W.T(), of).T() // n×N
	// The coder's unit is λ + p + ‖x‖, and ‖x‖ <= 1.
	r, err := s.coder(d, B, slack*s.Lambda/(s.Lambda+s.P+1)).CodeNear(ctx, X, near)
	if !errors.Is(err, klcoding.ErrNotConverged) {
		lab.Check(err)
	}
	for j := range s.Atoms {
		from, to := r.W.RawRowView(j), W.RawRowView(j)
		for k, i := range of {
			to[i] = from[k]
		}
	}
	return X, r
}

// learn trains B (V×n) by SGD on the paper's equation (2), without the ratings, and then codes all documents, as W
// (n×N). Step t adds −η/√t times the gradient (7) to B, and then scales B's columns to unit norm. history has one
// number for each pass: the mean, over the documents of every eighth batch, of the objective (2) minus the document's
// entropy. A batch is measured when it is used.
func (s WordSettings) learn(ctx context.Context, d *Documents, seed uint64, report func(pass int, objective float64)) (B, W *mat.Dense, history []float64) {
	rng := rand.New(rand.NewPCG(seed, 0x776f7264))
	B, W = s.start(d, rng), mat.NewDense(s.Atoms, d.N(), nil)
	size, t := 0.0, 0
	for pass := range s.Passes {
		sum, seen := 0.0, 0
		order := rng.Perm(d.N())
		for at := 0; at < len(order); at += wordBatch {
			of := order[at:min(at+wordBatch, len(order))]
			X, r := s.code(ctx, d, B, W, of, 1e-2)
			if at/wordBatch%8 == 0 {
				f, err := s.coder(d, B, 1).Objective(X, r.W)
				lab.Check(err)
				for _, v := range f {
					sum += v
				}
				seen += len(of)
			}
			now := math.Pow(mat.Norm(r.W, 2), 2) / float64(len(of)) // mean ‖ŵ‖²
			if t++; t == 1 {
				size = now
			}
			size = 0.95*size + 0.05*now
			g := dictionary.Gradient(B, X, &dictionary.Codes{W: r.W, Residual: r.R}) // V×n
			g.Scale(-s.Rate*float64(d.V())/size/math.Sqrt(float64(t))/float64(len(of)), g)
			B.Add(B, g)
			ica.Normalize(B)
		}
		history = append(history, sum/float64(seen))
		report(pass, sum/float64(seen))
	}
	s.codeAll(ctx, d, B, W, nil, 1e-3)
	return B, W, history
}

// codeAll codes the documents with the given indices, or all documents if the slice is nil, in parts that
// need little memory.
func (s WordSettings) codeAll(ctx context.Context, d *Documents, B, W *mat.Dense, of []int, slack float64) {
	if of == nil {
		for i := range d.N() {
			of = append(of, i)
		}
	}
	for part := range slices.Chunk(of, 4*wordBatch) {
		s.code(ctx, d, B, W, part, slack)
	}
}

// start returns the initial basis. Each column is computed from five random documents. Its entry for a word says how
// much more frequent the word is in these documents than in all documents. The difference is divided by the square root
// of the word's base rate. If s.BaseRates is false, start adds a share of the logarithms of the words' base rates to
// each column, so that at first f(Bp) resembles the base rates. (All elements of the vector p are s.P.)
func (s WordSettings) start(d *Documents, rng *rand.Rand) *mat.Dense {
	B := mat.NewDense(d.V(), s.Atoms, nil)
	base, mean := make([]float64, d.V()), 0.0
	for i, r := range d.Rates {
		base[i] = math.Log(r)
		mean += base[i] / float64(d.V())
	}
	column := make([]float64, d.V())
	for j := range s.Atoms {
		clear(column)
		for range 5 {
			for i, x := range d.X.RawRowView(rng.IntN(d.N())) {
				column[i] += (x - d.Rates[i]) / math.Sqrt(d.Rates[i])
			}
		}
		size := 0.0
		for _, v := range column {
			size += v * v
		}
		size = math.Sqrt(size)
		for i, v := range column {
			v /= size
			if !s.BaseRates {
				v += (base[i] - mean) / (s.P * float64(s.Atoms))
			}
			B.Set(i, j, v)
		}
	}
	ica.Normalize(B)
	return B
}

func ratings(d *Documents, of []int) []float64 {
	out := make([]float64, len(of))
	for k, i := range of {
		out[k] = d.Y[i]
	}
	return out
}

// A RatingResult is the result of back-propagating the ratings in one fold.
type RatingResult struct {
	Validation []float64 // predictive R² on the validation part: at the start, and after each pass
	Best       int       // the pass with the best Validation
	Predicted  []float64 // the ratings predicted for the test documents, by B and the regression of the pass Best
}

// specialise trains B together with a ridge regression, with weights θ and intercept θ_0, that predicts the ratings y
// from the codes ŵ. It uses the training documents of fold f. B takes steps of Adam that reduce the mean of ½(y − θ'ŵ
// − θ_0)², with gradients by the paper's equation (21). The columns of B keep unit norm. At every eighth step the
// regression is fitted anew to the latest codes. The validation part of the training documents determines the best
// pass and the best penalty. The paper says only that the method in the last row of table 6 was trained by SGD.
func (s WordSettings) specialise(ctx context.Context, d *Documents, f int, B, W *mat.Dense, rate float64, passes int, seed uint64, report func(pass int, training, validation float64)) *RatingResult {
	B, W = mat.DenseCopyOf(B), mat.DenseCopyOf(W)
	train, validation := d.Training(f)
	test := d.Folds[f]
	yt, yv := ratings(d, train), ratings(d, validation)
	alphas := ridgeAlphas(classify.Rows(W.T(), train))
	rng := rand.New(rand.NewPCG(seed, 100+uint64(f)))

	var theta *regress.Linear
	choose := func() float64 { // chooses an alpha on the validation part
		path, err := regress.FitRidgePath(ctx, classify.Rows(W.T(), train), yt, alphas)
		lab.Check(err)
		best := math.Inf(-1)
		for _, m := range path {
			if r := regress.PredictiveR2(yv, m.Predict(classify.Rows(W.T(), validation))); r > best {
				best, theta = r, m
			}
		}
		return best
	}
	out := &RatingResult{Validation: []float64{choose()}}
	keep := func() {
		s.codeAll(ctx, d, B, W, test, 1e-3)
		out.Best, out.Predicted = len(out.Validation)-1, theta.Predict(classify.Rows(W.T(), test))
	}
	keep()
	best, t := out.Validation[0], 0
	adam := &tape.Adam{Beta2: 0.99, Epsilon: 1e-12}
	for pass := range passes {
		miss, order := 0.0, rng.Perm(len(train))
		for batch := range slices.Chunk(order, wordBatch) { // indices into train
			of := make([]int, len(batch))
			for k, i := range batch {
				of[k] = train[i]
			}
			X, r := s.code(ctx, d, B, W, of, 3e-3)
			if t%8 == 0 {
				var err error
				theta, err = regress.FitRidge(ctx, classify.Rows(W.T(), train), yt, theta.Alpha)
				lab.Check(err)
			}
			head := taskdict.NewLinear(yt, theta.W, theta.Intercept, 0)
			loss, dW := head.Loss(r.W, batch, make([]float64, s.Atoms+1)) // dl/dŵ, n×N
			miss += 2 * loss * float64(len(batch))
			g, err := s.coder(d, B, 1e-3).VJP(ctx, X, r.W, dW)
			lab.Check(err)
			t++
			adam.Rate = rate / math.Sqrt(1+float64(t)/60) // 1/√t in the long run
			adam.Step([]*tape.Param{{Name: "B", X: B, Grad: g.B}})
			ica.Normalize(B)
		}
		s.codeAll(ctx, d, B, W, validation, 3e-3)
		now := choose()
		out.Validation = append(out.Validation, now)
		report(pass, 1-miss/squares(yt), now)
		if now > best {
			best = now
			keep()
		} else if len(out.Validation)-1-out.Best >= 3 {
			break
		}
	}
	return out
}

// ridgeAlphas returns penalties from a ten-thousandth to a hundred times the mean of the min(n, d) largest eigenvalues
// of X̃'X̃, where X̃ (n×d) is X with centered columns.
func ridgeAlphas(X *mat.Dense) []float64 {
	n, d := X.Dims()
	sum := 0.0
	for j := range d {
		sum += squares(mat.Col(nil, j, X))
	}
	out := []float64{}
	for e := -4.0; e <= 2; e += 0.5 {
		out = append(out, math.Pow(10, e)*sum/float64(min(n, d)))
	}
	return out
}

// squares returns Σ (y − ȳ)².
func squares(y []float64) float64 {
	mean, sum := 0.0, 0.0
	for _, v := range y {
		mean += v / float64(len(y))
	}
	for _, v := range y {
		sum += (v - mean) * (v - mean)
	}
	return sum
}

// A WordTrial is one point of the search for the values that the paper leaves
// open: codes of all documents on a basis that was learned without ratings.
type WordTrial struct {
	WordSettings
	// Inner is, for each fold, the predictive R² of ridge regression on ŵ inside the fold's training documents: three
	// quarters of these documents predict the fourth quarter.
	Inner []float64
	// Chosen lists the folds in which this trial had the largest Inner.
	Chosen []int
}

// String returns the trial as a line of the search.
func (t *WordTrial) String() string {
	base := "no base rates"
	if t.BaseRates {
		base = "base rates"
	}
	return fmt.Sprintf("%d atoms, λ %v, p %.3g, %s, rate %v, %d passes: cross-validated predictive R² on the training documents %.3f to %.3f, mean %.3f; best in %d of 5 folds",
		t.Atoms, t.Lambda, t.P, base, t.Rate, t.Passes, slices.Min(t.Inner), slices.Max(t.Inner), stat.Mean(t.Inner, nil), len(t.Chosen))
}

// A wordLearner learns bases from the words of documents.
type wordLearner struct {
	*sharedState
	d *Documents
}

// trials returns the points of the search, all of which use the smaller basis.
func (w *wordLearner) trials() []WordSettings {
	n := w.Pick(8, 32, 64)
	s := WordSettings{Atoms: n, Lambda: 1e-3, P: 0.3 * 64 / float64(n), BaseRates: true, Rate: 2, Passes: 3}
	with := func(f func(s *WordSettings)) WordSettings { o := s; f(&o); return o }
	out := []WordSettings{s, with(func(s *WordSettings) { s.Lambda = 3e-3 })}
	if w.Full() {
		out = append(out,
			with(func(s *WordSettings) { s.Lambda = 3e-4 }),
			with(func(s *WordSettings) { s.BaseRates = false }),
			with(func(s *WordSettings) { s.Passes = 6 }),
		)
	}
	return out
}

// largerSettings returns the settings of the larger basis: four times the atoms (twice at the smaller
// sizes), and p such that ‖p‖₁ is unchanged.
func (w *wordLearner) largerSettings(s WordSettings) WordSettings {
	k := w.Pick(2, 2, 4)
	s.Atoms *= k
	s.P /= float64(k)
	return s
}

// learn learns a basis without ratings. It returns B (V×n) and the codes of all documents W (n×N),
// both rounded to float32.
func (w *wordLearner) learn(s WordSettings) (B, W *mat.Dense) {
	key := s.wordsKey("words", w.d)
	var codes *mat.Dense
	B = w.store.Matrix(key, func() *mat.Dense {
		var b *mat.Dense
		b, codes, _ = s.learn(w.Context(), w.d, splitSeed, func(pass int, objective float64) {
			w.say("%s: pass %d, objective %.4f", key.Name(), pass+1, objective)
		})
		// Round B as the store does, because the same run must always give the same codes. If the codes are lost to
		// an interrupt, they are computed from the stored B.
		b = lab.Single(b)
		s.codeAll(w.Context(), w.d, b, codes, nil, 1e-3)
		return b
	})
	W = w.store.Matrix(codesKey(key), func() *mat.Dense {
		if codes == nil { // B was read from the store
			codes = mat.NewDense(s.Atoms, w.d.N(), nil)
			s.codeAll(w.Context(), w.d, B, codes, nil, 1e-3)
		}
		return lab.Single(codes)
	})
	return B, W
}

// choose runs the search. For each fold it chooses the settings of the trial with the largest Inner.
func (w *wordLearner) choose() (trials []*WordTrial, chosen []WordSettings) {
	for _, s := range w.trials() {
		t := &WordTrial{WordSettings: s}
		t.Inner = w.store.Numbers(s.wordsKey("words-inner", w.d), func() []float64 {
			_, W := w.learn(s)
			out := make([]float64, len(w.d.Folds))
			for f := range out {
				out[f], _ = w.d.ridgeInside(w.Context(), W.T(), f)
			}
			w.say("%s: cross-validated predictive R² on the training documents %.3f", s.wordsKey("words", w.d).Name(), out)
			return out
		})
		trials = append(trials, t)
	}
	for f := range w.d.Folds {
		best := trials[0]
		for _, t := range trials {
			if t.Inner[f] > best.Inner[f] {
				best = t
			}
		}
		best.Chosen = append(best.Chosen, f)
		chosen = append(chosen, best.WordSettings)
	}
	return trials, chosen
}
