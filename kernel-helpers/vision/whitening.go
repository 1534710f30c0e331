package vision

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/product"
)

// WhitenOptions are the options of FitWhitening. The zero value selects the settings of Coates and Ng.
type WhitenOptions struct {
	// Offset is added to the variance of a patch, on the scale 0..255. 0 means 10. Negative: nothing is added, and a
	// patch without contrast becomes 0.
	Offset float64
	// Epsilon is added to the eigenvalues of the covariance. 0 means 0.1. Negative: nothing is added. FitWhitening then
	// returns an error if the normalized patches do not vary in some direction. They do not vary in the direction of a
	// constant patch, because the normalization subtracts the mean of each patch.
	Epsilon float64
}

// A Whitening is the transformation of each patch before it is coded. First its contrast is normalized,
//
//	x ← (x − mean(x))/√(var(x) + Offset),
//
// with var(x) = Σ(x_j − mean)²/(D−1); then it is whitened by ZCA,
//
//	z = V (E + Epsilon I)^(−½) V' (x − Mean),     V E V' the covariance of the x.
type Whitening struct {
	Offset, Epsilon float64
	Mean            []float64  // mean of the contrast-normalized patches (D)
	ZCA             *mat.Dense // V (E + εI)^(−½) V', D×D, symmetric
	Inverse         *mat.Dense // V (E + εI)^½ V'

	zca, shift []float32 // ZCA and −ZCA Mean
}

// FitWhitening computes the whitening from the mean and the covariance of the contrast-normalized patches. It reads
// the patches once and does not keep them in memory. A constant added to all pixels of a patch has no effect. The
// default Offset is for pixels from 0 to 255. For pixels in another unit, give Offset in the square of that unit.
// Epsilon has no unit.
func FitWhitening(ctx context.Context, X Rows, options *WhitenOptions) (*Whitening, error) {
	var opt WhitenOptions
	if options != nil {
		opt = *options
	}
	if ctx == nil {
		ctx = context.Background()
	}
	given.Args("vision: FitWhitening", "X", X)
	w, err := whiten(ctx, X, opt)
	if err != nil {
		return nil, fmt.Errorf("vision: FitWhitening: %w", err)
	}
	return w, nil
}

func whiten(ctx context.Context, X Rows, opt WhitenOptions) (*Whitening, error) {
	set := func(v *float64, standard float64) {
		switch {
		case *v == 0:
			*v = standard
		case *v < 0:
			*v = 0
		}
	}
	set(&opt.Offset, 10)
	set(&opt.Epsilon, 0.1)
	if opt.Offset-opt.Offset != 0 || opt.Epsilon-opt.Epsilon != 0 {
		return nil, fmt.Errorf("offset %v, epsilon %v", opt.Offset, opt.Epsilon)
	}
	n, d := X.Dims()
	if n < 2 || d < 2 {
		return nil, fmt.Errorf("%d patches of %d values", n, d)
	}
	type moments struct {
		x   []float32
		f   []float64
		sum []float64
		S   []float64 // Σxx', upper triangle
	}
	part := make([]moments, lanes)
	err := inChunks(ctx, n, func(lane, from, to int) error {
		p := &part[lane]
		if p.x == nil {
			p.x, p.f, p.sum, p.S = make([]float32, chunk*d), make([]float64, chunk*d), make([]float64, d), make([]float64, d*d)
		}
		x := p.x[:(to-from)*d]
		if err := X.Read(x, from, to); err != nil {
			return err
		}
		if k := finite.Index(x); k >= 0 {
			return fmt.Errorf("value %d of patch %d is %v", k%d, from+k/d, x[k])
		}
		normalizeContrast(x, x, to-from, d, opt.Offset)
		for k, v := range x {
			p.f[k] = float64(v)
			p.sum[k%d] += float64(v)
		}
		return parallel.Await(ctx, float64(to-from)*float64(d)*float64(d), func() {
			blas64.Syrk(blas.Trans, 1, blas64.General{Rows: to - from, Cols: d, Stride: d, Data: p.f[:len(x)]}, 1,
				blas64.Symmetric{N: d, Stride: d, Data: p.S, Uplo: blas.Upper}) // (d×m)(m×d)
		})
	})
	if err != nil {
		return nil, err
	}
	mean := make([]float64, d)
	C := mat.NewSymDense(d, nil)
	for _, p := range part {
		if p.x == nil {
			continue
		}
		for i := range d {
			mean[i] += p.sum[i] / float64(n)
			for j := i; j < d; j++ {
				C.SetSym(i, j, C.At(i, j)+p.S[i*d+j])
			}
		}
	}
	// The x are near 0 with a variance near 1, so the difference loses no digits.
	for i := range d {
		for j := i; j < d; j++ {
			C.SetSym(i, j, (C.At(i, j)-float64(n)*mean[i]*mean[j])/float64(n-1))
		}
	}
	var e mat.EigenSym
	var V mat.Dense
	found := false
	err = parallel.Await(ctx, 10*float64(d)*float64(d)*float64(d), func() {
		if found = e.Factorize(C, true); found {
			e.VectorsTo(&V)
		}
	})
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, errors.New("no eigenvalues of the covariance were found")
	}
	values := e.Values(nil)
	power := func(p float64) *mat.Dense {
		L := mat.DenseCopyOf(&V)
		L.Apply(func(_, j int, v float64) float64 {
			return v * math.Pow(math.Max(0, values[j])+opt.Epsilon, p)
		}, L)
		R := mat.NewDense(d, d, nil)
		product.Mul(ctx, R, L, V.T())
		return R
	}
	if least := math.Max(0, values[0]) + opt.Epsilon; !(least > 1e-10*(values[d-1]+opt.Epsilon)) {
		return nil, fmt.Errorf("the patches do not vary in some direction (variance %.2g): set a positive Epsilon", values[0])
	}
	w := newWhitening(opt.Offset, opt.Epsilon, mean, power(-0.5), power(0.5))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return w, nil
}

