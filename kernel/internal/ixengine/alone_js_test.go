package ixengine

import "testing"

// alone reports true: in a browser there is one process.
func alone(*testing.T) bool { return true }
