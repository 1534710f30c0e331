package internal_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/cputime"
	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/autoencoder"
	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/ica"
	"overcomplete/kernel-helpers/icon"
	"overcomplete/kernel-helpers/internal/trial"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/nmfgrad"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/kernel-helpers/pursuit"
	"overcomplete/kernel-helpers/regress"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/kernel-helpers/superposition"
	"overcomplete/kernel-helpers/taskdict"
	"overcomplete/kernel-helpers/topics"
	"overcomplete/kernel-helpers/tsne"
	"overcomplete/kernel-helpers/unrolled"
	"overcomplete/kernel-helpers/vision"
)

// TestCanceled: computations that take many seconds end within a second after their context is done, and return the
// context's error. In each computation, a single decomposition, product, signal or step takes long. After its context
// is done, a decomposition continues for a while and slows down what follows. So decompositions come last, and this
// file is the package's last, so that the process ends then. Normally only a third of the computations is tested (see
// patience.LeftOut).
func TestCanceled(t *testing.T) {
	patience.SkipShort(t, "it runs long computations for a while each")
	normal := func(r, c int) *mat.Dense {
		return trial.Normal(rand.New(rand.NewPCG(uint64(r), uint64(c))), r, c, 1)
	}
	positive := func(r, c int) *mat.Dense {
		X := normal(r, c)
		X.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, X)
		return X
	}
	unit := func(r, c int) *mat.Dense {
		B := normal(r, c)
		B.Apply(func(_, _ int, v float64) float64 { return v / math.Sqrt(float64(r)) }, B)
		for j := range c {
			norm := mat.Norm(B.ColView(j), 2)
			for i := range r {
				B.Set(i, j, B.At(i, j)/norm)
			}
		}
		return B
	}
	square, tall, small := normal(1000, 1100), normal(4000, 2000), positive(4000, 2000)
	points := normal(30000, 100)
	B, signal, signals := unit(400, 1600), normal(400, 1), normal(400, 2000)
	many := normal(400, 50000)
	wide, targets, labels := normal(3500, 3500), make([]float64, 3500), make([]int, 3500)
	for i := range targets {
		targets[i], labels[i] = float64(i%7), i%7
	}
	large, largeSignal := unit(1000, 3000), normal(1000, 1)
	pointLabels, pointTargets := make([]int, 30000), make([]float64, 30000)
	for i := range pointLabels {
		pointLabels[i], pointTargets[i] = i%7, points.At(i, 0)+points.At(i, 1)
	}
	signal1000 := normal(1000, 200)
	responses := make([]float64, 2000)
	copy(responses, targets)
	stored := l2svm.Dense(points)
	machine, err := l2svm.Fit(t.Context(), l2svm.Dense(normal(200, 100)), pointLabels[:200], &l2svm.Options{MaxIterations: 3})
	if ended.Accept(err) != nil {
		t.Fatal(err)
	}
	counts := mat.NewDense(2000, 1000, nil)
	counts.Apply(func(i, j int, _ float64) float64 { return float64((i * j) % 5) }, counts)
	variational, err := topics.FitVariational(t.Context(), counts.Slice(0, 30, 0, 1000), &topics.VariationalOptions{Topics: 100, MaxIterations: 1})
	if ended.Accept(err) != nil {
		t.Fatal(err)
	}
	model, err := topics.Fit(t.Context(), counts.Slice(0, 5, 0, 1000), &topics.Options{Topics: 100, Passes: 2})
	if err != nil {
		t.Fatal(err)
	}
	leaves, _, err := vision.NewLeaves(t.Context(), &vision.LeavesOptions{N: 50})
	if err != nil {
		t.Fatal(err)
	}
	patches := vision.NewPatches(leaves, 8, 2000000, 1)
	mixtures := normal(64, 20000)
	transformer, err := attention.NewTransformer(attention.Config{Vocabulary: 50, Width: 256, Heads: 4, Blocks: 4, Length: 256})
	if err != nil {
		t.Fatal(err)
	}
	sequences := slices.Repeat([][]int{slices.Repeat([]int{1, 2, 3, 4}, 64)}, 16)
	sparsePoints, faces, mixing, features := csr.Of(points), positive(2000, 400), unit(64, 100), superposition.Sparse(1000, 4000, 0.1, 1)
	net, images, codes := unrolled.New(unit(200, 800), 0.1, 10), normal(200, 2000), normal(800, 2000)
	for _, c := range []struct {
		name string
		run  func(ctx context.Context) error
	}{
		{"pca.FitProbabilisticEM", func(ctx context.Context) error {
			_, err := pca.FitProbabilisticEM(ctx, tall, 400, nil)
			return err
		}},
		{"kmeans.Fit", func(ctx context.Context) error {
			_, err := kmeans.Fit(ctx, points, &kmeans.Options{K: 1500})
			return err
		}},
		{"kmeans.Fit in batches", func(ctx context.Context) error {
			_, err := kmeans.Fit(ctx, points, &kmeans.Options{K: 1500, Batch: 3000})
			return err
		}},
		{"pursuit.Lasso of one signal", func(ctx context.Context) error {
			_, err := pursuit.Lasso(ctx, B, signal, 1e-3, nil)
			return err
		}},
		{"pursuit.FISTA of one signal", func(ctx context.Context) error {
			_, err := pursuit.FISTA(ctx, B, signal, 1e-4, nil)
			return err
		}},
		{"sparseapprox.Solve by FISTA", func(ctx context.Context) error {
			_, err := sparseapprox.Solve(ctx, B, signal, &sparseapprox.Options{Lambda: 1e-5, Method: sparseapprox.FISTA, MaxIterations: 1e6, Tolerance: 1e-14})
			return err
		}},
		{"nnls.Solve by ADMM", func(ctx context.Context) error {
			_, err := nnls.Solve(ctx, small, small, &nnls.Options{Method: nnls.ADMM})
			return err
		}},
		{"nmf.Fit", func(ctx context.Context) error {
			_, err := nmf.Fit(ctx, small, &nmf.Options{Components: 300})
			return err
		}},
		{"nmfgrad.Unroll", func(ctx context.Context) error {
			_, err := nmfgrad.Unroll(ctx, small, positive(4000, 100), positive(2000, 100), 1000, 0)
			return err
		}},
		{"tsne.Fit", func(ctx context.Context) error {
			_, err := tsne.Fit(ctx, points, nil)
			return err
		}},
		{"s3c.Fit", func(ctx context.Context) error {
			source, err := s3c.Rows(points, 1)
			if err == nil {
				_, err = s3c.Fit(ctx, source, &s3c.Options{Batch: 5000})
			}
			return err
		}},
		{"klcoding.Coder.Code", func(ctx context.Context) error {
			coder, err := klcoding.New(B, &klcoding.Options{Lambda: 0.01, P: 0.01, Doubled: true})
			if err == nil {
				_, err = coder.Code(ctx, signals)
			}
			return err
		}},
		{"dictionary.Fit", func(ctx context.Context) error {
			_, err := dictionary.Fit(ctx, signals, &dictionary.Options{
				Atoms: 1000, Method: dictionary.MOD, Coder: dictionary.SparseCoder(&sparseapprox.Options{Lambda: 0.3}),
			})
			return err
		}},
		{"dictionary.MeanObjective", func(ctx context.Context) error {
			_, err := dictionary.MeanObjective(ctx, dictionary.KLCoder(&klcoding.Options{Lambda: 0.01, P: 0.01, Doubled: true}), B, many)
			return err
		}},
		{"dictionary.MeanObjective by sparseapprox", func(ctx context.Context) error {
			_, err := dictionary.MeanObjective(ctx, dictionary.SparseCoder(&sparseapprox.Options{Lambda: 1e-3}), B, many)
			return err
		}},
		{"unrolled.Fit", func(ctx context.Context) error {
			_, err := unrolled.Fit(ctx, net, images, codes, &unrolled.Options{Batch: 2000})
			return err
		}},
		{"kmeans.Fit of sparse points", func(ctx context.Context) error {
			_, err := kmeans.Fit(ctx, sparsePoints, &kmeans.Options{K: 500})
			return err
		}},
		{"regress.FitLasso", func(ctx context.Context) error {
			_, err := regress.FitLasso(ctx, wide, targets, 1e-6, nil)
			return err
		}},
		{"regress.FitLassoPath", func(ctx context.Context) error {
			_, err := regress.FitLassoPath(ctx, wide, targets, nil, nil)
			return err
		}},
		{"regress.LassoCV", func(ctx context.Context) error {
			_, err := regress.LassoCV(ctx, wide, targets, nil, nil)
			return err
		}},
		{"regress.RidgeCV", func(ctx context.Context) error {
			_, err := regress.RidgeCV(ctx, wide, targets, nil)
			return err
		}},
		{"regress.FitRidgeTargets", func(ctx context.Context) error {
			_, err := regress.FitRidgeTargets(ctx, wide, wide, 1, nil)
			return err
		}},
		{"classify.FitMaxent", func(ctx context.Context) error {
			_, err := classify.FitMaxent(ctx, wide, labels, nil)
			return err
		}},
		{"classify.FitMaxent with an L1Ratio", func(ctx context.Context) error {
			_, err := classify.FitMaxent(ctx, points, pointLabels, &classify.MaxentOptions{L1Ratio: 1})
			return err
		}},
		{"classify.FitMaxentPath", func(ctx context.Context) error {
			_, err := classify.FitMaxentPath(ctx, points, pointLabels, nil, &classify.MaxentOptions{L1Ratio: 1})
			return err
		}},
		{"classify.FitLinearSVM", func(ctx context.Context) error {
			_, err := classify.FitLinearSVM(ctx, wide, labels, &classify.LinearSVMOptions{C: 1000})
			return err
		}},
		{"classify.FitRBFSVM", func(ctx context.Context) error {
			_, err := classify.FitRBFSVM(ctx, points, pointLabels, nil)
			return err
		}},
		{"classify.FitSVM with probabilities", func(ctx context.Context) error {
			_, err := classify.FitSVM(ctx, points, pointLabels, &classify.SVMOptions{Kernel: classify.Linear{}, Probability: true})
			return err
		}},
		{"classify.FitSVR", func(ctx context.Context) error {
			_, err := classify.FitSVR(ctx, points, pointTargets, nil)
			return err
		}},
		{"classify.FitNetwork", func(ctx context.Context) error {
			_, err := classify.FitNetwork(ctx, wide, labels, &classify.NetworkOptions{Hidden: 1000, Batch: 3000})
			return err
		}},
		{"l2svm.Fit", func(ctx context.Context) error {
			_, err := l2svm.Fit(ctx, stored, pointLabels, &l2svm.Options{C: 1e6, Tolerance: 1e-12})
			return err
		}},
		{"l2svm.FitPath", func(ctx context.Context) error {
			_, err := l2svm.FitPath(ctx, stored, pointLabels, slices.Repeat([]float64{1e6, 1}, 50), nil)
			return err
		}},
		{"l2svm.CrossValidate", func(ctx context.Context) error {
			_, err := l2svm.CrossValidate(ctx, stored, pointLabels, slices.Repeat([]float64{1e6, 1}, 50), nil)
			return err
		}},
		{"l2svm.MeasureCurve", func(ctx context.Context) error {
			_, err := l2svm.MeasureCurve(ctx, stored, pointLabels, stored, pointLabels, &l2svm.CurveOptions{Draws: 50})
			return err
		}},
		{"topics.Fit", func(ctx context.Context) error {
			_, err := topics.Fit(ctx, counts, &topics.Options{Topics: 100})
			return err
		}},
		{"topics.FitSupervised", func(ctx context.Context) error {
			_, err := topics.FitSupervised(ctx, counts, targets[:2000], &topics.Options{Topics: 100})
			return err
		}},
		{"topics.FitVariational", func(ctx context.Context) error {
			_, err := topics.FitVariational(ctx, counts, &topics.VariationalOptions{Topics: 100})
			return err
		}},
		{"topics.Model.Transform", func(ctx context.Context) error {
			_, err := model.Transform(ctx, counts, nil)
			return err
		}},
		{"topics.Model.Perplexity", func(ctx context.Context) error {
			_, err := model.Perplexity(ctx, counts, counts, nil)
			return err
		}},
		{"topics.Variational.Transform", func(ctx context.Context) error {
			_, err := variational.Transform(ctx, counts)
			return err
		}},
		{"topics.Variational.Perplexity", func(ctx context.Context) error {
			_, err := variational.Perplexity(ctx, counts, counts)
			return err
		}},
		{"topics.Variational.BoundOf", func(ctx context.Context) error {
			_, _, err := variational.BoundOf(ctx, counts)
			return err
		}},
		{"tsne.NewAffinities", func(ctx context.Context) error {
			_, err := tsne.NewAffinities(ctx, points, nil)
			return err
		}},
		{"nmf.CrossValidate", func(ctx context.Context) error {
			_, err := nmf.CrossValidate(ctx, small, &nmf.CVOptions{Ranks: []int{50, 60}})
			return err
		}},
		{"nmf.Consensus", func(ctx context.Context) error {
			_, err := nmf.Consensus(ctx, small, &nmf.ConsensusOptions{Ranks: []int{50, 60}})
			return err
		}},
		{"nnls.Solve by Lawson and Hanson", func(ctx context.Context) error {
			_, err := nnls.Solve(ctx, small, small, &nnls.Options{Method: nnls.LawsonHanson})
			return err
		}},
		{"pursuit.BasisPursuit", func(ctx context.Context) error {
			_, err := pursuit.BasisPursuit(ctx, large, mat.Col(nil, 0, largeSignal), nil)
			return err
		}},
		{"pursuit.BasisPursuitBatch", func(ctx context.Context) error {
			_, err := pursuit.BasisPursuitBatch(ctx, B, signals, nil)
			return err
		}},
		{"pursuit.GradientDescent", func(ctx context.Context) error {
			_, err := pursuit.GradientDescent(ctx, large, signal1000, 1e-4, nil)
			return err
		}},
		{"autoencoder.Fit", func(ctx context.Context) error {
			_, err := autoencoder.Fit(ctx, signals, &autoencoder.Options{Features: 2000, Batch: 2000})
			return err
		}},
		{"superposition.Fit", func(ctx context.Context) error {
			_, err := superposition.Fit(ctx, features, &superposition.Options{Hidden: 500})
			return err
		}},
		{"icon.FitMethod", func(ctx context.Context) error {
			_, err := icon.FitMethod(ctx, tall, nil, "t-SNE", nil)
			return err
		}},
		{"icon.FitContrast", func(ctx context.Context) error {
			_, err := icon.FitContrast(ctx, faces, &icon.ContrastOptions{Height: 20, Width: 20, Batch: 1000, Hidden: 1000})
			return err
		}},
		{"taskdict.Fit", func(ctx context.Context) error {
			head := taskdict.NewLinear(responses, make([]float64, 1600), 0, 0)
			_, err := taskdict.Fit(ctx, B, signals, head, &taskdict.Options{Coding: klcoding.Options{Lambda: 0.01, P: 0.01, Doubled: true}, Batch: 2000})
			return err
		}},
		{"taskdict.CodeSignals", func(ctx context.Context) error {
			_, err := taskdict.CodeSignals(ctx, B, signals, true, &klcoding.Options{Lambda: 0.01, P: 0.01, Doubled: true})
			return err
		}},
		{"ica.FitRestarts", func(ctx context.Context) error {
			_, err := ica.FitRestarts(ctx, mixtures, 100, nil)
			return err
		}},
		{"ica.Fit", func(ctx context.Context) error {
			_, err := ica.Fit(ctx, mixing, mixtures, nil)
			return err
		}},
		{"ica.Infer", func(ctx context.Context) error {
			_, err := ica.Infer(ctx, mixing, mixtures, nil)
			return err
		}},
		{"vision.FitWhitening", func(ctx context.Context) error {
			_, err := vision.FitWhitening(ctx, patches, nil)
			return err
		}},
		{"vision.Hold", func(ctx context.Context) error {
			_, err := vision.Hold(ctx, patches)
			return err
		}},
		{"vision.FitOMP1", func(ctx context.Context) error {
			_, err := vision.FitOMP1(ctx, patches, &vision.OMP1Options{Atoms: 200})
			return err
		}},
		{"vision.NewLeaves", func(ctx context.Context) error {
			_, _, err := vision.NewLeaves(ctx, &vision.LeavesOptions{N: 100000})
			return err
		}},
		{"l2svm.Model.Scores", func(ctx context.Context) error {
			_, err := machine.Scores(ctx, stored) // ends soon even without a context
			return err
		}},
		{"attention.Fit", func(ctx context.Context) error {
			_, err := attention.Fit(ctx, transformer, func(int) attention.Batch { return attention.Batch{Inputs: sequences, Targets: sequences} }, nil)
			return err
		}},
		{"pca.Incremental.PartialFit", func(ctx context.Context) error {
			return pca.NewIncremental(1000).PartialFit(ctx, tall)
		}},
		{"pca.FitProbabilistic", func(ctx context.Context) error {
			_, err := pca.FitProbabilistic(ctx, wide, 400)
			return err
		}},
		{"pca.Fit by SVD", func(ctx context.Context) error {
			_, err := pca.Fit(ctx, square, &pca.Options{Method: pca.BySVD})
			return err
		}},
		{"pca.Fit by covariance", func(ctx context.Context) error {
			_, err := pca.Fit(ctx, tall, &pca.Options{Method: pca.ByCovariance})
			return err
		}},
		{"ica.FitFastICA", func(ctx context.Context) error {
			_, err := ica.FitFastICA(ctx, square, nil)
			return err
		}},
		{"regress.FitRidge", func(ctx context.Context) error {
			_, err := regress.FitRidge(ctx, wide, targets, 1)
			return err
		}},
		{"regress.FitRidgePath", func(ctx context.Context) error {
			_, err := regress.FitRidgePath(ctx, wide, targets, slices.Repeat([]float64{1}, 50))
			return err
		}},
		{"regress.FitLeastSquares", func(ctx context.Context) error {
			_, err := regress.FitLeastSquares(ctx, wide, mat.NewDense(len(targets), 1, targets), nil)
			return err
		}},
		{"classify.FitMDA", func(ctx context.Context) error {
			_, err := classify.FitMDA(ctx, wide, labels, &classify.MDAOptions{Shrinkage: 0.1})
			return err
		}},
		{"sparseapprox.Solve by LARS", func(ctx context.Context) error {
			_, err := sparseapprox.Solve(ctx, large, largeSignal, &sparseapprox.Options{Lambda: 1e-4, Method: sparseapprox.LARS})
			return err
		}},
	} {
		if patience.LeftOut(c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			patience.Try(t, func() string {
				ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
				defer cancel()
				end, _ := ctx.Deadline()
				before := make(chan time.Duration, 1)
				context.AfterFunc(ctx, func() { before <- cputime.Used() })
				var err error
				for err == nil { // on a machine that stalls, a computation may end before its context's timer fires
					err = c.run(ctx)
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error %v", err)
				}
				// On a busy machine, work that needs little processor time may still take long.
				late, used := time.Since(end), cputime.Used()-<-before
				if late > time.Second && (used > time.Second || cputime.Used() == 0 || late > 20*time.Second) {
					return fmt.Sprintf("ended %v after its context, after %v of processor time", late, used)
				}
				return ""
			})
		})
	}
}

