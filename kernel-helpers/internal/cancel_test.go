package internal_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/ica"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/nmfgrad"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/kernel-helpers/pursuit"
	"overcomplete/kernel-helpers/regress"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/kernel-helpers/tsne"
	"overcomplete/kernel-helpers/unrolled"
)

// TestCanceled: computations that take many seconds end within a second of their context, and return its error. In
// each of them, a single decomposition, product, signal or step takes long. A canceled decomposition continues for
// a while and slows down the next cases, so these cases come last. Normally a third of the computations is canceled
// (see patience.LeftOut).
func TestCanceled(t *testing.T) {
	patience.SkipShort(t, "it runs long computations for a while each")
	normal := func(r, c int) *mat.Dense {
		rng := rand.New(rand.NewPCG(uint64(r), uint64(c)))
		X := mat.NewDense(r, c, nil)
		X.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, X)
		return X
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
		{"klcoding.Code", func(ctx context.Context) error {
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
				if err := c.run(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error %v", err)
				}
				if late := time.Since(end); late > time.Second {
					return fmt.Sprintf("ended %v after its context", late)
				}
				return ""
			})
		})
	}
}
