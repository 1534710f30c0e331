package refusals

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/autoencoder"
	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/features"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/frame"
	"overcomplete/kernel-helpers/icon"
	"overcomplete/kernel-helpers/implicit"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/nmfgrad"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/kernel-helpers/pursuit"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/kernel-helpers/superposition"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/kernel-helpers/taskdict"
	"overcomplete/kernel-helpers/topics"
	"overcomplete/kernel-helpers/tsne"
	"overcomplete/kernel-helpers/unrolled"
	"overcomplete/kernel-helpers/vision"
)

// square returns a positive definite matrix of positive numbers.
func square() *mat.Dense {
	M := mat.NewDense(6, 6, nil)
	for i := range 6 {
		for j := range 6 {
			M.Set(i, j, 1/float64(1+(i-j)*(i-j))+float64((i+1)*(j+1))/40)
		}
		M.Set(i, i, M.At(i, i)+1)
	}
	return M
}

// documents returns word counts.
func documents() *mat.Dense {
	M := mat.NewDense(6, 6, nil)
	M.Apply(func(i, j int, _ float64) float64 { return float64((i*j + i + 2*j) % 4) }, M)
	return M
}

// must returns v of a call that cannot fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint("the sample: ", err))
	}
	return v
}

// one returns an entry for samples: the type of f's result, and a function that calls f.
func one[T any](f func() T) (reflect.Type, func() any) {
	return reflect.TypeFor[T](), func() any { return f() }
}

// onTape is the tape on which all values are, because values of different tapes cannot be combined.
var onTape = tape.New()

var bg = context.Background()

func coding() klcoding.Options { return klcoding.Options{Lambda: 0.1, P: 0.25, Doubled: true} }

func transformer() *attention.Transformer {
	return must(attention.NewTransformer(attention.Config{Vocabulary: 3, Length: 8, Width: 4, Heads: 2}))
}

func images() *vision.Images {
	pixels := make([]uint8, 6*36)
	for i := range pixels {
		pixels[i] = uint8(7 * i)
	}
	return vision.NewImages(pixels, 1, 6, 6)
}

// linear is the condition square()·s = θ. It is also the operator for this condition's matrix.
type linear struct{}

func (linear) Dims() (sol, args int)   { return 6, 6 }
func (linear) Dim() int                { return 6 }
func (linear) SolJVP(dst, v []float64) { linear{}.Apply(dst, v) }
func (linear) SolVJP(dst, v []float64) { linear{}.Apply(dst, v) }
func (linear) ApplyT(dst, v []float64) { linear{}.Apply(dst, v) }
func (linear) Apply(dst, v []float64) {
	mat.NewVecDense(6, dst).MulVec(square(), mat.NewVecDense(6, append([]float64(nil), v...)))
}
func (linear) ArgsJVP(dst, v []float64) {
	for i := range dst {
		dst[i] = -v[i]
	}
}
func (linear) ArgsVJP(dst, v []float64) { linear{}.ArgsJVP(dst, v) }

// database is empty.
type database struct{}

func (database) QueryContext(context.Context, string, ...any) (*sql.Rows, error) {
	return nil, errors.New("no such table")
}

// factored returns an exact factorization A = UW'.
func factored() (A, U, W *mat.Dense) {
	U, W = mat.NewDense(6, 2, nil), mat.NewDense(6, 2, nil)
	for i := range 6 {
		U.Set(i, 0, float64(1+i))
		W.Set(i, 0, float64(6-i))
		U.Set(i, 1, float64((i*i)%5+1))
		W.Set(i, 1, float64((i*3)%7+1))
	}
	A = new(mat.Dense)
	A.Mul(U, W.T())
	return A, U, W
}

// samples holds valid values of types for which the function value would find no sample.
var samples = map[reflect.Type]func() any{
	context_: func() any { return context.Background() },
	matrix:   func() any { return square() },
	dense:    func() any { return square() },
}

