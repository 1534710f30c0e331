//go:build !noasm

package vision

import "overcomplete/internal/simd"

// addThreshold adds max(0, z − a) to pos and max(0, −z − a) to neg.
func addThreshold(pos, neg, z []float32, a float32) {
	n := len(z)
	pos, neg = pos[:n], neg[:n]
	if n &^= 7; simd.NEON() && n > 0 {
		addThresholdNEON(n, &pos[0], &neg[0], &z[0], a)
		pos, neg, z = pos[n:], neg[n:], z[n:]
	}
	addThresholdPortable(pos, neg, z, a)
}
