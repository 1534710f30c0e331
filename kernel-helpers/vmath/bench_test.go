package vmath

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"overcomplete/kernel-helpers/internal/peer"
)

// The argument range of the benchmarks; log uses the exponentials.
const spread = 20

// benchmark races a function against package math, element by element (portable), and against a Python
// statement on x and y of length n and type t. The calls are repeated to last about a millisecond.
func benchmark[T number](b *testing.B, bits int, positive bool, mine, portable func(dst, x []T), python string) {
	for _, n := range []int{1000, 100_000} {
		x, y := make([]T, n), make([]T, n)
		rng := rand.New(rand.NewPCG(4, 4))
		for i := range x {
			x[i] = T(spread * (2*rng.Float64() - 1))
		}
		if positive {
			expGo(x, x)
		}
		repeat := 1_000_000 / n
		timer := func(f func(dst, x []T)) peer.Turn {
			return peer.Timer(func() {
				for range repeat {
					f(y, x)
				}
			})
		}
		name := fmt.Sprintf("float%d/%d", bits, n)
		b.Run(name+"/math", func(b *testing.B) {
			peer.Race(9, timer(mine), timer(portable)).Report(b)
		})
		b.Run(name+"/numpy", func(b *testing.B) {
			setup := fmt.Sprintf("import numpy as np, scipy.special\nx = (np.random.rand(%d) * %d - %d).astype(np.float%d)\n", n, 2*spread, spread, bits)
			if positive {
				setup += "x = np.exp(x)\n"
			}
			setup += "y = np.empty_like(x)\n"
			setup += fmt.Sprintf("def repeat():\n  for i in range(%d):\n    %s\n", repeat, python)
			py := peer.Start(b, 1, setup, "numpy", "scipy.special")
			peer.Race(15, timer(mine), py.Timer("repeat()")).Report(b)
		})
	}
}

func BenchmarkExp(b *testing.B) {
	benchmark(b, 64, false, Exp, expGo[float64], "np.exp(x, out=y)")
	benchmark(b, 32, false, Exp32, expGo[float32], "np.exp(x, out=y)")
}

func BenchmarkLog(b *testing.B) {
	benchmark(b, 64, true, Log, logGo[float64], "np.log(x, out=y)")
	benchmark(b, 32, true, Log32, logGo[float32], "np.log(x, out=y)")
}

func BenchmarkSigmoid(b *testing.B) {
	python := "np.negative(x, out=y); np.exp(y, out=y); np.add(y, 1, out=y); np.divide(1, y, out=y)" // no temporaries
	benchmark(b, 64, false, Sigmoid, sigmoidGo[float64], python)
	benchmark(b, 32, false, Sigmoid32, sigmoidGo[float32], python)
}

func BenchmarkSoftplus(b *testing.B) {
	benchmark(b, 64, false, Softplus, softplusGo[float64], "np.logaddexp(0, x, out=y)")
	benchmark(b, 32, false, Softplus32, softplusGo[float32], "np.logaddexp(np.float32(0), x, out=y)")
}

// logSumExpGo computes LogSumExp by a plain loop, without the assembly.
func logSumExpGo[T number](x []T) T {
	m := largestGo(x)
	return T(float64(m) + log(sumExpGo(x, m)))
}

func BenchmarkLogSumExp(b *testing.B) {
	benchmark(b, 64, false,
		func(dst, x []float64) { dst[0] = LogSumExp(x) },
		func(dst, x []float64) { dst[0] = logSumExpGo(x) }, "scipy.special.logsumexp(x)")
	benchmark(b, 32, false,
		func(dst, x []float32) { dst[0] = LogSumExp32(x) },
		func(dst, x []float32) { dst[0] = logSumExpGo(x) }, "scipy.special.logsumexp(x)")
}

func BenchmarkSoftmax(b *testing.B) {
	benchmark(b, 64, false, Softmax, softmaxGo[float64], "scipy.special.softmax(x)")
	benchmark(b, 32, false, Softmax32, softmaxGo[float32], "scipy.special.softmax(x)")
}

func softmaxGo[T number](dst, x []T) {
	scaleGo(dst, T(1/expSumGo(dst, x, largestGo(x))))
}
