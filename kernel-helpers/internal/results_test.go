package internal_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/ica"
	"overcomplete/kernel-helpers/icon"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/kernel-helpers/pursuit"
	"overcomplete/kernel-helpers/regress"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/kernel-helpers/topics"
	"overcomplete/kernel-helpers/tsne"
)

// TestNotConverged: with too few iterations, a method returns its result and an error that wraps
// ended.ErrNotConverged, as docs/library.md says.
func TestNotConverged(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const n, d = 80, 6
	X, positive := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	y, target := make([]int, n), make([]float64, n)
	for i := range n {
		y[i] = i % 3
		for j := range d {
			X.Set(i, j, rng.NormFloat64()+float64(y[i]*j)/4)
			positive.Set(i, j, rng.ExpFloat64())
		}
		target[i] = X.At(i, 0) - 2*X.At(i, 1) + rng.NormFloat64()
	}
	var XT mat.Dense
	XT.CloneFrom(X.T()) // d×n, one signal per column
	B := mat.NewDense(d, 10, nil)
	B.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, B)
	ctx := context.Background()
	points := l2svm.Dense(X)
	type call func() (any, error)
	for name, f := range map[string]call{
		"classify.FitMaxent": func() (any, error) { return classify.FitMaxent(ctx, X, y, &classify.MaxentOptions{MaxIterations: 1}) },
		"classify.FitLinearSVM": func() (any, error) {
			return classify.FitLinearSVM(ctx, X, y, &classify.LinearSVMOptions{MaxIterations: 1})
		},
		"classify.FitRBFSVM": func() (any, error) { return classify.FitRBFSVM(ctx, X, y, &classify.RBFSVMOptions{MaxIterations: 1}) },
		"classify.FitSVM": func() (any, error) {
			return classify.FitSVM(ctx, X, y, &classify.SVMOptions{Kernel: classify.Linear{}, MaxIterations: 1})
		},
		"classify.FitSVR":     func() (any, error) { return classify.FitSVR(ctx, X, target, &classify.SVROptions{MaxIterations: 1}) },
		"ica.FitFastICA":      func() (any, error) { return ica.FitFastICA(ctx, &XT, &ica.FastICAOptions{MaxIterations: 1}) },
		"kmeans.Fit":          func() (any, error) { return kmeans.Fit(ctx, X, &kmeans.Options{K: 5, MaxIterations: 1}) },
		"kmeans.Fit, batches": func() (any, error) { return kmeans.Fit(ctx, X, &kmeans.Options{K: 5, Batch: 10, MaxIterations: 2}) },
		"klcoding.Code": func() (any, error) {
			c, err := klcoding.New(B, &klcoding.Options{Lambda: 0.1, P: 0.25, Doubled: true, MaxIterations: 1})
			if err != nil {
				return nil, err
			}
			return c.Code(ctx, &XT)
		},
		"l2svm.Fit": func() (any, error) { return l2svm.Fit(ctx, points, y, &l2svm.Options{MaxIterations: 1}) },
		"l2svm.FitPath": func() (any, error) {
			return l2svm.FitPath(ctx, points, y, []float64{1, 10}, &l2svm.Options{MaxIterations: 1})
		},
		"l2svm.CrossValidate": func() (any, error) {
			return l2svm.CrossValidate(ctx, points, y, []float64{1, 10}, &l2svm.CVOptions{Options: l2svm.Options{MaxIterations: 1}})
		},
		"l2svm.MeasureCurve": func() (any, error) {
			return l2svm.MeasureCurve(ctx, points, y, points, y, &l2svm.CurveOptions{PerClass: []int{10}, Draws: 2, Options: l2svm.Options{MaxIterations: 1}})
		},
		"topics.FitVariational": func() (any, error) {
			return topics.FitVariational(ctx, positive, &topics.VariationalOptions{Topics: 3, MaxIterations: 1})
		},
		"nmf.Fit": func() (any, error) { return nmf.Fit(ctx, positive, &nmf.Options{Components: 3, MaxIterations: 1}) },
		"nmf.Fit, batches": func() (any, error) {
			return nmf.Fit(ctx, positive, &nmf.Options{Components: 3, MaxIterations: 1, Batch: 20})
		},
		"nmf.Fit, batches, KL": func() (any, error) {
			return nmf.Fit(ctx, positive, &nmf.Options{Components: 3, MaxIterations: 1, Batch: 20, Method: nmf.Multiplicative, Loss: nmf.KL})
		},
		"nmf.Fit, KKT": func() (any, error) {
			return nmf.Fit(ctx, positive, &nmf.Options{Components: 3, MaxIterations: 1, Tolerance: -1, KKT: 1e-9})
		},
		"nnls.Solve": func() (any, error) {
			return nnls.Solve(ctx, positive, X, &nnls.Options{Method: nnls.ADMM, MaxIterations: 1})
		},
		"pca.FitProbabilisticEM": func() (any, error) {
			return pca.FitProbabilisticEM(ctx, X, 2, &pca.EMOptions{MaxIterations: 1})
		},
		"pursuit.Lasso": func() (any, error) { return pursuit.Lasso(ctx, B, &XT, 0.1, &pursuit.LassoOptions{MaxIterations: 1}) },
		"regress.FitLasso": func() (any, error) {
			return regress.FitLasso(ctx, X, target, 0.01, &regress.LassoOptions{MaxIterations: 1})
		},
		"regress.FitLassoPath": func() (any, error) {
			return regress.FitLassoPath(ctx, X, target, nil, &regress.LassoOptions{MaxIterations: 1})
		},
		"regress.LassoCV": func() (any, error) {
			return regress.LassoCV(ctx, X, target, nil, &regress.LassoOptions{MaxIterations: 1})
		},
		"classify.FitMaxentPath": func() (any, error) {
			return classify.FitMaxentPath(ctx, X, y, nil, &classify.MaxentOptions{MaxIterations: 1, L1Ratio: 1})
		},
		"sparseapprox.Solve": func() (any, error) {
			return sparseapprox.Solve(ctx, B, &XT, &sparseapprox.Options{Lambda: 0.1, MaxIterations: 1})
		},
	} {
		r, err := f()
		if !errors.Is(err, ended.ErrNotConverged) {
			t.Errorf("%s: the error is %v", name, err)
		}
		if v := reflect.ValueOf(r); !v.IsValid() || v.IsZero() {
			t.Errorf("%s: there is no result beside the error", name)
		}
		if ended.Accept(err) != nil {
			t.Errorf("%s: %v is not accepted", name, err)
		}
	}
	// Requesting all iterations is not an error.
	if r, err := nmf.Fit(ctx, positive, &nmf.Options{Components: 3, MaxIterations: 4, Tolerance: -1}); err != nil || r.Status != ended.IterationLimit || r.Iterations != 4 {
		t.Errorf("nmf.Fit, Tolerance -1: %v", err)
	}
	m, err := s3c.NewModel(B, -1, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := m.Infer(ctx, X, &s3c.InferOptions{Method: s3c.Coordinate, Schedule: s3c.Schedule{H: []float64{1, 1}, S: []float64{1, 1}}}); err != nil || r.Status != ended.Done || r.Updates != 2 || math.IsNaN(r.Energy[0]) {
		t.Errorf("s3c.Infer, two sweeps: %v", err)
	}
}

