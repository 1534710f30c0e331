package vision

import (
	"context"
	"fmt"
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

// A PatchEncoder is the part of an Encoder that models of other packages provide.
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
// description must identify the model and all its settings. Each call of newEncoder() returns an encoder for one
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
