//go:build race

package headless

const raceDetector = true