// TestNotConvergedHasResult looks in the library's source for statements that return nil together with an error that
// wraps ended.ErrNotConverged. Callers that pass this error to ended.Accept would then use the nil.
func TestNotConvergedHasResult(t *testing.T) {
	found := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			r, ok := n.(*ast.ReturnStmt)
			if !ok || len(r.Results) < 2 {
				return true
			}
			wraps := false
			ast.Inspect(r, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				wraps = wraps || ok && (id.Name == "ErrNotConverged" || id.Name == "Missed")
				return true
			})
			if !wraps {
				return true
			}
			found++
			if first, ok := r.Results[0].(*ast.Ident); ok && first.Name == "nil" {
				t.Errorf("%v returns nil beside ErrNotConverged", fset.Position(r.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 12 {
		t.Errorf("only %d statements return ended.ErrNotConverged", found)
	}
}

// TestResultsSummarize: a result has a method String. Without one, a cell that ends with the result shows all its
// numbers. Results are exported structs with a Status or a History, and what functions named Fit return.
func TestResultsSummarize(t *testing.T) {
	results := 0
	err := filepath.WalkDir("..", func(dir string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		if e.Name() == "internal" || e.Name() == "testdata" {
			return fs.SkipDir
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return err
		}
		found, summarizes := map[string]bool{}, map[string]bool{}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					if n.Recv != nil && n.Name.Name == "String" {
						of := n.Recv.List[0].Type
						if p, ok := of.(*ast.StarExpr); ok {
							of = p.X
						}
						if name, ok := of.(*ast.Ident); ok {
							summarizes[name.Name] = true
						}
					}
					if n.Recv == nil && strings.HasPrefix(n.Name.Name, "Fit") {
						if p, ok := n.Type.Results.List[0].Type.(*ast.StarExpr); ok {
							if name, ok := p.X.(*ast.Ident); ok {
								found[name.Name] = true
							}
						}
					}
					return false
				case *ast.TypeSpec:
					if s, ok := n.Type.(*ast.StructType); ok && n.Name.IsExported() && hasField(s, "Status", "History") {
						found[n.Name.Name] = true
					}
				}
				return true
			})
		}
		for name := range found {
			results++
			if !summarizes[name] {
				t.Errorf("%s: %s has no method String", dir, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if results < 30 {
		t.Errorf("found only %d types of results", results)
	}
}

func hasField(s *ast.StructType, names ...string) bool {
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			for _, name := range names {
				if n.Name == name {
					return true
				}
			}
		}
	}
	return false
}

// TestStored checks that package encoding/gob stores models: a stored model predicts or transforms as the model does.
func TestStored(t *testing.T) {
	ctx := t.Context()
	X, y := ordinary("normal", 40, 6, 1)
	labels := make([]int, len(y))
	var positive mat.Dense
	positive.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, X)
	for i, v := range y {
		if v > 0 {
			labels[i] = 1
		}
	}
	incremental := pca.NewIncremental(3)
	if err := incremental.PartialFit(ctx, X); err != nil {
		t.Fatal(err)
	}
	type predictor interface{ Predict(mat.Matrix) []int }
	type regressor interface{ Predict(mat.Matrix) []float64 }
	type transformer interface{ Transform(mat.Matrix) *mat.Dense }
	for name, model := range map[string]any{
		"regress.Ridge":      get(regress.FitRidge(ctx, X, y, 1)),
		"regress.Lasso":      get(regress.FitLasso(ctx, X, y, 0.1, nil)),
		"classify.Maxent":    get(classify.FitMaxent(ctx, X, labels, nil)),
		"classify.LinearSVM": get(classify.FitLinearSVM(ctx, X, labels, nil)),
		"classify.SVM":       get(classify.FitSVM(ctx, X, labels, nil)),
		"classify.MDA":       get(classify.FitMDA(ctx, X, labels, nil)),
		"classify.Network":   get(classify.FitNetwork(ctx, X, labels, &classify.NetworkOptions{Hidden: 3, Epochs: 2, NoValidation: true})),
		"kmeans.Model":       get(kmeans.Fit(ctx, X, &kmeans.Options{K: 3})),
		"pca.Model":          get(pca.Fit(ctx, X, nil)),
		"pca.Whitener":       get(get(pca.Fit(ctx, X, nil)).Whiten(0)),
		"ica.FastICAModel":   get(ica.FitFastICA(ctx, X.T(), nil)),
		// The following types have unexported fields, which gob leaves out.
		"pca.Whitener, ZCA":     get(get(pca.Fit(ctx, X, nil)).ZCA(0)),
		"pca.Factors":           get(pca.FullSVD(X)),
		"pca.Incremental":       incremental,
		"csr.Matrix":            csr.Of(X),
		"tsne.Result":           get(tsne.Fit(ctx, X, &tsne.Options{Perplexity: 5, Steps: 10})),
		"pursuit.Sectors":       get(pursuit.NewSectors(positive.Slice(0, 2, 0, 5), nil, true)),
		"icon.Encoder":          icon.NewEncoder(1, 1, 6, 4, 2),
		"attention.Transformer": get(attention.NewTransformer(attention.Config{Vocabulary: 9, Length: 4, Mask: mat.NewDense(4, 4, nil)})),
		"attention.Recurrent":   get(attention.NewRecurrent(attention.RecurrentConfig{Vocabulary: 9, Gated: true})),
		"attention.Seq2Seq":     get(attention.NewSeq2Seq(attention.Seq2SeqConfig{Vocabulary: 9, Separator: 2, Attention: true})),
	} {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(model); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, cut := range []int{0, 10, b.Len() / 2, b.Len() - 1} {
			if err := gob.NewDecoder(bytes.NewReader(b.Bytes()[:cut])).Decode(reflect.New(reflect.TypeOf(model).Elem()).Interface()); err == nil {
				t.Errorf("%s: no error after %d of %d bytes", name, cut, b.Len())
			}
		}
		stored := reflect.New(reflect.TypeOf(model).Elem()).Interface()
		if err := gob.NewDecoder(&b).Decode(stored); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		use := func(m any) any {
			switch m := m.(type) {
			case *pca.Factors:
				return m.Sigma()
			case *pca.Incremental:
				if err := m.PartialFit(ctx, &positive); err != nil {
					t.Error(err)
				}
				return get(m.Model()).Components
			case *csr.Matrix:
				return m.Dense()
			case *tsne.Result:
				return m.Affinities.KL(m.Y)
			case *pursuit.Sectors:
				return *m.Find(1, 1.1)
			case attention.Model:
				return get(m.Logits([][]int{{1, 2, 4, 3}, {5, 2, 8, 7}}))
			case predictor:
				return m.Predict(X)
			case regressor:
				return m.Predict(X)
			case *ica.FastICAModel:
				return m.Transform(X.T())
			case transformer:
				return m.Transform(X)
			}
			t.Errorf("%s: %T has no method that is tried", name, m)
			return nil
		}
		same(t, name, use(stored), use(model))
		if _, ok := model.(fmt.Stringer); ok {
			same(t, name+".String", fmt.Sprint(stored), fmt.Sprint(model))
		}
	}
}
