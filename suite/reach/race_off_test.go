//go:build !race

package reach

const raceDetector = false
