package vision

import "fmt"

// A SpikeSlabEncoder is the part of a spike-and-slab model (s3c.Encoder) that
// WrapProduct needs.
type SpikeSlabEncoder interface {
	// EncodeBoth stores E_Q[h] and ŝ = E_Q[s|h=1] of the n patches in X (n×D) in h
	// and s (n×N).
	EncodeBoth(h, s, X []float32, n int)
}

// WrapProduct returns an Encoder for a spike-and-slab model with the channels E_Q[h s] = ĥ ŝ. SplitSigns then
// splits their signs. The arguments are the same as for Wrap, which returns the Encoder for E_Q[h].
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
	p.s = grow(p.s, len(dst))
	s := p.s[:len(dst)]
	p.e.EncodeBoth(dst, s, X, n)
	for k, v := range s {
		dst[k] *= v
	}
}
