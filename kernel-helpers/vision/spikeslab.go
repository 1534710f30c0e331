package vision

import (
	"context"
	"fmt"
)

// A SpikeSlabEncoder infers the spikes h and slabs s of a spike-and-slab model under the approximate posterior Q. It
// is the part of such a model that WrapProduct needs; s3c.Encoder implements it.
type SpikeSlabEncoder interface {
	// EncodeBoth stores E_Q[h] and ŝ = E_Q[s|h=1] of the n patches in X (n×D) in h
	// and s (n×N).
	EncodeBoth(h, s, X []float32, n int)
}

// WrapProduct returns an Encoder for a spike-and-slab model. Its channels are E_Q[h s] = ĥ ŝ, with ĥ = E_Q[h] and ŝ =
// E_Q[s|h=1]. They can be negative; SplitSigns makes two channels of each. The arguments correspond to those of Wrap,
// which returns an Encoder with the channels E_Q[h] instead.
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

// EncodeContext stores E_Q[h s] = ĥ ŝ of the n patches in X in dst. It makes p a contextEncoder.
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
