package synth

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// maxValues limits the number of values that a generator produces, to half a gigabyte.
const maxValues = 1 << 26

// The streams of random numbers. No two generators share a stream, whatever the seed.
const (
	streamDigits = iota + 1
	streamDigitLabels
	streamFaces
	streamLeaves
	streamPatches
	streamTopics
	streamDocuments
	streamMatrix
	streamSources
	streamNoise
)

// random returns the random number generator for item i of a stream, one of the stream constants. Each item has its
// own generator, so items can be generated in any order and by any number of goroutines.
func random(seed uint64, stream, i int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, scramble(uint64(stream)<<40+uint64(i))))
}

// scramble applies a bijection that maps neighboring numbers to distant ones (the finalizer of SplitMix64: G.
// Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014).
func scramble(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// forEach calls f(0), ..., f(n−1) on as many goroutines as there are processors. If ctx is done, forEach begins no
// further calls, and returns an error that names the generator (what). A nil ctx is never done.
func forEach(ctx context.Context, what string, n int, f func(i int)) error {
	if ctx == nil {
		ctx = context.Background()
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n || ctx.Err() != nil {
					return
				}
				f(i)
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("synth: %s: %w", what, err)
	}
	return nil
}

// truncatedNormal returns a standard normal deviate, redrawn until it is within ±2.5. This reduces the standard
// deviation to 0.95.
func truncatedNormal(rnd *rand.Rand) float64 {
	for {
		if z := rnd.NormFloat64(); z >= -2.5 && z <= 2.5 {
			return z
		}
	}
}

// clamp returns v, or the nearer end of [lo, hi] if v is outside.
func clamp(v, lo, hi float64) float64 {
	switch { // not min and max, which check for NaN first and are slower in WebAssembly
	case v <= lo:
		return lo
	case v >= hi:
		return hi
	}
	return v
}
