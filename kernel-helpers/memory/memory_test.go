package memory_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/ica"
	"overcomplete/kernel-helpers/icon"
	"overcomplete/kernel-helpers/implicit"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/memory"
	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/nmfgrad"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/kernel-helpers/num"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/kernel-helpers/pursuit"
	"overcomplete/kernel-helpers/recovery"
	"overcomplete/kernel-helpers/regress"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/kernel-helpers/superposition"
	"overcomplete/kernel-helpers/topics"
	"overcomplete/kernel-helpers/tsne"
	"overcomplete/kernel-helpers/unrolled"
	"overcomplete/kernel-helpers/wordcount"
)

func random(r, c int) *mat.Dense {
	rng := rand.New(rand.NewPCG(uint64(r), uint64(c)))
	X := mat.NewDense(r, c, nil)
	X.Apply(func(_, _ int, _ float64) float64 { return rng.Float64() }, X)
	return X
}

// Each function of the package comment refuses to take more than the limit, and says how much it would take.
func TestRefused(t *testing.T) {
	ctx := context.Background()
	X, wide, labels := random(40, 3), random(3, 40), make([]int, 40)
	for i := range labels {
		labels[i] = i % 2
	}
	y := mat.Col(nil, 0, X)
	m, err := attention.NewTransformer(attention.Config{Vocabulary: 2, Length: 40})
	if err != nil {
		t.Fatal(err)
	}
	kkt, err := nmfgrad.NewKKT(X, random(40, 2), random(3, 2))
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func() error{
		"attention.Attend":        func() error { _, err := attention.Attend(X, X, X, nil); return err },
		"attention.SelfAttention": func() error { _, err := attention.SelfAttention(X, attention.NewHead(3, 3, 3, 1), nil); return err },
		"attention.Influence": func() error {
			attention.Influence(func(H *mat.Dense) *mat.Dense { return mat.DenseCopyOf(H) }, X, 1)
			return nil
		},
		"attention.Transformer.Logits": func() error { _, err := m.Logits([][]int{make([]int, 40)}); return err },
		"classify.Confuse":             func() error { classify.Confuse([]int{0, 40}, []int{0, 0}); return nil },
		"classify.FitMDA":              func() error { _, err := classify.FitMDA(ctx, wide, labels[:3], nil); return err },
		"csr.Matrix.Dense":             func() error { csr.Of(random(40, 4)).Dense(); return nil },
		"dictionary.Fit": func() error {
			_, err := dictionary.Fit(ctx, wide, &dictionary.Options{Atoms: 30, Coder: dictionary.SparseCoder(nil)})
			return err
		},
		"ica.Fit":                 func() error { _, err := ica.Fit(ctx, wide, random(3, 50), nil); return err },
		"ica.GaussianEvidence":    func() error { _, err := ica.GaussianEvidence(wide, random(3, 4), nil); return err },
		"icon.GaussianP":          func() error { _, err := icon.GaussianP(X, 1, false); return err },
		"icon.PerplexityP":        func() error { _, err := icon.PerplexityP(X, 5); return err },
		"icon.NeighborsP":         func() error { _, err := icon.NeighborsP(X, 5); return err },
		"icon.SameLabelP":         func() error { _, err := icon.SameLabelP(labels); return err },
		"icon.ViewsP":             func() error { icon.ViewsP(20, 2); return nil },
		"icon.SelfP":              func() error { icon.SelfP(40); return nil },
		"icon.ClassP":             func() error { _, err := icon.ClassP(labels, 100); return err },
		"implicit.LU.Solve":       func() error { _, _, err := (&implicit.LU{}).Solve(identity{40}, make([]float64, 40)); return err },
		"implicit.Cholesky.Solve": func() error { _, _, err := (&implicit.Cholesky{}).Solve(identity{40}, make([]float64, 40)); return err },
		"klcoding.New": func() error {
			_, err := klcoding.New(wide, &klcoding.Options{Method: klcoding.NewtonCG, Loss: klcoding.Softmax, Lambda: 1, P: 1})
			return err
		},
		"l2svm.Fit": func() error {
			_, err := l2svm.Fit(ctx, l2svm.Dense(X), labels, &l2svm.Options{Method: l2svm.Gram})
			return err
		},
		"nmf.Consensus":        func() error { _, err := nmf.Consensus(ctx, X, &nmf.ConsensusOptions{Ranks: []int{2}}); return err },
		"nmfgrad.KKT.Jacobian": func() error { kkt.Jacobian(); return nil },
		"nmfgrad.Unroll": func() error {
			_, err := nmfgrad.Unroll(ctx, X, random(40, 2), random(3, 2), 50, nmfgrad.HALS)
			return err
		},
		"nnls.Solve":                 func() error { _, err := nnls.Solve(ctx, wide, random(3, 1), nil); return err },
		"num.Sub":                    func() error { num.Sub(num.Row(y), num.Column(y)); return nil },
		"pca.FullSVD":                func() error { _, err := pca.FullSVD(wide); return err },
		"pca.Fit":                    func() error { _, err := pca.Fit(ctx, wide, &pca.Options{Method: pca.ByCovariance}); return err },
		"pca.Fit of the points":      func() error { _, err := pca.Fit(ctx, X, &pca.Options{Method: pca.ByDual}); return err },
		"pca.Scatter":                func() error { _, err := pca.Scatter(wide); return err },
		"pursuit.Lasso":              func() error { _, err := pursuit.Lasso(ctx, wide, random(3, 1), 1, nil); return err },
		"recovery.Coherence":         func() error { recovery.Coherence(wide); return nil },
		"regress.FitRidge":           func() error { _, err := regress.FitRidge(ctx, csr.Of(random(40, 40)), y, 1); return err },
		"regress.FitRidgeTargets":    func() error { _, err := regress.FitRidgeTargets(ctx, csr.Of(random(40, 40)), X, 1, nil); return err },
		"regress.FitLeastSquares":    func() error { _, err := regress.FitLeastSquares(ctx, csr.Of(X), X, nil); return err },
		"regress.FitRidgePath":       func() error { _, err := regress.FitRidgePath(ctx, csr.Of(random(40, 40)), y, []float64{1}); return err },
		"sparseapprox.NewCoder":      func() error { _, err := sparseapprox.NewCoder(wide, &sparseapprox.Options{Lambda: 1}); return err },
		"superposition.Interference": func() error { (&superposition.Model{W: wide, Bias: make([]float64, 40)}).Interference(); return nil },
		"topics.Fit":                 func() error { _, err := topics.Fit(ctx, mat.NewDense(1, 1, []float64{1000}), nil); return err },
		"tsne.NewAffinities":         func() error { _, err := tsne.NewAffinities(ctx, X, &tsne.Options{Perplexity: 5}); return err },
		"tsne.Fit of a sparse matrix": func() error {
			_, err := tsne.Fit(ctx, csr.Of(random(40, 40)), &tsne.Options{Perplexity: 5})
			return err
		},
		"unrolled.New": func() error { unrolled.New(wide, 1, 1); return nil },
		"wordcount.Vocabulary.Transform": func() error {
			v, err := wordcount.Fit(ctx, [][]string{strings.Fields("a b c d e f g h i j k l m n o p q r s t u v w x y z")}, nil)
			if err == nil {
				v.Transform(make([][]string, 40))
			}
			return err
		},
	} {
		old := memory.SetLimit(1000)
		said := panics.Value(func() {
			if err := f(); err != nil {
				panic(err.Error())
			}
		})
		memory.SetLimit(old)
		mustSay(t, name, fmt.Sprint(said))
	}
}

