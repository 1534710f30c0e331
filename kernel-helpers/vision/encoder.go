package vision

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/sparseapprox"
)

// An Encoder turns whitened patches into features. It need not be safe for concurrent use: each goroutine
// uses its own Copy.
type Encoder interface {
	// Dim returns D, the number of values of a patch.
	Dim() int
	// Channels returns C, the number of features of a patch.
	Channels() int
	// Encode stores the features of the n patches in X (n×D) in dst (n×C).
	Encode(dst, X []float32, n int)
	// Copy returns an encoder for another goroutine.
	Copy() Encoder
	// String returns all settings that features depend on, with checksums of everything learned. The string
	// distinguishes files of features.
	String() string
}

// A PatchEncoder is the part of an Encoder that a model from another package supplies.
type PatchEncoder interface {
	// Encode stores the features of the n patches in X (n×D) in dst (n×C).
	Encode(dst []float32, X []float32, n int)
}

// A contextEncoder is a PatchEncoder whose work can fail or be canceled, for instance the encoder of a spike-and-slab
// model (S3C) on a device. EncodeContext stores in h the features of the n patches in X. If s is not nil, it also
// stores the model's slabs there; see SpikeSlabEncoder.
type contextEncoder interface {
	EncodeContext(ctx context.Context, h, s, X []float32, n int) error
}

// encode calls e.Encode, or e.EncodeContext if e has this method, so that ctx can cancel the call.
func encode(ctx context.Context, e Encoder, dst, X []float32, n int) error {
	switch e := e.(type) {
	case *patchEncoder:
		if c, ok := e.PatchEncoder.(contextEncoder); ok {
			return c.EncodeContext(ctx, dst, nil, X, n)
		}
	case *signSplitter:
		return e.encode(ctx, dst, X, n)
	}
	e.Encode(dst, X, n)
	return nil
}

// Wrap returns an Encoder for a model of another package, for instance for the spikes E[h] of package s3c. The
// description must identify the model and all its settings. Each call to newEncoder() returns an encoder for one
// goroutine.
func Wrap(description string, dim, channels int, newEncoder func() PatchEncoder) Encoder {
	if dim <= 0 || channels <= 0 || newEncoder == nil || description == "" {
		panic(fmt.Sprintf("vision: Wrap: %q, %d values, %d channels", description, dim, channels))
	}
	return &patchEncoder{newEncoder(), description, dim, channels, newEncoder}
}

type patchEncoder struct {
	PatchEncoder
	description   string
	dim, channels int
	make          func() PatchEncoder
}

func (e *patchEncoder) Dim() int       { return e.dim }
func (e *patchEncoder) Channels() int  { return e.channels }
func (e *patchEncoder) String() string { return e.description }
func (e *patchEncoder) Copy() Encoder {
	return &patchEncoder{e.make(), e.description, e.dim, e.channels, e.make}
}

// SplitSigns returns an encoder with two channels for each channel v of e. First come max(0, v) for all channels, then
// max(0, −v).
func SplitSigns(e Encoder) Encoder { return &signSplitter{e: e} }

type signSplitter struct {
	e Encoder
	v []float32
}

func (s *signSplitter) Dim() int       { return s.e.Dim() }
func (s *signSplitter) Channels() int  { return 2 * s.e.Channels() }
func (s *signSplitter) String() string { return s.e.String() + ", signs split" }
func (s *signSplitter) Copy() Encoder  { return &signSplitter{e: s.e.Copy()} }

func (s *signSplitter) Encode(dst, X []float32, n int) {
	if err := s.encode(context.Background(), dst, X, n); err != nil {
		panic(err)
	}
}

func (s *signSplitter) encode(ctx context.Context, dst, X []float32, n int) error {
	c := s.e.Channels()
	checkEncode(s, dst, X, n)
	s.v = grow(s.v, n*c)
	if err := encode(ctx, s.e, s.v[:n*c], X, n); err != nil {
		return err
	}
	for i := range n {
		pos, neg := dst[2*i*c:(2*i+1)*c], dst[(2*i+1)*c:2*(i+1)*c]
		for k, v := range s.v[i*c : (i+1)*c] {
			pos[k], neg[k] = max(0, v), max(0, -v)
		}
	}
	return nil
}

