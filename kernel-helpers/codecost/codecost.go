package codecost

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
)

// An Estimator is a method of estimating entropy; the package comment describes the biases.
type Estimator int

// The estimators.
const (
	Histogram Estimator = iota
	Laplacian
	Kernel
)

// String returns the estimator's name.
func (e Estimator) String() string {
	switch e {
	case Histogram:
		return "histogram"
	case Laplacian:
		return "Laplacian"
	case Kernel:
		return "kernel"
	}
	return fmt.Sprintf("Estimator(%d)", int(e))
}

// Options configures EstimateEntropy, MeasureCost and MeasureCurve. nil and the zero value select the
// uncorrected histogram.
type Options struct {
	Estimator Estimator
	Correct   bool // add Miller and Madow's correction (Histogram only)
}

// ErrUnreachable is returned when the coefficients do not reconstruct the signals to
// within the requested error, even without rounding.
var ErrUnreachable = errors.New("codecost: the coefficients do not reconstruct the signals to within sigma")

// A Cost is the cost of a code at one reconstruction error.
type Cost struct {
	Sigma   float64   // error requested
	RMS     float64   // error reached, at most Sigma
	SNR     float64   // 10 log₁₀(mean square of the signals / RMS²), in dB
	Step    float64   // Δ
	Bits    float64   // bits per sample of the signal
	Entropy []float64 // Hᵢ in bits, per coefficient
}

// MeasureCost returns the cost of coding the columns of X (m × N) in the basis A (m × n) with coefficients S (n × N).
// The coefficients are rounded to multiples of the largest step for which the root mean square error of the
// reconstruction is at most sigma. If the error is sigma or more even without rounding, MeasureCost returns an error
// that wraps ErrUnreachable.
func MeasureCost(X, A, S mat.Matrix, sigma float64, opt *Options) (Cost, error) {
	return measure("MeasureCost", X, A, S, sigma, opt)
}

func measure(fn string, signals, basis, codes mat.Matrix, sigma float64, opt *Options) (Cost, error) {
	where := "codecost: " + fn
	X, A, S := given.Dense(where, "X", signals), given.Dense(where, "A", basis), given.Dense(where, "S", codes)
	m, N := X.Dims()
	r, n := A.Dims()
	if sr, sc := S.Dims(); r != m || sr != n || sc != N {
		panic(fmt.Sprintf("%s: X is %d × %d, A %d × %d, S %d × %d: a signal is a COLUMN of X, its code the same column of S", where, m, N, r, n, sr, sc))
	}
	if m == 0 || N == 0 || n == 0 {
		return Cost{}, errors.New(where + ": no signals or no basis")
	}
	if !(sigma > 0) || math.IsInf(sigma, 0) {
		return Cost{}, fmt.Errorf("%s: sigma is %v", where, sigma)
	}
	for _, x := range []struct {
		name string
		M    *mat.Dense
	}{{"X", X}, {"A", A}, {"S", S}} {
		rows, cols := x.M.Dims()
		for i := range rows {
			for j := range cols {
				if v := x.M.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
					return Cost{}, fmt.Errorf("%s: element (%d, %d) of %s is %v", where, i, j, x.name, v)
				}
			}
		}
	}
	Q, R := mat.NewDense(n, N, nil), mat.NewDense(m, N, nil)
	// rms returns the reconstruction error after rounding the coefficients to multiples of step.
	rms := func(step float64) float64 {
		Q.Apply(func(_, _ int, v float64) float64 {
			if step == 0 {
				return v
			}
			return step * math.Round(v/step)
		}, S)
		R.Mul(A, Q) // m×n · n×N
		R.Sub(X, R)
		return mat.Norm(R, 2) / math.Sqrt(float64(m*N))
	}
	base := rms(0)
	if base >= sigma {
		return Cost{}, fmt.Errorf("%w: it is %.4g without rounding, sigma is %.4g", ErrUnreachable, base, sigma)
	}
	// Start with a step that rounds all coefficients to zero, and halve the step until the error is small
	// enough. Then bisect between this step and twice this step.
	step := 0.0
	for i := range n {
		for _, v := range S.RawRowView(i) {
			step = math.Max(step, 2.1*math.Abs(v))
		}
	}
	if step == 0 { // nothing to code
		step = 1
	}
	lo, hi := step, step
	for rms(lo) > sigma {
		hi, lo = lo, lo/2
	}
	for range 30 {
		if mid := (lo + hi) / 2; rms(mid) <= sigma {
			lo = mid
		} else {
			hi = mid
		}
	}
	c := Cost{Sigma: sigma, Step: lo, RMS: rms(lo), Entropy: make([]float64, n)}
	power := mat.Norm(X, 2) / math.Sqrt(float64(m*N))
	c.SNR = 20 * math.Log10(power/c.RMS)
	for i := range n {
		h, err := EstimateEntropy(S.RawRowView(i), lo, opt)
		if err != nil {
			return Cost{}, err
		}
		c.Entropy[i] = h
		c.Bits += h / float64(m)
	}
	return c, nil
}