// identity is the operator of n unknowns that changes nothing.
type identity struct{ n int }

func (o identity) Dim() int                { return o.n }
func (o identity) Apply(dst, v []float64)  { copy(dst, v) }
func (o identity) ApplyT(dst, v []float64) { copy(dst, v) }

// The estimates are close to the memory that the functions take.
func TestEstimates(t *testing.T) {
	ctx := context.Background()
	X := random(400, 5)
	labels := make([]int, 400)
	for i := range labels {
		labels[i] = i % 2
	}
	// A call is refused if the limit is half of the memory that it takes, and is not refused if the limit is twice
	// that memory.
	for name, f := range map[string]func() error{
		"tsne.NewAffinities":     func() error { _, err := tsne.NewAffinities(ctx, X, &tsne.Options{Method: tsne.Exact}); return err },
		"tsne of near neighbors": func() error { _, err := tsne.NewAffinities(ctx, random(1500, 5), nil); return err },
		"icon.PerplexityP":       func() error { _, err := icon.PerplexityP(X, 30); return err },
		"l2svm.Fit": func() error {
			_, err := l2svm.Fit(ctx, l2svm.Dense(X), labels, &l2svm.Options{Method: l2svm.Gram})
			return err
		},
		"topics.Fit": func() error {
			_, err := topics.Fit(ctx, mat.NewDense(1, 2, []float64{2e5, 1}), &topics.Options{Topics: 2, Passes: 1, BurnIn: 0})
			return err
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		took := int64(after.TotalAlloc - before.TotalAlloc)
		t.Logf("%s takes %.2f MB", name, float64(took)/1e6)
		for share, refused := range map[float64]bool{0.4: true, 2: false} {
			old := memory.SetLimit(int64(share * float64(took)))
			err := f()
			memory.SetLimit(old)
			if got := err != nil && strings.Contains(err.Error(), "would take about"); got != refused {
				t.Errorf("%s takes %d bytes; with a limit of %v of them it says %v", name, took, share, err)
			}
		}
	}
}

func mustSay(t *testing.T, name, said string) {
	t.Helper()
	pkg, _, _ := strings.Cut(name, ".")
	if pkg == "implicit" { // a solver's error gets its prefix from the function that calls the solver
		said = "implicit: " + said
	}
	if !strings.HasPrefix(said, pkg+": ") || !strings.Contains(said, " would take about ") || !strings.Contains(said, "more than the 1000 bytes that memory.SetLimit allows") {
		t.Errorf("%s says %q", name, said)
	}
}