func init() {
	add := func(t reflect.Type, f func() any) { samples[t] = f }
	add(one(func() frame.Querier { return database{} }))
	add(one(func() figure.ColorMap { return figure.Grays }))
	add(one(func() *rand.Rand { return rand.New(rand.NewPCG(1, 1)) }))
	add(one(func() *plot.Plot { return plot.New() }))
	add(one(func() *tape.Tape { return onTape }))
	add(one(func() *tape.Value { return onTape.Const(square()) }))
	add(one(func() *tape.Param { return tape.NewSet(1).Normal("a", 6, 6, 1) }))
	add(one(func() attention.Layer { return func(H *mat.Dense) *mat.Dense { return mat.DenseCopyOf(H) } }))
	add(one(transformer))
	add(one(func() *attention.Recurrent {
		return must(attention.NewRecurrent(attention.RecurrentConfig{Vocabulary: 3, Width: 4}))
	}))
	add(one(func() *attention.Seq2Seq {
		return must(attention.NewSeq2Seq(attention.Seq2SeqConfig{Vocabulary: 4, Separator: 3, Width: 4}))
	}))
	add(one(func() attention.Batch {
		return attention.Batch{Inputs: [][]int{{0, 1, 2}, {1, 2, 0}}, Targets: [][]int{{1, 2, 0}, {2, 0, 1}}}
	}))
	add(one(func() *attention.FitOptions { return &attention.FitOptions{Steps: 2} }))
	add(one(func() [][]int { return [][]int{{0, 1, 2}, {1, 2, 0}} }))
	add(one(func() autoencoder.Options { return autoencoder.Options{Features: 3, Steps: 2} }))
	add(one(func() *autoencoder.Model {
		return must(autoencoder.Fit(bg, square(), &autoencoder.Options{Features: 6, Steps: 2})).Model
	}))
	add(one(func() *dictionary.Options {
		return &dictionary.Options{Atoms: 6, Passes: 1, Coder: dictionary.SparseCoder(&sparseapprox.Options{Lambda: 0.1})}
	}))
	add(one(func() dictionary.Options {
		return dictionary.Options{Atoms: 3, Passes: 1, Coder: dictionary.SparseCoder(&sparseapprox.Options{Lambda: 0.1})}
	}))
	add(one(func() dictionary.Coder { return dictionary.SparseCoder(&sparseapprox.Options{Lambda: 0.1}) }))
	learned := func() *dictionary.Result {
		return must(dictionary.Fit(bg, square(), &dictionary.Options{Atoms: 6, Passes: 1, Coder: dictionary.SparseCoder(&sparseapprox.Options{Lambda: 0.1})}))
	}
	add(one(learned))
	add(one(func() *dictionary.State { return learned().State }))
	add(one(func() features.Layout { return features.Layout{Rows: 6, Cols: 6, ShardRows: 2} }))
	add(one(func() *figure.Figure { return figure.New("a", "x", "y") }))
	add(one(func() *icon.Encoder { return icon.NewEncoder(1, 1, 6, 4, 3) }))
	add(one(func() *icon.NetworkEmbedding {
		return &icon.NetworkEmbedding{X: square(), Net: icon.NewEncoder(1, 1, 6, 4, 3)}
	}))
	add(one(func() icon.Data { return icon.Data{X: square()} }))
	add(one(func() *icon.Pair { return icon.On(icon.NewPoints(square()), icon.Gaussian{Sigma: 1}) }))
	add(one(func() icon.Gaussian { return icon.Gaussian{Sigma: 1} }))
	add(one(func() icon.ContrastOptions { return icon.ContrastOptions{Height: 2, Width: 3, Steps: 2, Batch: 3} }))
	add(one(func() *icon.Given { return icon.SelfP(6) }))
	add(one(func() icon.Options { return icon.Options{Steps: 3} }))
	add(one(func() klcoding.Options { return coding() }))
	add(one(func() *klcoding.Options { c := coding(); return &c }))
	add(one(func() *klcoding.Coder { return must(klcoding.New(square(), new(coding()))) }))
	add(one(func() kmeans.Optional { return &kmeans.Options{K: 2} }))
	add(one(func() *kmeans.Options { return &kmeans.Options{K: 2} }))
	add(one(func() *nmf.Options { return &nmf.Options{Components: 3} }))
	add(one(func() *nmf.CVOptions { return &nmf.CVOptions{Ranks: []int{1, 2}, Fit: nmf.Options{MaxIterations: 10}} }))
	add(one(func() *nmf.ConsensusOptions { return &nmf.ConsensusOptions{Ranks: []int{2}, Runs: 2} }))
	add(one(func() *nmf.Sparse { return nmf.Sparsify(square()) }))
	add(one(func() *nmfgrad.KKT { A, U, W := factored(); return must(nmfgrad.NewKKT(A, U, W)) }))
	add(one(func() *nmfgrad.Point {
		A, U, W := factored()
		return must(nmfgrad.PointAt(A, U, W, &nmfgrad.Options{}))
	}))
	add(one(func() *nmfgrad.Rows { A, U, W := factored(); return must(nmfgrad.RowsAt(A, U, W, &nmfgrad.Options{})) }))
	add(one(func() *nmfgrad.UnrolledSolver {
		A, U, W := factored()
		return must(nmfgrad.Unroll(bg, A, U, W, 3, nmfgrad.HALS))
	}))
	add(one(func() *nmfgrad.DegenerateError { return &nmfgrad.DegenerateError{Entries: []nmfgrad.Entry{{}}} }))
	add(one(func() *nnls.Rows {
		return &nnls.Rows{G: square(), C: square(), U: square(), Dual: mat.NewDense(6, 6, nil)}
	}))
	add(one(func() *pca.Whitener { return must(must(pca.Fit(bg, square(), nil)).Whiten(0.1)) }))
	add(one(func() implicit.Operator { return linear{} }))
	add(one(func() implicit.Condition { return linear{} }))
	add(one(func() *pursuit.GradientOptions { return &pursuit.GradientOptions{Steps: 3} }))
	add(one(func() *s3c.Model { return must(s3c.NewModel(square(), -1, 1, 1)) }))
	add(one(func() *s3c.Encoder { return must(must(s3c.NewModel(square(), -1, 1, 1)).NewEncoder(nil)) }))
	add(one(func() *s3c.Posterior { return must(s3c.NewModel(square(), -1, 1, 1)).Prior(6) }))
	add(one(func() s3c.Source { return must(s3c.Rows(square(), 1)) }))
	training := func() *s3c.Result {
		return must(s3c.Fit(bg, must(s3c.Rows(square(), 1)), &s3c.Options{Units: 6, Batch: 6, Steps: 2}))
	}
	add(one(training))
	add(one(func() *s3c.State { return training().State }))
	add(one(func() *s3c.Options { return &s3c.Options{Units: 6, Batch: 6, Steps: 2} }))
	add(one(func() sparseapprox.Options { return sparseapprox.Options{Lambda: 0.1} }))
	add(one(func() *sparseapprox.Options { return &sparseapprox.Options{Lambda: 0.1} }))
	add(one(func() *sparseapprox.Coder {
		return must(sparseapprox.NewCoder(square(), &sparseapprox.Options{Lambda: 0.1}))
	}))
	add(one(func() *sparseapprox.LassoPath {
		return must(must(sparseapprox.NewCoder(square(), &sparseapprox.Options{Lambda: 0.1})).Path([]float64{3, 1, 2, 0, 1, 2}, 0.1))
	}))
	add(one(func() *dictionary.Codes { return &dictionary.Codes{W: square(), Objective: make([]float64, 6)} }))
	add(one(func() *topics.Options { return &topics.Options{Topics: 2, Passes: 4} }))
	add(one(func() *topics.Variational {
		return must(topics.FitVariational(bg, documents(), &topics.VariationalOptions{Topics: 2, Batch: 3}))
	}))
	add(one(func() *topics.Model { return must(topics.Fit(bg, documents(), &topics.Options{Topics: 2, Passes: 4})) }))
	add(one(func() *topics.SupervisedModel {
		return must(topics.FitSupervised(bg, documents(), []float64{1, 2, 3, 4, 5, 7}, &topics.Options{Topics: 2, Passes: 4}))
	}))
	add(one(func() *superposition.Options { return &superposition.Options{Hidden: 2, Starts: 1, Steps: 3} }))
	add(one(func() *superposition.Model {
		return must(superposition.Fit(bg, superposition.Sparse(6, 6, 0.5, 1), &superposition.Options{Hidden: 2, Starts: 1, Steps: 3})).Model
	}))
	add(one(func() *taskdict.Options { return &taskdict.Options{Coding: coding(), Epochs: 1, Batch: 3} }))
	add(one(func() *tsne.Options { return &tsne.Options{Perplexity: 1.5, Steps: 5} }))
	add(one(func() *unrolled.Options { return &unrolled.Options{Steps: 3} }))
	add(one(images))
	add(one(func() vision.Rows { return must(vision.Hold(bg, vision.NewPatches(images(), 2, 9, 1))) }))
}

