package suite

import (
	"slices"

	"gonum.org/v1/gonum/blas"

	"overcomplete/internal/cputime"
	"overcomplete/kernel-helpers/gemm"
)

// The reference product is the unit in which the processor times of notebooks are measured: the product of
// two square float64 matrices, each too large for a second-level cache.
const (
	referenceSize    = 512
	referenceSamples = 21 // a quarter of a second in total: longer than a burst of another process
	referenceRepeats = 2  // products in a sample: a single product is too short for systems that measure time in steps of 16 ms
)

// ReferenceISA is the instruction set that the reference product uses, as a value for package gemm's
// environment variable. Wider instructions would speed up the product more than the notebooks.
const ReferenceISA = "avx2"

// Reference measures the reference product, a product of two square matrices, on one thread and returns its processor
// time in seconds: the median of several samples, or 0 if the system does not report processor times. It changes the
// number of threads of package gemm for the whole process, so it should run in a separate process.
func Reference() float64 {
	gemm.SetWorkers(1)
	const n = referenceSize
	a, b, c := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range a {
		a[i], b[i] = 1/float64(1+i%97), 1/float64(1+i%89)
	}
	product := func() {
		gemm.BLAS{}.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, a, n, b, n, 0, c, n)
	}
	product() // the first product runs with a cold cache
	var took []float64
	for range referenceSamples {
		before := cputime.Used()
		for range referenceRepeats {
			product()
		}
		took = append(took, (cputime.Used()-before).Seconds()/referenceRepeats)
	}
	slices.Sort(took)
	return took[len(took)/2]
}