// MeasureCurve calls MeasureCost for each error in sigmas, and returns the costs in the same order. If a call fails,
// MeasureCurve returns the costs from the calls before it, and the error of the failed call.
func MeasureCurve(X, A, S mat.Matrix, sigmas []float64, opt *Options) ([]Cost, error) {
	const where = "codecost: MeasureCurve"
	x, a, codes := given.Dense(where, "X", X), given.Dense(where, "A", A), given.Dense(where, "S", S)
	var cs []Cost
	for _, s := range sigmas {
		c, err := measure("MeasureCurve", x, a, codes, s, opt)
		if err != nil {
			return cs, err
		}
		cs = append(cs, c)
	}
	return cs, nil
}

// At returns the bits per sample at the signal-to-noise ratio snr in dB, by linear interpolation between the
// points of a curve. Outside the curve it returns NaN.
func At(curve []Cost, snr float64) float64 {
	cs := slices.Clone(curve)
	slices.SortFunc(cs, func(a, b Cost) int {
		switch {
		case a.SNR < b.SNR:
			return -1
		case a.SNR > b.SNR:
			return 1
		}
		return 0
	})
	for i, c := range cs {
		if c.SNR == snr {
			return c.Bits
		}
		if i > 0 && cs[i-1].SNR < snr && snr < c.SNR {
			t := (snr - cs[i-1].SNR) / (c.SNR - cs[i-1].SNR)
			return cs[i-1].Bits + t*(c.Bits-cs[i-1].Bits)
		}
	}
	return math.NaN()
}

// Quantize rounds values to multiples of step, and returns the multiples as integers.
func Quantize(values []float64, step float64) []int {
	if !(step > 0) {
		panic(fmt.Sprintf("codecost: Quantize: the step is %v", step))
	}
	q := make([]int, len(values))
	for i, v := range values {
		q[i] = int(math.Round(v / step))
	}
	return q
}

