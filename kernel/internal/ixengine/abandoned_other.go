//go:build !js

package ixengine

import "net/http"

// abandoned reports whether a handler of a web server has given up on purpose.
func abandoned(value any) bool { return same(value, http.ErrAbortHandler) }
