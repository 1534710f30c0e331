package vision

import (
	"context"
	"fmt"
)

// A SpikeSlabEncoder infers the spikes h and slabs s of a spike-and-slab model under the approximate posterior Q. It
// is the part of such a model that WrapProduct needs; s3c.Encoder implements it.
type SpikeSlabEncoder interface {
	// EncodeBoth infers N spikes and N slabs for each of the n patches in X (n×D). It stores
	// E_Q[h] in h and ŝ = E_Q[s|h=1] in s (both n×N).
	EncodeBoth(h, s, X []float32, n int)
}

// WrapProduct returns an Encoder for a spike-and-slab model. It has one channel per unit, E_Q[h s] = ĥ ŝ, with ĥ =
// E_Q[h] and ŝ = E_Q[s|h=1]. These products can be negative; SplitSigns makes two channels of each. The arguments are
// as for Wrap, and units is the number of channels. For channels E_Q[h], use Wrap.
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
