//go:build !race

package cifar

const raceDetector = false
