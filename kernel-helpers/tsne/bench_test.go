package tsne

import (
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/mnist"
	"overcomplete/kernel-helpers/pca"
)

// BenchmarkWhole maps all of MNIST's training images, once in 50 principal components and once unreduced:
//
//	go test -bench Whole -benchtime 1x -run - -timeout 1h ./kernel-helpers/tsne
func BenchmarkWhole(b *testing.B) {
	d, err := mnist.Load()
	if err != nil {
		b.Skip(err)
	}
	X := d.Train.First(60_000)
	m, err := pca.Fit(b.Context(), X, &pca.Options{Components: 50})
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		X    mat.Matrix
	}{{"components=50", m.Scores(X)}, {"pixels=784", X}} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				begin := time.Now()
				r, err := Fit(b.Context(), c.X, nil)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(time.Since(begin).Seconds(), "s")
				b.ReportMetric(r.KL, "kl")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkGradient measures one gradient at a map of 10,000 points with separated clusters.
func BenchmarkGradient(b *testing.B) {
	r, err := Fit(b.Context(), digits(b, 10_000), &Options{Steps: 600})
	if err != nil {
		b.Fatal(err)
	}
	y, g := coordinates(r.Y), make([]float64, 20_000)
	want := coordinates(r.Affinities.Gradient(r.Y))
	f := newBarnesHut(r.Affinities, 0.5, team{})
	b.ResetTimer()
	for range b.N {
		f.gradient(y, 1, g, false)
	}
	b.ReportMetric(different(g, want), "error")
}
