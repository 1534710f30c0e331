package vision

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/sparseapprox"
)

// BenchmarkExtract reports images per second, on one goroutine, with random patches as the dictionary.
func BenchmarkExtract(b *testing.B) {
	defer gemm.SetWorkers(gemm.SetWorkers(1))
	im, _, err := NewLeaves(b.Context(), &LeavesOptions{N: 64, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	p := NewPatches(im, 6, 20000, 1)
	w, err := FitWhitening(context.Background(), p, &WhitenOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for _, N := range []int{400, 1600} {
		d, err := RandomPatches(w.Patches(p), N, 1)
		if err != nil {
			b.Fatal(err)
		}
		sc, err := SparseEncoder(d, &sparseapprox.Options{})
		if err != nil {
			b.Fatal(err)
		}
		for name, e := range map[string]Encoder{"threshold": SoftThreshold(d, 0.25), "triangle": Triangle(d), "sparse": SplitSigns(sc)} {
			b.Run(fmt.Sprintf("%s/%d", name, N), func(b *testing.B) {
				x, err := newExtractor(im, w, e, ExtractOptions{})
				if err != nil {
					b.Fatal(err)
				}
				worker := x.worker()
				dst := make([]float32, x.columns)
				k := 0
				for b.Loop() {
					if err := worker.image(b.Context(), dst, k%im.Len()); err != nil {
						b.Fatal(err)
					}
					k++
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
			})
		}
	}
}

func BenchmarkAddThreshold(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	z, pos, neg := make([]float32, 1600), make([]float32, 1600), make([]float32, 1600)
	for k := range z {
		z[k] = float32(rng.NormFloat64())
	}
	for b.Loop() {
		addThreshold(pos, neg, z, 0.25)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1600, "ns/element")
}

func BenchmarkWhitening(b *testing.B) {
	defer gemm.SetWorkers(gemm.SetWorkers(1))
	im, _, err := NewLeaves(b.Context(), &LeavesOptions{N: 64, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	p := NewPatches(im, 6, 20000, 1)
	b.Run("fit", func(b *testing.B) {
		for b.Loop() {
			if _, err := FitWhitening(context.Background(), p, &WhitenOptions{}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(20000*float64(b.N)/b.Elapsed().Seconds(), "patches/s")
	})
	w, err := FitWhitening(context.Background(), p, &WhitenOptions{})
	if err != nil {
		b.Fatal(err)
	}
	x := make([]float32, 20000*108)
	b.Run("apply", func(b *testing.B) {
		for b.Loop() {
			if err := w.Patches(p).Read(x, 0, 20000); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(20000*float64(b.N)/b.Elapsed().Seconds(), "patches/s")
	})
}
