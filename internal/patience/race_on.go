//go:build race

package patience

// RaceDetector reports whether the program was built with the race detector, which makes it slower and larger.
const RaceDetector = true
