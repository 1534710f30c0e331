package pca

import (
	"fmt"
	"math"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// dense is X as a *mat.Dense, without a copy if it is one.
func dense(X mat.Matrix) *mat.Dense {
	if d, ok := X.(*mat.Dense); ok {
		return d
	}
	return mat.DenseCopyOf(X)
}

// moments returns the mean (d; zeros with raw) and ‖X − x̄‖_F², and refuses NaN
// and infinities.
func moments(X *mat.Dense, raw bool) (mean []float64, total float64, err error) {
	n, d := X.Dims()
	mean = make([]float64, d)
	zero := 0.0 // stays 0 unless there is a NaN or an infinity
	for i := range n {
		for j, x := range X.RawRowView(i) {
			mean[j] += x
			zero += x * 0
		}
	}
	if zero != 0 {
		for i := range n {
			for j, x := range X.RawRowView(i) {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					return nil, 0, fmt.Errorf("X(%d, %d) is %v", i, j, x)
				}
			}
		}
	}
	for j := range mean {
		if raw {
			mean[j] = 0
		}
		mean[j] /= float64(n)
	}
	parts := make([]float64, runtime.GOMAXPROCS(0))
	parallel(n, func(w, from, to int) {
		s := 0.0
		for i := from; i < to; i++ {
			for j, x := range X.RawRowView(i) {
				y := x - mean[j]
				s += y * y
			}
		}
		parts[w] += s
	})
	for _, s := range parts {
		total += s
	}
	if math.IsInf(total, 0) || math.IsNaN(total) {
		return nil, 0, fmt.Errorf("the squares of X overflow: scale it")
	}
	return mean, total, nil
}

// centre returns X − 1x̄ᵀ, and refuses NaN and infinities.
func centre(X *mat.Dense, mean []float64) (*mat.Dense, error) {
	n, d := X.Dims()
	C := mat.NewDense(n, d, nil)
	for i := range n {
		zero := 0.0
		out := C.RawRowView(i)
		for j, x := range X.RawRowView(i) {
			out[j] = x - mean[j]
			zero += x * 0
		}
		if zero != 0 {
			for j, x := range X.RawRowView(i) {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					return nil, fmt.Errorf("X(%d, %d) is %v", i, j, x)
				}
			}
		}
	}
	return C, nil
}

// parallel cuts 0..n into as many ranges as there are processors, always in
// the same places.
func parallel(n int, do func(worker, from, to int)) {
	p := min(runtime.GOMAXPROCS(0), n)
	var wg sync.WaitGroup
	for w := range p {
		wg.Add(1)
		go func() {
			defer wg.Done()
			do(w, w*n/p, (w+1)*n/p)
		}()
	}
	wg.Wait()
}

// signs turns the columns of Q (d×k) so that the loading of largest absolute
// value is positive. Of several loadings within a billionth of the largest the
// first decides, so that rounding does not.
func signs(Q *mat.Dense) {
	d, k := Q.Dims()
	for j := range k {
		peak := 0.0
		for i := range d {
			peak = math.Max(peak, math.Abs(Q.At(i, j)))
		}
		for i := range d {
			if q := Q.At(i, j); math.Abs(q) >= peak*(1-1e-9) {
				if q < 0 {
					for r := range d {
						if x := Q.At(r, j); x != 0 {
							Q.Set(r, j, -x)
						}
					}
				}
				break
			}
		}
	}
}
