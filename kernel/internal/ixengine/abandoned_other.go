//go:build !js

package ixengine

import "net/http"

// abandonment is the value with which an HTTP handler panics to abort its response deliberately.
var abandonment any = http.ErrAbortHandler
