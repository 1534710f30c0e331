//go:build !race

package ixengine

const raceEnabled = false
