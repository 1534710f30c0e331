//go:build !js

package ixengine

import "net/http"

// abandonment is the value that an HTTP handler panics with to abort on purpose.
var abandonment any = http.ErrAbortHandler
