package vision

import (
	"math/rand/v2"
	"slices"
	"testing"

	"overcomplete/kernel-helpers/internal/avogen/avogentest"
)

// TestVectors compares the assembly, the portable code and the definition, for all
// lengths.
func TestVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 41 {
		z := make([]float32, n)
		for k := range z {
			z[k] = float32(rng.NormFloat64())
		}
		var sums [3][2][]float32
		for s := range sums {
			for i := range 2 {
				sums[s][i] = make([]float32, n+1)
				for k := range sums[s][i] {
					sums[s][i][k] = float32(k) // nothing is written past the end
				}
			}
		}
		addThreshold(sums[0][0][:n], sums[0][1][:n], z, 0.25)
		addThresholdPortable(sums[1][0][:n], sums[1][1][:n], z, 0.25)
		for k, v := range z {
			sums[2][0][k] += max(0, v-0.25)
			sums[2][1][k] += max(0, -v-0.25)
		}
		for s := range 2 {
			for i := range 2 {
				if !slices.Equal(sums[s][i], sums[2][i]) {
					t.Fatalf("%d numbers, version %d, sign %d: %v, want %v", n, s, i, sums[s][i], sums[2][i])
				}
			}
		}
	}
}

// The package's assembly equals the generator's output.
func TestGenerated(t *testing.T) { avogentest.One(t, "vision", "threshold") }
