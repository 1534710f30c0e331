//go:build !js

package ixengine

import "net/http"

// abandonment is what a handler of a web server panics with that gives up on purpose.
var abandonment any = http.ErrAbortHandler