// EstimateEntropy estimates the entropy, in bits, of the given values after they are rounded to multiples of step.
func EstimateEntropy(values []float64, step float64, opt *Options) (float64, error) {
	if opt == nil {
		opt = &Options{}
	}
	if len(values) == 0 {
		return 0, errors.New("codecost: EstimateEntropy: no values")
	}
	if !(step > 0) || math.IsInf(step, 0) {
		return 0, fmt.Errorf("codecost: EstimateEntropy: the step is %v", step)
	}
	for i, v := range values {
		if math.IsNaN(v) || math.Abs(v/step) > 1<<52 {
			return 0, fmt.Errorf("codecost: EstimateEntropy: value %d is %v, the step %v", i, v, step)
		}
	}
	q := Quantize(values, step)
	slices.Sort(q)
	// ks holds the distinct values in ascending order, counts how often each occurs.
	var ks []int
	var counts []float64
	for i, k := range q {
		if i == 0 || k != q[i-1] {
			ks, counts = append(ks, k), append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	N := float64(len(q))
	switch opt.Estimator {
	case Histogram:
		h := 0.0
		for _, c := range counts {
			h -= c / N * math.Log2(c/N)
		}
		if opt.Correct {
			h += float64(len(ks)-1) / (2 * N * math.Ln2)
		}
		return h, nil
	case Laplacian:
		return laplacian(ks, counts, N), nil
	case Kernel:
		return kernel(q, ks, counts, N), nil
	}
	return 0, fmt.Errorf("codecost: EstimateEntropy: unknown estimator %v", opt.Estimator)
}

// laplacian returns the cross entropy, in bits, of N integers with a discretized Laplacian: P(0) = p0, and P(k) =
// (1−p0)/2 · (1−ρ) ρ^(|k|−1) for other k. ks holds the different integers, and ks[i] occurs counts[i] times. Closed
// forms give the maximum-likelihood values of p0 and ρ.
//
// For any step, these are the probabilities of the quantization intervals under a Laplacian density. Only p0 differs:
// it is a free parameter, because sparse coefficients have more zeros than the density allows.
func laplacian(ks []int, counts []float64, N float64) float64 {
	zeros, sum := 0.0, 0.0
	for i, k := range ks {
		if k == 0 {
			zeros = counts[i]
		}
		sum += math.Abs(float64(k)) * counts[i]
	}
	nz := N - zeros
	if nz == 0 {
		return 0
	}
	p0 := zeros / N
	rho := 1 - nz/sum // the mean of |k| over k ≠ 0 is 1/(1−ρ)
	h := 0.0
	if p0 > 0 {
		h -= p0 * math.Log2(p0)
	}
	h -= (1 - p0) * (math.Log2(1-p0) - 1 + math.Log2(1-rho))
	if rho > 0 {
		h -= (sum - nz) / N * math.Log2(rho)
	}
	return h
}

// kernel returns the leave-one-out cross entropy, in bits, of N integers with a Gaussian kernel density estimate over
// the integers. The slice called sorted holds all N integers, ks holds the different ones, and ks[i] occurs counts[i]
// times. The estimate includes, with weight 1/1000, a uniform distribution from the smallest to the largest integer, so
// that an isolated value has a finite cost.
func kernel(sorted, ks []int, counts []float64, N float64) float64 {
	if len(ks) == 1 {
		return 0
	}
	mean, sq := 0.0, 0.0
	for i, k := range ks {
		mean += float64(k) * counts[i] / N
	}
	for i, k := range ks {
		sq += (float64(k) - mean) * (float64(k) - mean) * counts[i] / N
	}
	spread := math.Sqrt(sq)
	if iqr := float64(sorted[len(sorted)*3/4]-sorted[len(sorted)/4]) / 1.34; iqr > 0 {
		spread = math.Min(spread, iqr)
	}
	// At a width of 0.2 or less the kernel covers only one integer, and the estimate is the leave-one-out
	// histogram.
	width := math.Max(0.9*spread*math.Pow(N, -0.2), 0.2)
	reach := int(math.Ceil(5 * width))
	w := make([]float64, reach+1)
	total := 0.0
	for d := range w {
		w[d] = math.Exp(-0.5 * float64(d) * float64(d) / (width * width))
		total += w[d]
		if d > 0 {
			total += w[d]
		}
	}
	uniform := 1e-3 / float64(ks[len(ks)-1]-ks[0]+1)
	h := 0.0
	lo := 0
	for i, k := range ks {
		for ks[lo] < k-reach {
			lo++
		}
		f := -w[0]
		for j := lo; j < len(ks) && ks[j] <= k+reach; j++ {
			d := k - ks[j]
			if d < 0 {
				d = -d
			}
			f += counts[j] * w[d]
		}
		p := (1-1e-3)*f/(total*math.Max(1, N-1)) + uniform
		h -= counts[i] / N * math.Log2(p)
	}
	return h
}

// Fourier returns the real Fourier basis of length m, m × m and orthonormal: the constant, then the cosine and the sine
// of each frequency, and for even m the vector of alternating signs.
func Fourier(m int) *mat.Dense {
	if m <= 0 {
		panic(fmt.Sprintf("codecost: Fourier: length %d", m))
	}
	return fourier(m, m, 1)
}

// Fourier2 returns the twofold overcomplete real Fourier basis of length m, m × 2m. Its frequencies are k/(2m) for k =
// 0, …, m. It is a tight frame of unit columns: A Aᵀ = 2 I, where A is the result.
func Fourier2(m int) *mat.Dense {
	if m <= 0 {
		panic(fmt.Sprintf("codecost: Fourier2: length %d", m))
	}
	return fourier(m, 2*m, math.Sqrt2)
}

// fourier returns the first m rows of the real orthonormal Fourier basis of
// period n, times scale.
func fourier(m, n int, scale float64) *mat.Dense {
	A := mat.NewDense(m, n, nil)
	for t := range m {
		A.Set(t, 0, scale/math.Sqrt(float64(n)))
		col := 1
		for k := 1; 2*k < n; k++ {
			// Reduce the angle to one period before multiplying by 2π.
			sin, cos := math.Sincos(2 * math.Pi * float64(k*t%n) / float64(n))
			A.Set(t, col, scale*math.Sqrt(2/float64(n))*cos)
			A.Set(t, col+1, scale*math.Sqrt(2/float64(n))*sin)
			col += 2
		}
		if n%2 == 0 {
			A.Set(t, n-1, scale/math.Sqrt(float64(n))*float64(1-2*(t%2)))
		}
	}
	return A
}

// Analyze returns the coefficients Aᵀ X / c of signals, the columns of X, in a basis with A Aᵀ = c I. For an
// orthonormal basis the coefficients are exact; for a tight frame they have minimum norm. Analyze panics if A
// is neither orthonormal nor a tight frame.
func Analyze(A, X mat.Matrix) *mat.Dense {
	return analyze(given.Dense("codecost: Analyze", "A", A), given.Dense("codecost: Analyze", "X", X))
}

func analyze(A, X *mat.Dense) *mat.Dense {
	m, n := A.Dims()
	r, N := X.Dims()
	if r != m {
		panic(fmt.Sprintf("codecost: Analyze: X is %d × %d, a signal per COLUMN, and the basis has %d rows", r, N, m))
	}
	var G mat.Dense
	G.Mul(A, A.T())
	c := G.At(0, 0)
	for i := range m {
		for j := range m {
			want := 0.0
			if i == j {
				want = c
			}
			if !(math.Abs(G.At(i, j)-want) <= 1e-9*math.Abs(c)) || c == 0 {
				panic(fmt.Sprintf("codecost: Analyze: A Aᵀ is not a multiple of the identity: element (%d, %d) is %v", i, j, G.At(i, j)))
			}
		}
	}
	S := mat.NewDense(n, N, nil)
	S.Mul(A.T(), X)
	S.Scale(1/c, S)
	return S
}
