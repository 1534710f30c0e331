//go:build race

package cifar

const raceDetector = true