// add encodes the n patches in X, and adds the features of patch i to the sums of cell number cell[i]. It adds only
// nonzero features, because usually these are few.
func (s *signSplitter) add(ctx context.Context, sums []float32, cell []int, X []float32, n int) error {
	c := s.e.Channels()
	s.v = grow(s.v, n*c)
	if err := encode(ctx, s.e, s.v[:n*c], X, n); err != nil {
		return err
	}
	for i := range n {
		pos := sums[2*cell[i]*c:][:c]
		neg := sums[(2*cell[i]+1)*c:][:c]
		for k, v := range s.v[i*c : (i+1)*c] {
			switch {
			case v > 0:
				pos[k] += v
			case v < 0:
				neg[k] -= v
			case v == 0:
			default: // NaN: make the sum NaN
				pos[k] = v
			}
		}
	}
	return nil
}

func checkEncode(e Encoder, dst, X []float32, n int) {
	if n < 0 || len(X) != n*e.Dim() || len(dst) != n*e.Channels() {
		panic(fmt.Sprintf("vision: Encode: %d values and %d features are not %d patches with %d and %d", len(X), len(dst), n, e.Dim(), e.Channels()))
	}
}

// grow returns x if it has at least n numbers, or else a new slice of n numbers.
func grow(x []float32, n int) []float32 {
	if len(x) < n {
		return make([]float32, n)
	}
	return x
}

// A SpikeSlabEncoder infers the spikes h and slabs s of a spike-and-slab model under the approximate posterior Q. It
// is the part of such a model that WrapProduct needs; s3c.Encoder implements it.
type SpikeSlabEncoder interface {
	// EncodeBoth infers N spikes and N slabs for each of the n patches in X (n×D). It stores
	// E_Q[h] in h and ŝ = E_Q[s|h=1] in s (both n×N).
	EncodeBoth(h, s, X []float32, n int)
}

// WrapProduct returns an Encoder for a spike-and-slab model. It has one channel per unit, E_Q[h s] = ĥ ŝ, with ĥ =
// E_Q[h] and ŝ = E_Q[s|h=1]. These products can be negative; SplitSigns makes two channels of each. The arguments are
// as for Wrap: units is the number of channels, and each call to make() returns an encoder for one goroutine. For
// channels E_Q[h], use Wrap.
func WrapProduct(description string, dim, units int, make func() SpikeSlabEncoder) Encoder {
	if make == nil {
		panic(fmt.Sprintf("vision: WrapProduct: %q without an encoder", description))
	}
	return Wrap(description+", E[hs]", dim, units, func() PatchEncoder { return &spikeSlabEncoder{e: make()} })
}

type spikeSlabEncoder struct {
	e SpikeSlabEncoder
	s []float32
}

func (p *spikeSlabEncoder) Encode(dst, X []float32, n int) {
	if err := p.EncodeContext(context.Background(), dst, nil, X, n); err != nil {
		panic(err)
	}
}

// EncodeContext computes E_Q[h s] = ĥ ŝ for the n patches in X, and stores the products in dst. It makes p a
// contextEncoder.
func (p *spikeSlabEncoder) EncodeContext(ctx context.Context, dst, _, X []float32, n int) error {
	p.s = grow(p.s, len(dst))
	s := p.s[:len(dst)]
	if c, ok := p.e.(contextEncoder); !ok {
		p.e.EncodeBoth(dst, s, X, n)
	} else if err := c.EncodeContext(ctx, dst, s, X, n); err != nil {
		return err
	}
	for k, v := range s {
		dst[k] *= v
	}
	return nil
}

