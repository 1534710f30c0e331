//go:build !noasm

package vision

import "golang.org/x/sys/cpu"

//go:generate go run ./gen -out threshold_amd64.s -stubs threshold_amd64.go -pkg vision

// vectors says that the processor has the instructions and the operating system
// saves their registers.
var vectors = cpu.X86.HasAVX2

// addThreshold adds max(0, z − a) to pos and max(0, −z − a) to neg.
func addThreshold(pos, neg, z []float32, a float32) {
	n := len(z)
	pos, neg = pos[:n], neg[:n]
	if n &^= 7; vectors && n > 0 {
		addThresholdAVX2(n, &pos[0], &neg[0], &z[0], a)
		pos, neg, z = pos[n:], neg[n:], z[n:]
	}
	addThresholdPortable(pos, neg, z, a)
}
