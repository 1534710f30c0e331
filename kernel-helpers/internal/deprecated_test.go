package internal_test

import (
	"image"
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/autoencoder"
	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/codecost"
	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/features"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gallery"
	"overcomplete/kernel-helpers/ica"
	"overcomplete/kernel-helpers/icon"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/nmfgrad"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/kernel-helpers/regress"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/kernel-helpers/superposition"
	"overcomplete/kernel-helpers/taskdict"
	"overcomplete/kernel-helpers/topics"
	"overcomplete/kernel-helpers/tsne"
	"overcomplete/kernel-helpers/unrolled"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/kernel-helpers/wordcount"
)

// TestDeprecated checks that each name in the files deprecated.go does what its replacement does.
func TestDeprecated(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"attention": deprecatedAttention, "autoencoder": deprecatedAutoencoder, "classify": deprecatedClassify, "codecost": deprecatedCodecost,
		"dictionary": deprecatedDictionary, "features": deprecatedFeatures, "figure": deprecatedFigure, "gallery": deprecatedGallery,
		"ica": deprecatedICA, "icon": deprecatedIcon, "klcoding": deprecatedKLCoding, "kmeans": deprecatedKMeans, "l2svm": deprecatedL2SVM,
		"nmf": deprecatedNMF, "nmfgrad": deprecatedNMFGrad, "pca": deprecatedPCA, "regress": deprecatedRegress, "s3c": deprecatedS3C,
		"superposition": deprecatedSuperposition, "taskdict": deprecatedTaskdict, "topics": deprecatedTopics, "tsne": deprecatedTSNE,
		"unrolled": deprecatedUnrolled, "vision": deprecatedVision, "wordcount": deprecatedWordcount,
	} {
		t.Run(name, test)
	}
}

// same checks that what the old name returned equals what its replacement returned.
func same[T any](t *testing.T, name string, was, is T) {
	t.Helper()
	if !reflect.DeepEqual(was, is) {
		t.Errorf("%s: %v, by the new name %v", name, was, is)
	}
}

