//go:build !race

package ixengine

// raceEnabled says whether the race detector watches.
const raceEnabled = false
