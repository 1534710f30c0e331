package ixengine

import "testing"

// alone returns true: in a browser there is only one process.
func alone(*testing.T) bool { return true }