func newWhitening(offset, epsilon float64, mean []float64, zca, inverse *mat.Dense) *Whitening {
	w := &Whitening{Offset: offset, Epsilon: epsilon, Mean: mean, ZCA: zca, Inverse: inverse}
	w.zca = single(zca)
	var s mat.VecDense
	s.MulVec(zca, mat.NewVecDense(len(mean), mean))
	for _, v := range s.RawVector().Data {
		w.shift = append(w.shift, float32(-v))
	}
	return w
}

// fields is a Whitening without its methods.
type fields Whitening

// GobEncode encodes the whitening for package gob.
func (w *Whitening) GobEncode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode((*fields)(w))
	return b.Bytes(), err
}

// GobDecode decodes what GobEncode has encoded.
func (w *Whitening) GobDecode(b []byte) error {
	var f fields
	err := gob.NewDecoder(bytes.NewReader(b)).Decode(&f)
	if err != nil {
		return fmt.Errorf("vision: Whitening.GobDecode: %w", err)
	}
	*w = *newWhitening(f.Offset, f.Epsilon, f.Mean, f.ZCA, f.Inverse)
	return nil
}

// Dim returns D, the number of values of a patch.
func (w *Whitening) Dim() int { return len(w.Mean) }

// Apply normalizes and whitens the n patches in X (n×D) and stores them in dst (n×D), which must not be X.
func (w *Whitening) Apply(dst, X []float32, n int) {
	d := w.Dim()
	if len(X) != n*d || len(dst) != n*d {
		panic(fmt.Sprintf("vision: Apply: %d and %d numbers are not %d patches of %d", len(dst), len(X), n, d))
	}
	w.apply(dst, X, make([]float32, n*d), n)
}

// apply is like Apply, with work as a buffer for n patches.
func (w *Whitening) apply(dst, X, work []float32, n int) {
	d := w.Dim()
	normalizeContrast(work, X, n, d, w.Offset)
	for i := range n {
		copy(dst[i*d:(i+1)*d], w.shift)
	}
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, general(work[:n*d], n, d), general(w.zca, d, d), 1, general(dst[:n*d], n, d)) // (n×D)(D×D)
}

// normalizeContrast subtracts from each of the n patches of X the mean of the patch, and divides the patch by
// √(variance + offset). It stores the results in dst, which may be X.
func normalizeContrast(dst, X []float32, n, d int, offset float64) {
	for i := range n {
		row, to := X[i*d:(i+1)*d], dst[i*d:(i+1)*d]
		var sum, square float64
		for _, v := range row {
			sum += float64(v)
			square += float64(v) * float64(v)
		}
		mean := sum / float64(d)
		// Sums of pixels and of their squares are integers, so they are exact.
		variance := math.Max(0, (square-sum*mean)/float64(d-1)) + offset
		var scale float64
		if variance > 0 {
			scale = 1 / math.Sqrt(variance)
		}
		m, s := float32(mean), float32(scale)
		for j, v := range row {
			to[j] = (v - m) * s
		}
	}
}

// Patches returns the rows of X (unprocessed patches), whitened when they are read.
func (w *Whitening) Patches(X Rows) Rows {
	given.Args("vision: Whitening.Patches", "X", X)
	if _, d := X.Dims(); d != w.Dim() {
		panic(fmt.Sprintf("vision: Patches: of %d values, the whitening is for %d", d, w.Dim()))
	}
	return &whitenedRows{w, X}
}

type whitenedRows struct {
	w *Whitening
	X Rows
}

func (p *whitenedRows) Dims() (n, d int) { return p.X.Dims() }

func (p *whitenedRows) Read(dst []float32, from, to int) error {
	x := make([]float32, len(dst))
	if err := p.X.Read(x, from, to); err != nil {
		return err
	}
	p.w.Apply(dst, x, to-from)
	return nil
}

// Unwhiten undoes the whitening of the patches in the columns of Z (D×m), and returns contrast-normalized patches
// (D×m). It does not restore the mean and contrast that the normalization removed.
func (w *Whitening) Unwhiten(Z mat.Matrix) *mat.Dense {
	given.Args("vision: Whitening.Unwhiten", "Z", Z)
	if r, _ := Z.Dims(); r != w.Dim() {
		panic(fmt.Sprintf("vision: Unwhiten: columns of %d values, the whitening is for %d", r, w.Dim()))
	}
	var X mat.Dense
	X.Mul(w.Inverse, Z) // (D×D)(D×m)
	X.Apply(func(i, _ int, v float64) float64 { return v + w.Mean[i] }, &X)
	return &X
}

// String returns a one-line description with a checksum.
func (w *Whitening) String() string {
	return fmt.Sprintf("contrast with offset %v, ZCA of %d values with epsilon %v (%s)", w.Offset, w.Dim(), w.Epsilon, checksum(mat.NewVecDense(w.Dim(), w.Mean), w.ZCA))
}

func general(x []float32, rows, cols int) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: x}
}

// single returns m row by row as float32.
func single(m mat.Matrix) []float32 {
	r, c := m.Dims()
	x := make([]float32, 0, r*c)
	for i := range r {
		for j := range c {
			x = append(x, float32(m.At(i, j)))
		}
	}
	return x
}