// SparseEncoder returns the encoder that codes a patch x by the w that minimizes ½‖x − Dw‖² + λ‖w‖₁. D is the matrix
// of atoms in d. The encoder has one channel per atom. SplitSigns makes two channels per atom, as in Coates and Ng.
// The zero options give the settings of Coates and Ng, with λ = 1. If the iterations for a patch reach their limit, the code
// is the w reached so far; this is not an error. The fields Workers, Recorder and Warm of options are not used.
func SparseEncoder(d *Dictionary, options *sparseapprox.Options) (Encoder, error) {
	var opt sparseapprox.Options
	if options != nil {
		opt = *options
	}
	given.Args("vision: SparseEncoder", "d", d)
	if opt.Lambda == 0 {
		opt.Lambda = 1
	}
	if opt.Tolerance == 0 {
		opt.Tolerance = 1e-3
	}
	opt.Workers, opt.Recorder, opt.Warm = 1, nil, nil
	c, err := sparseapprox.NewCoder(d.D, &opt)
	if err != nil {
		return nil, fmt.Errorf("vision: SparseEncoder: %w", err)
	}
	o, ridge := opt, ""
	if o.Ridge != 0 {
		ridge = fmt.Sprintf("ridge %v, ", o.Ridge)
	}
	return &sparseEncoder{coder: c, name: fmt.Sprintf("sparse code, %v, lambda %v, %sp %v, %v, tolerance %v, at most %d iterations, %d nonzeros, error %v, in float32, of %v",
		o.Prior, o.Lambda, ridge, o.P, o.Method, o.Tolerance, o.MaxIterations, o.Nonzeros, o.MaxError, d)}, nil
}

type sparseEncoder struct {
	coder *sparseapprox.Coder
	name  string
}

func (e *sparseEncoder) Dim() int       { return e.coder.Dim() }
func (e *sparseEncoder) Channels() int  { return e.coder.Atoms() }
func (e *sparseEncoder) String() string { return e.name }
func (e *sparseEncoder) Copy() Encoder  { return e } // a Coder may be shared

func (e *sparseEncoder) Encode(dst, X []float32, n int) {
	checkEncode(e, dst, X, n)
	if _, err := e.coder.Features(context.Background(), dst, X, n); err != nil {
		panic(fmt.Sprintf("vision: Encode: %v", err))
	}
}

// Triangle returns an encoder that assigns a patch x softly to centers d_j, the columns of a k-means dictionary (A.
// Coates, H. Lee and A. Ng, An analysis of single-layer networks in unsupervised feature learning, AISTATS 2011):
//
//	f_j = max(0, μ(r) − r_j),   r_j = ‖x − d_j‖,   μ(r) the mean of the r_j.
func Triangle(d *Dictionary) Encoder {
	given.Args("vision: Triangle", "d", d)
	dim, atoms := d.Dims()
	e := &triangleEncoder{dim: dim, atoms: atoms, D: single(d.D), square: make([]float32, atoms),
		name: fmt.Sprintf("triangle of %v", d)}
	for k := range atoms {
		var s float64
		for j := range dim {
			s += d.D.At(j, k) * d.D.At(j, k)
		}
		e.square[k] = float32(s)
	}
	return e
}

type triangleEncoder struct {
	dim, atoms int
	D          []float32 // D×N
	square     []float32 // ‖d_j‖² (N)
	name       string
}

func (e *triangleEncoder) Dim() int       { return e.dim }
func (e *triangleEncoder) Channels() int  { return e.atoms }
func (e *triangleEncoder) String() string { return e.name }
func (e *triangleEncoder) Copy() Encoder  { return e }

func (e *triangleEncoder) Encode(dst, X []float32, n int) {
	checkEncode(e, dst, X, n)
	N := e.atoms
	blas32.Gemm(blas.NoTrans, blas.NoTrans, -2, general(X, n, e.dim), general(e.D, e.dim, N), 0, general(dst, n, N)) // (n×D)(D×N)
	for i := range n {
		var x float32
		for _, v := range X[i*e.dim : (i+1)*e.dim] {
			x += v * v
		}
		row := dst[i*N : (i+1)*N]
		var sum float64
		for k, v := range row {
			r := float32(math.Sqrt(float64(max(0, x+v+e.square[k]))))
			row[k] = r
			sum += float64(r)
		}
		mean := float32(sum / float64(N))
		for k, r := range row {
			row[k] = max(0, mean-r)
		}
	}
}