// skipped maps functions that the test does not call to the reasons. The name of a type stands for all its methods.
var skipped = map[string]string{
	"gemm.BLAS": "it is a blas.Float64, whose messages are gonum's",

	"vision.NewLeaves": "it takes half a second, and is given nothing but numbers",

	"separate.Serve": "it ends the process",

	"check.Verdict.Must":           "it panics with what the exercise says, for who solves it",
	"figure.Figure.Draw":           "gonum's plot calls it",
	"figure.Figure.DrawGlyphBoxes": "gonum's plot calls it",
	"figure.Figure.WriterTo":       "gonum's message names the formats",
	"frame.FromRows":               "a *sql.Rows comes from a database alone; the package's tests have one",
}

// takes lists, for some functions, invalid arguments that they may accept although most functions must reject them.
// Comments give the reasons.
var takes = map[string][]string{
	"num.Div":            {"Inf"},               // a/Inf is 0
	"num.FiniteRows":     {"NaN", "Inf"},        // it finds them
	"num.Map":            {"NaN", "Inf"},        // what happens to a number depends on the caller's function
	"nnls.Rows.Gradient": {"NaN", "Inf"},        // dst, which is overwritten
	"s3c.Fit":            {"nil", "zero value"}, // the options of the published result, which take hours
	// The error starts with the solver's name; VJP and JVP prefix the package.
	"implicit.CG.Solve":       {"NaN in a slice"},
	"implicit.Cholesky.Solve": {"NaN in a slice"},
	"implicit.GMRES.Solve":    {"NaN in a slice"},
	"implicit.LSMR.Solve":     {"NaN in a slice"},
	"implicit.LU.Solve":       {"NaN in a slice"},
	"implicit.NormalCG.Solve": {"NaN in a slice"},
	// Drawing a number takes nanoseconds; checking the generator would cost as much.
	"ica.BernoulliLaplacian.Draw":  {"nil"},
	"ica.Exponential.Draw":         {"nil"},
	"ica.GeneralizedGaussian.Draw": {"nil"},
	"ica.Laplacian.Draw":           {"nil"},
	// The result is a copy of some rows; the other rows are not checked.
	"classify.Rows": {"NaN", "Inf"},
	// An estimate may have diverged. A column that has diverged matches no other, and the angle is 90 degrees.
	"ica.Match": {"NaN", "Inf"},
}
