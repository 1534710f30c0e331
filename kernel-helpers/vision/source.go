package vision

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"overcomplete/kernel-helpers/internal/given"
)

// A Source is an endless supply of whitened random patches, for models that learn from millions of them. It implements
// s3c.Source. Its patch i is the whitened patch i that NewPatches would give for the same seed. A Source is not safe
// for concurrent use.
type Source struct {
	images *Images
	side   int
	seed   uint64
	w      *Whitening
	raw    []float32
	print  uint64
}

// NewSource returns a source of patches of side×side pixels, whitened by w.
func NewSource(im *Images, side int, w *Whitening, seed uint64) *Source {
	given.Args("vision: NewSource", "im", im, "w", w)
	if _, d := NewPatches(im, side, 1, seed).Dims(); d != w.Dim() {
		panic(fmt.Sprintf("vision: NewSource: patches of %d values, the whitening is for %d", d, w.Dim()))
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%v; %v; side %d, seed %d", im, w, side, seed))
	return &Source{images: im, side: side, seed: seed, w: w, print: binary.LittleEndian.Uint64(sum[:])}
}

// Dim returns D, the number of values of a patch.
func (s *Source) Dim() int { return s.w.Dim() }

// Patches stores the n patches with the numbers start, start+1, ..., start+n−1 in the rows of dst (n×D).
func (s *Source) Patches(dst []float32, start, n int) error {
	if start < 0 || n < 0 || len(dst) != n*s.Dim() {
		panic(fmt.Sprintf("vision: Patches: %d patches from %d on, of %d values, into %d", n, start, s.Dim(), len(dst)))
	}
	if n == 0 {
		return nil
	}
	s.raw = grow(s.raw, len(dst))
	p := NewPatches(s.images, s.side, start+n, s.seed)
	if err := p.Read(s.raw[:len(dst)], start, start+n); err != nil {
		return err
	}
	s.w.Apply(dst, s.raw[:len(dst)], n)
	return nil
}

// Fingerprint returns a number that depends on images, side, whitening and seed, and so distinguishes sources.
func (s *Source) Fingerprint() uint64 { return s.print }