// TestCanceledComplete: TestCanceled has a case for each exported function and method of the library that takes a
// context, except functions that only call another function or a function of the caller.
func TestCanceledComplete(t *testing.T) {
	elsewhere := map[string]string{
		"crossval.Choose": "try has the context", "crossval.Search": "the fits have it",
		"features.BuildShards": "rows has no context: between blocks", "frame.Query": "the database has it",
		"tape.Tape.Until": "all that trains by gradients", "wordcount.Fit": "between documents",
		"ica.ActiveSetCost": "as ica.Infer", "icon.Minimize": "icon.FitMethod",
		"klcoding.Coder.Calibrate": "klcoding.Coder.Code", "klcoding.Coder.CodeFrom": "klcoding.Coder.Code", "klcoding.Coder.CodeNear": "klcoding.Coder.Code",
		"klcoding.Coder.Trace": "one signal", "klcoding.Coder.VJP": "taskdict.Fit",
		"l2svm.Model.Accuracy": "l2svm.Model.Scores", "l2svm.Model.Predict": "l2svm.Model.Scores", "l2svm.NewScale": "l2svm.Fit", "l2svm.Objective": "l2svm.Fit",
		"nmf.Model.Transform": "nnls.SolveGram", "nmfgrad.Compare": "nmfgrad.Unroll", "nmfgrad.DiagnoseAt": "its solvers",
		"nmfgrad.Point.JVP": "its solvers", "nmfgrad.Point.VJP": "its solvers", "nmfgrad.Point.VJPProduct": "its solvers", "nmfgrad.Point.Unique": "its solvers", "nmfgrad.UnrolledSolver.VJP": "nmfgrad.Unroll",
		"nnls.SolveGram": "nnls.Solve", "pursuit.LinearProgram": "pursuit.BasisPursuit",
		"s3c.Encoder.AddContext": "s3c.Fit", "s3c.Encoder.EncodeContext": "s3c.Fit", "s3c.Model.Infer": "s3c.Fit", "s3c.Model.Transform": "s3c.Fit",
		"sparseapprox.Coder.Code": "sparseapprox.Solve", "sparseapprox.Coder.CodeFrom": "sparseapprox.Solve", "sparseapprox.Coder.Features": "sparseapprox.Solve",
		"topics.SupervisedModel.Predict": "topics.Model.Transform", "trial.Run": "the measurements have it", "trial.Each": "the measurements have it",
		"vision.ExtractFeatures": "between images", "vision.ExtractShards": "between images", "vision.FitKMeans": "kmeans.Fit", "vision.FitSparseCoding": "dictionary.Fit",
	}
	source, err := os.ReadFile("stopping_test.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "internal":
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || d.Name() == "deprecated.go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || len(f.Type.Params.List) == 0 {
				continue
			}
			if first, ok := f.Type.Params.List[0].Type.(*ast.SelectorExpr); !ok || first.Sel.Name != "Context" {
				continue
			}
			name := file.Name.Name + "."
			if f.Recv != nil {
				of := f.Recv.List[0].Type
				if star, ok := of.(*ast.StarExpr); ok {
					of = star.X
				}
				if id, ok := of.(*ast.Ident); !ok || !id.IsExported() {
					continue
				} else {
					name += id.Name + "."
				}
			}
			name += f.Name.Name
			found[name] = true
			here := regexp.MustCompile(`\{"` + regexp.QuoteMeta(name) + `[" ]`).Match(source)
			if _, ok := elsewhere[name]; ok == here {
				t.Errorf("%s: has a case: %v, is in the list of the others: %v", name, here, ok)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range elsewhere {
		if !found[name] {
			t.Errorf("%s is not a function with a context", name)
		}
	}
}
