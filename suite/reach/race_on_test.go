//go:build race

package reach

const raceDetector = true
