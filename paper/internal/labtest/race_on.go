//go:build race

package labtest

// slower is how much longer everything takes with the race detector, roughly.
const slower = 10
