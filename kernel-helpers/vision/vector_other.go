//go:build (!amd64 && !arm64) || noasm

package vision

// addThreshold adds max(0, z − a) to pos and max(0, −z − a) to neg.
func addThreshold(pos, neg, z []float32, a float32) { addThresholdPortable(pos, neg, z, a) }
