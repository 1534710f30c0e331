package ixengine

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/goplus/ixgo"
	"gonum.org/v1/gonum/mat"

	_ "overcomplete/cmd/overcomplete/bindings" // for cells that import the library
	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/kernel-helpers/sparseapprox"
	_ "overcomplete/kernel/internal/bindings"
	"overcomplete/ui/cell"
)

// Cells of the tests can import package helpers, which contains long computations of this project's library
// that check their context.
func init() {
	const n, d = 500, 20
	data := func() *mat.Dense {
		r := rand.New(rand.NewPCG(1, 2))
		x := mat.NewDense(n, d, nil)
		x.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, x)
		return x
	}
	ixgo.RegisterPackage(&ixgo.Package{
		Name: "helpers", Path: "helpers", Deps: map[string]string{"context": "context"},
		Funcs: map[string]reflect.Value{
			"KMeans": reflect.ValueOf(func(ctx context.Context) error {
				_, err := kmeans.Fit(ctx, data(), &kmeans.Options{K: 20, Restarts: 1e6})
				return err
			}),
			"MiniBatches": reflect.ValueOf(func(ctx context.Context) error {
				_, err := kmeans.Fit(ctx, data(), &kmeans.Options{K: 20, Restarts: 1e6, Batch: 100})
				return err
			}),
			"EM": reflect.ValueOf(func(ctx context.Context) error {
				return untilToldToStop(func() error { // the helper may converge exactly before it is told to stop
					_, err := pca.FitProbabilisticEM(ctx, data(), 5, &pca.EMOptions{MaxIterations: 1e9, Tolerance: 1e-300})
					return err
				})
			}),
			// Learn asks for the cell's context itself, as experiments of papers do.
			"Learn": reflect.ValueOf(func() error {
				_, err := dictionary.Fit(cell.Context(), data().T(), &dictionary.Options{
					Coder: dictionary.SparseCoder(&sparseapprox.Options{Lambda: 0.1}), Atoms: 40, Passes: 1e9})
				return err
			}),
		},
	})
}

// untilToldToStop calls f until it fails.
func untilToldToStop(f func() error) error {
	for {
		if err := f(); err != nil {
			return err
		}
	}
}

// TestHelpersStop interrupts compiled work that checks its context. In a browser the work learns of the
// interrupt only because its context yields to the event loop.
func TestHelpersStop(t *testing.T) {
	s := fresh(t, Options{Grace: 20 * time.Second})
	before := cell.SetContext(s.Context)
	defer func() { cell.SetContext(before) }()
	run(t, s, "import (\"context\"; \"helpers\"; \"time\")\nkept := 41\n_ = helpers.EM\n_ = time.Hour\nvar err error\nbackground := context.Background()")
	for _, src := range []string{
		"err = helpers.KMeans(background)",
		"err = helpers.MiniBatches(nil)",
		"err = helpers.EM(context.TODO())",
		"short, _ := context.WithTimeout(background, time.Hour)\nerr = helpers.EM(short)",
		"err = helpers.Learn()",
		"done := make(chan bool)\ngo func() { err = helpers.KMeans(background); done <- true }()\n<-done",
	} {
		// A busy machine may be late once or twice, but not three times in a row.
		late := []time.Duration{}
		for len(late) < 3 {
			e, took := stopAfter(t, s, 30*time.Millisecond, src)
			if e.Message != interrupted {
				t.Errorf("%s\nended with %v", src, e)
			}
			if took <= 200*time.Millisecond {
				break
			}
			late = append(late, took)
		}
		if len(late) == 3 {
			t.Errorf("%s\nended %v after interrupts", src, late)
		}
		if got := run(t, s, "kept + 1")[0].Value; got != 42 {
			t.Errorf("%s\nkept + 1 is %v afterwards", src, got)
		}
	}
}