// get returns v, and panics if there is an error.
func get[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func deprecatedAttention(t *testing.T) {
	task := attention.Task{Kind: attention.Copy, Digits: 2, Symbols: 3}
	draw := func(step int) attention.Batch { return task.Batch(4, 1, step) }
	model := func() attention.Model {
		return get(attention.NewTransformer(attention.Config{Vocabulary: task.Vocabulary(), Width: 8, Heads: 2, Seed: 1}))
	}
	var was *attention.TrainResult = get(attention.Train(t.Context(), model(), draw, &attention.TrainOptions{Steps: 3}))
	same(t, "Train", was, get(attention.Fit(t.Context(), model(), draw, &attention.FitOptions{Steps: 3})))
}

func deprecatedAutoencoder(t *testing.T) {
	X := mat.NewDense(3, 4, []float64{1, 0, 2, 1, 0, 3, 1, 1, 2, 1, 0, 1})
	r := get(autoencoder.Fit(t.Context(), X, &autoencoder.Options{Features: 4, Steps: 5}))
	same(t, "Train", get(autoencoder.Train(t.Context(), X, autoencoder.Options{Features: 4, Steps: 5})), r)
	S := r.Model.Transform(X)
	same(t, "Encode", r.Model.Encode(X), S)
	same(t, "Decode", r.Model.Decode(S), r.Model.Inverse(S))
}

func deprecatedClassify(t *testing.T) {
	X := mat.NewDense(8, 2, []float64{0, 1, 1, 0.5, 0.2, 0, 1, 1.5, 5, 5, 6, 5, 5, 6.5, 7, 6})
	y := []int{0, 0, 0, 0, 1, 1, 1, 1}
	ctx := t.Context()
	same(t, "TrainMaxent", get(classify.TrainMaxent(ctx, X, y, nil)), get(classify.FitMaxent(ctx, X, y, nil)))
	o := &classify.NetworkOptions{Hidden: 3, Epochs: 2, NoValidation: true}
	same(t, "TrainNetwork", get(classify.TrainNetwork(ctx, X, y, o)), get(classify.FitNetwork(ctx, X, y, o)))
	same(t, "TrainLinearSVM", get(classify.TrainLinearSVM(ctx, X, y, nil)), get(classify.FitLinearSVM(ctx, X, y, nil)))
	r := get(classify.FitRBFSVM(ctx, X, y, nil))
	same(t, "TrainRBFSVM", get(classify.TrainRBFSVM(ctx, X, y, nil)), r)
	same(t, "RBFSVM.Centre", r.Centre, r.Center)
	m, s := get(classify.FitMDA(ctx, X, y, nil)), get(classify.Standardize(X))
	same(t, "TrainMDA", get(classify.TrainMDA(X, y, nil)), m)
	same(t, "MDA.Project", m.Project(X), m.Transform(X))
	same(t, "MDA.Centres", m.Centres, m.Centers)
	same(t, "Standardise", get(classify.Standardise(X)), s)
	same(t, "Scaling.Apply", s.Apply(X), s.Transform(X))
}

func deprecatedCodecost(t *testing.T) {
	A := codecost.Fourier(4)
	X := mat.NewDense(4, 5, []float64{1, 2, 3, 4, 5, 2, 1, 0, 3, 1, 5, 4, 2, 1, 0, 1, 1, 3, 2, 2})
	S, o := codecost.Analyze(A, X), codecost.Options{Estimator: codecost.Kernel}
	values := S.RawRowView(0)
	same(t, "Analyse", codecost.Analyse(A, X), S)
	same(t, "Quantise", codecost.Quantise(values, 0.1), codecost.Quantize(values, 0.1))
	same(t, "Entropy", get(codecost.Entropy(values, 0.1, o)), get(codecost.EstimateEntropy(values, 0.1, &o)))
	same(t, "Measure", get(codecost.Measure(X, A, S, 0.1, o)), get(codecost.MeasureCost(X, A, S, 0.1, &o)))
	steps := []float64{0.1, 0.2}
	same(t, "Curve", get(codecost.Curve(X, A, S, steps, o)), get(codecost.MeasureCurve(X, A, S, steps, &o)))
}

func deprecatedDictionary(t *testing.T) {
	X := mat.NewDense(3, 6, []float64{1, 0, 2, 1, 0.5, 3, 0, 1, 1, 2, 2, 0.5, 1, 1, 0, 0, 3, 1})
	so, ko := sparseapprox.Options{Lambda: 0.1}, klcoding.Options{Lambda: 0.1, P: 0.1}
	for name, c := range map[string][2]dictionary.Coder{
		"Sparse": {dictionary.Sparse(so), dictionary.SparseCoder(&so)}, "KL": {dictionary.KL(ko), dictionary.KLCoder(&ko)},
	} {
		same(t, name, c[0].String(), c[1].String())
		was := get(dictionary.Learn(t.Context(), X, &dictionary.Options{Coder: c[0], Atoms: 4, Passes: 2}))
		is := get(dictionary.Fit(t.Context(), X, &dictionary.Options{Coder: c[1], Atoms: 4, Passes: 2}))
		same(t, "Learn with "+name, was.B, is.B)
	}
	same(t, "Sparse without options", dictionary.Sparse(sparseapprox.Options{}).String(), dictionary.SparseCoder(nil).String())
	same(t, "KL without options", dictionary.KL(klcoding.Options{}).String(), dictionary.KLCoder(nil).String())
}

func deprecatedFeatures(t *testing.T) {
	l := features.Layout{Rows: 4, Cols: 3, ShardRows: 2, Format: features.Float32}
	rows := func(dst []float32, from, to int) error {
		for i := range dst {
			dst[i] = float32(from*l.Cols + i)
		}
		return nil
	}
	read := func(m *features.Matrix) *mat.Dense {
		defer m.Close()
		return get(m.Dense(0, 4))
	}
	was, is := t.TempDir(), t.TempDir()
	made := func(r *features.Report) int { return len(r.Made) }
	same(t, "Build", made(get(features.Build(t.Context(), was, l, features.BuildOptions{}, rows))), 2)
	same(t, "BuildShards", made(get(features.BuildShards(t.Context(), is, l, rows, nil))), 2)
	same(t, "Open", read(get(features.Open(features.OpenOptions{}, was))), read(get(features.OpenShards([]string{is}, nil))))
}

func deprecatedFigure(t *testing.T) {
	var m figure.ColourMap = figure.Greys
	same(t, "Grey", figure.Grey, figure.Gray)
	same(t, "Colour", figure.Colour(3), figure.Color(3))
	same(t, "Greys", m(0.3), figure.Grays(0.3))
}

func deprecatedGallery(t *testing.T) {
	X := mat.NewDense(3, 6, []float64{-1, 0, 1, 2, 3, 4, -1, 1, 3, 5, 7, 9, -1, 2, 5, 8, 11, 14})
	g := gallery.Greys(gallery.PerTile)
	is := gallery.Image(X, 2, 3, &gallery.Options{Columns: 2, Grays: gallery.PerTile})
	for name, was := range map[string]*image.Gray{
		"Picture":                     gallery.Picture(X, 2, 3, gallery.Options{Columns: 2, Grays: gallery.PerTile}),
		"the old field":               gallery.Picture(X, 2, 3, gallery.Options{Columns: 2, Greys: g}),
		"the old field in a new call": gallery.Image(X, 2, 3, &gallery.Options{Columns: 2, Greys: g}),
	} {
		same(t, name, was.Pix, is.Pix)
	}
	if reflect.DeepEqual(gallery.Image(X, 2, 3, nil).Pix, is.Pix) {
		t.Error("the options have no effect")
	}
	same(t, "Draw", gallery.Draw(X, 2, 3, gallery.Options{Columns: 2}).By("").SVG(), gallery.Figure(X, 2, 3, &gallery.Options{Columns: 2}).By("").SVG())
}

func deprecatedICA(t *testing.T) {
	ctx := t.Context()
	mix := ica.NewMixture(ica.EvenBasis(2, 30), ica.GeneralisedGaussian{Shape: 0.8, Scale: 1}, 60, 0, 1)
	begin := ica.PerturbBasis(mix.A, 10, 1)
	steps := &ica.FitOptions{Steps: 3}
	same(t, "Learn", get(ica.Learn(ctx, begin, mix.X, &ica.LearnOptions{Steps: 3})).A, get(ica.Fit(ctx, begin, mix.X, steps)).A)
	was := get(ica.LearnRestarts(ctx, mix.X, 2, &ica.RestartOptions{Starts: 2, ShortSteps: 2, Learn: steps}))
	is := get(ica.FitRestarts(ctx, mix.X, 2, &ica.RestartOptions{Starts: 2, ShortSteps: 2, Fit: steps}))
	same(t, "LearnRestarts", was.A, is.A)
	same(t, "steps of LearnRestarts", was.Steps, 3)
	same(t, "FastICA", get(ica.FastICA(ctx, mix.X, nil)), get(ica.FitFastICA(ctx, mix.X, nil)))
	a, b := mat.DenseCopyOf(begin), mat.DenseCopyOf(begin)
	same(t, "norms of Normalise", ica.Normalise(a), ica.Normalize(b))
	same(t, "Normalise", a, b)
}

func deprecatedIcon(t *testing.T) {
	ctx, X := t.Context(), icon.Normal(12, 4, 1, 1)
	objective := func() *icon.Objective { return get(icon.SNE(X, 4, 2, 1)) }
	same(t, "Fit", get(icon.Fit(ctx, objective(), icon.Options{Steps: 3})).Embedding, get(icon.Minimize(ctx, objective(), &icon.Options{Steps: 3})).Embedding)
	same(t, "Learn", get(icon.Learn(ctx, "Laplacian eigenmaps", X, nil, icon.LearnOptions{Steps: 3, Neighbours: 3})).Embedding,
		get(icon.FitMethod(ctx, X, nil, "Laplacian eigenmaps", &icon.FitOptions{Steps: 3, Neighbors: 3})).Embedding)
	o := icon.ContrastOptions{Height: 2, Width: 2, Steps: 2, Batch: 4, Hidden: 5, Features: 3, Projection: 2}
	was, is := get(icon.Contrast(ctx, X, o)), get(icon.FitContrast(ctx, X, &o))
	same(t, "Contrast", was.Features(X), is.Transform(X))
	same(t, "Features", was.Net.Features(X), is.Net.Transform(X))
	p := get(icon.NeighborsP(X, 3))
	same(t, "NeighboursP", get(icon.NeighboursP(X, 3)).P, p.P)
	same(t, "Symmetrised", icon.Symmetrised(p).P, icon.Symmetrized(p).P)
}

func deprecatedKLCoding(t *testing.T) {
	B, X := mat.NewDense(2, 3, []float64{1, 0, 1, 0, 1, 1}), mat.NewDense(2, 1, []float64{1, 2})
	o := klcoding.Options{Lambda: 0.1, P: 0.01}
	was, is := get(klcoding.NewCoder(B, o)), get(klcoding.New(B, &o))
	a, b := get(was.Code(t.Context(), X)), get(is.Code(t.Context(), X))
	same(t, "NewCoder", a.W, b.W)
	same(t, "Reconstruct", was.Reconstruct(a.W), is.Inverse(a.W))
}

func deprecatedKMeans(t *testing.T) {
	X, first := mat.NewDense(5, 1, []float64{1, 2, 10, 11, 12}), mat.NewDense(2, 1, []float64{1, 2})
	var was *kmeans.Result = get(kmeans.Fit(t.Context(), X, kmeans.Options{K: 2, Centres: first}))
	is := get(kmeans.Fit(t.Context(), X, &kmeans.Options{K: 2, Centers: first}))
	same(t, "Result", was, is)
	same(t, "Centres", was.Centres, was.Centers)
	labels := []int{0, 0, 1, 1, 0}
	same(t, "NormalisedInformation", kmeans.NormalisedInformation(was.Labels, labels), kmeans.NormalizedInformation(was.Labels, labels))
	var none *kmeans.Options
	for _, o := range []kmeans.Optional{nil, none} {
		if _, err := kmeans.Fit(t.Context(), X, o); err == nil {
			t.Error("Fit without K")
		}
	}
}

func deprecatedL2SVM(t *testing.T) {
	ctx, X, y := t.Context(), l2svm.Dense(mat.NewDense(6, 1, []float64{1, 2, 2.5, 3, 5, 7})), []int{0, 0, 1, 0, 1, 1}
	same(t, "Train", get(l2svm.Train(ctx, X, y, nil)).W, get(l2svm.Fit(ctx, X, y, nil)).W)
	same(t, "TrainPath", get(l2svm.TrainPath(ctx, X, y, []float64{1}, nil))[0].W, get(l2svm.FitPath(ctx, X, y, []float64{1}, nil))[0].W)
	o := l2svm.CurveOptions{PerClass: []int{2}, Cs: []float64{1}}
	same(t, "LearningCurve", get(l2svm.LearningCurve(ctx, X, y, X, y, o)), get(l2svm.MeasureCurve(ctx, X, y, X, y, &o)))
}

func deprecatedNMF(t *testing.T) {
	var r *nmf.Result
	r, err := nmf.Fit(t.Context(), mat.NewDense(3, 2, []float64{1, 2, 3, 1, 5, 7}), &nmf.Options{Components: 2})
	if ended.Accept(err) != nil {
		t.Fatal(err)
	}
	u, w := r.Normalised()
	U, W := r.Normalized()
	same(t, "U of Normalised", u, U)
	same(t, "W of Normalised", w, W)
}

func deprecatedNMFGrad(t *testing.T) {
	U, W := mat.NewDense(3, 1, []float64{1, 2, 3}), mat.NewDense(2, 1, []float64{1, 2})
	var A mat.Dense
	A.Mul(U, W.T()) // 3×1 · 1×2
	o := nmfgrad.Options{}
	same(t, "At", get(nmfgrad.At(&A, U, W, o)).Ubar, get(nmfgrad.PointAt(&A, U, W, nil)).Ubar)
	same(t, "FixedW", get(nmfgrad.FixedW(&A, U, W, o)).Ubar, get(nmfgrad.RowsAt(&A, U, W, nil)).Ubar)
	same(t, "Diagnose", get(nmfgrad.Diagnose(t.Context(), &A, U, W, o)).String(), get(nmfgrad.DiagnoseAt(t.Context(), &A, U, W, nil)).String())
	u, w := nmfgrad.Normalise(U, W, nmfgrad.UnitW)
	uu, ww := nmfgrad.Normalize(U, W, nmfgrad.UnitW)
	same(t, "U of Normalise", u, uu)
	same(t, "W of Normalise", w, ww)
}

// Package pca also has the lecture's words.
func deprecatedPCA(t *testing.T) {
	ctx, X := t.Context(), mat.NewDense(4, 2, []float64{1, 2, 3, 1, 5, 7, 2, 2})
	m := get(pca.Fit(ctx, X, &pca.Options{NoCenter: true}))
	same(t, "NoCentre", get(pca.Fit(ctx, X, &pca.Options{NoCentre: true})).Components, m.Components)
	Z := m.Transform(X)
	same(t, "Scores", m.Scores(X), Z)
	same(t, "Reconstruct", m.Reconstruct(Z), m.Inverse(Z))
	w := get(m.Whiten(0))
	same(t, "Apply", w.Apply(X), w.Transform(X))
	p := get(pca.FitProbabilistic(ctx, X, 1))
	same(t, "Posterior", p.Posterior(X), p.Transform(X))
	same(t, "Project", p.Project(X), p.Inverse(p.Transform(X)))
	// The loss ½ tr(S − 2SABᵀ + BAᵀSABᵀ) for A = B = a and S = I is ½(2 − 2‖a‖² + ‖a‖⁴).
	I := mat.NewSymDense(2, []float64{1, 0, 0, 1})
	a := mat.NewDense(2, 1, []float64{0.6, 0.3})
	loss, dA, dB := pca.AutoencoderLoss(I, a, a)
	r := 0.36 + 0.09
	if want := (2 - 2*r + r*r) / 2; math.Abs(loss-want) > 1e-15 {
		t.Errorf("AutoencoderLoss is %v, want %v", loss, want)
	}
	var g mat.Dense
	g.Scale(r-1, a)
	if !mat.EqualApprox(dA, &g, 1e-15) || !mat.EqualApprox(dB, &g, 1e-15) {
		t.Errorf("gradients %v and %v, want %v", dA, dB, &g)
	}
}

func deprecatedRegress(t *testing.T) {
	ctx, X, y := t.Context(), mat.NewDense(4, 2, []float64{1, 2, 3, 1, 5, 7, 2, 2}), []float64{1, 3, 2, 5}
	list := []float64{1, 0.1}
	same(t, "TrainRidge", get(regress.TrainRidge(X, y, 1)), get(regress.FitRidge(ctx, X, y, 1)))
	same(t, "RidgePath", get(regress.RidgePath(X, y, list)), get(regress.FitRidgePath(ctx, X, y, list)))
	same(t, "TrainLasso", get(regress.TrainLasso(ctx, X, y, 0.1, nil)), get(regress.FitLasso(ctx, X, y, 0.1, nil)))
	same(t, "LassoPath", get(regress.LassoPath(ctx, X, y, list, nil)), get(regress.FitLassoPath(ctx, X, y, list, nil)))
}

func deprecatedS3C(t *testing.T) {
	ctx, X := t.Context(), mat.NewDense(5, 2, []float64{1, 2, 3, 1, 5, 7, 2, 2, 1, -1})
	src, o := get(s3c.Rows(X, 1)), &s3c.Options{Units: 3, Steps: 2, Batch: 2}
	m := get(s3c.Fit(ctx, src, o)).Model
	same(t, "Train", get(s3c.Train(ctx, src, o)).Model.W, m.W)
	same(t, "Encode", get(m.Encode(ctx, X, nil)), get(m.Transform(ctx, X, nil)))
	same(t, "Reconstruct", m.Reconstruct(m.Prior(2)), m.Inverse(m.Prior(2)))
	x, was, is := []float32{1, 2}, make([]float32, 3), make([]float32, 3)
	get(s3c.NewEncoder(m, s3c.EncoderOptions{})).Encode(was, x, 1)
	get(m.NewEncoder(nil)).Encode(is, x, 1)
	same(t, "NewEncoder", was, is)
}

func deprecatedSuperposition(t *testing.T) {
	d, o := superposition.Sparse(3, 20, 0.5, 1), superposition.Options{Hidden: 2, Starts: 1, Steps: 5}
	m := get(superposition.Fit(t.Context(), d, &o)).Model
	same(t, "Train", get(superposition.Train(t.Context(), d, o)).Model.W, m.W)
	same(t, "Decode", m.Decode(d.X), m.Inverse(m.Transform(d.X)))
	same(t, "Reconstruct", m.Reconstruct(d.X), m.Decode(d.X))
}

func deprecatedTaskdict(t *testing.T) {
	ctx, B, X := t.Context(), mat.NewDense(2, 2, []float64{1, 0, 0, 1}), mat.NewDense(2, 3, []float64{1, 2, 0.5, 2, 1, 1})
	coding := klcoding.Options{Lambda: 0.1, P: 0.01}
	same(t, "Codes", get(taskdict.Codes(ctx, B, X, coding, false)), get(taskdict.CodeSignals(ctx, B, X, false, &coding)))
	head := func() taskdict.Head { return taskdict.NewLinear([]float64{1, 2, 3}, []float64{1, 1}, 0, 0.1) }
	o := taskdict.Options{Coding: coding, Epochs: 1}
	same(t, "Train", get(taskdict.Train(ctx, B, X, head(), o)).B, get(taskdict.Fit(ctx, B, X, head(), &o)).B)
}

func deprecatedTopics(t *testing.T) {
	ctx, counts := t.Context(), mat.NewDense(3, 4, []float64{2, 1, 0, 0, 0, 0, 3, 1, 1, 1, 0, 0})
	m := get(topics.Fit(ctx, counts, &topics.Options{Topics: 2, Passes: 4, Seed: 1}))
	same(t, "Infer", get(m.Infer(ctx, counts, nil)), get(m.Transform(ctx, counts, nil)))
}

func deprecatedTSNE(t *testing.T) {
	X := mat.NewDense(6, 1, []float64{1, 2, 4, 8, 16, 32})
	same(t, "Neighbours", get(tsne.NewAffinities(t.Context(), X, &tsne.Options{Perplexity: 2, Neighbours: 4})),
		get(tsne.NewAffinities(t.Context(), X, &tsne.Options{Perplexity: 2, Neighbors: 4})))
}

func deprecatedUnrolled(t *testing.T) {
	B, X := mat.NewDense(2, 3, []float64{1, 0, 1, 0, 1, 1}), mat.NewDense(2, 4, []float64{1, 2, 3, 1, 5, 7, 2, 2})
	was, is := unrolled.New(B, 0.1, 2), unrolled.New(B, 0.1, 2)
	W := mat.NewDense(3, 4, nil)
	get(unrolled.Train(t.Context(), was, X, W, &unrolled.Options{Steps: 2}))
	get(unrolled.Fit(t.Context(), is, X, W, &unrolled.Options{Steps: 2}))
	same(t, "Train and Code", was.Code(X), is.Transform(X))
}

func deprecatedVision(t *testing.T) {
	ctx := t.Context()
	im, _, err := vision.Leaves(ctx, vision.LeavesOptions{N: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := vision.NewLeaves(ctx, &vision.LeavesOptions{N: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "Leaves", im.String(), again.String())
	X := vision.NewPatches(im, 4, 60, 1)
	w := get(vision.Whiten(ctx, X, vision.WhitenOptions{}))
	same(t, "Whiten", w.ZCA, get(vision.FitWhitening(ctx, X, nil)).ZCA)
	P := w.Patches(X)
	same(t, "KMeans", get(vision.KMeans(ctx, P, kmeans.Options{K: 2, Restarts: 1})).D, get(vision.FitKMeans(ctx, P, &kmeans.Options{K: 2, Restarts: 1})).D)
	same(t, "SparseCoding", get(vision.SparseCoding(ctx, P, dictionary.Options{Atoms: 3, Passes: 1})).D,
		get(vision.FitSparseCoding(ctx, P, &dictionary.Options{Atoms: 3, Passes: 1})).D)
	a, b := get(vision.OMP1(ctx, P, vision.OMP1Options{Atoms: 3, Passes: 2})), get(vision.FitOMP1(ctx, P, &vision.OMP1Options{Atoms: 3, Passes: 2}))
	same(t, "OMP1", a.D, b.D)
	was, is := get(vision.SparseCode(a, sparseapprox.Options{})), get(vision.SparseEncoder(b, nil))
	same(t, "Features", get(vision.Features(ctx, im, w, was, vision.ExtractOptions{})), get(vision.ExtractFeatures(ctx, im, w, is, nil)))
	same(t, "ExtractLayout", get(vision.ExtractLayout(im, w, was, vision.ExtractOptions{})), get(vision.ShardsLayout(im, w, is, nil)))
	_, p, err := vision.PooledMaps(im, 0, w, was, []int{1}, vision.ExtractOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, q, err := vision.PoolMaps(im, 0, w, is, []int{1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "PooledMaps", p[0], q[0])
	for name, o := range map[string]vision.ExtractOptions{"no folder": {}, "a folder": {Folder: t.TempDir()}} {
		r, err := vision.Extract(ctx, im, w, was, o)
		s, other := vision.ExtractShards(ctx, im, w, is, &o)
		if (err == nil) != (other == nil) || (r == nil) != (s == nil) {
			t.Errorf("%s: Extract: %v %v, ExtractShards: %v %v", name, r, err, s, other)
		}
	}
	one := mat.NewDense(1, 4, []float64{0, 1, 0.5, 0})
	same(t, "Grey", get(vision.Grey(one, 2, 2)).String(), get(vision.Gray(one, 2, 2)).String())
}

func deprecatedWordcount(t *testing.T) {
	docs := [][]string{{"a", "b", "a"}, {"b", "c"}}
	was, is := get(wordcount.Choose(docs, nil)), get(wordcount.Fit(t.Context(), docs, nil))
	same(t, "Choose", was.Words, is.Words)
	X := is.Transform(docs)
	same(t, "Count", was.Count(docs), X)
	same(t, "Normalise", get(wordcount.Normalise(X)), get(wordcount.Normalize(X)))
}
