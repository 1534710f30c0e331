//go:build race

package ixengine

// raceEnabled reports whether the race detector is on.
const raceEnabled = true
