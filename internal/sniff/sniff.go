//go:build !js

package sniff

import "net/http"

// Type returns the MIME type of content of which b is the beginning.
func Type(b []byte) string { return http.DetectContentType(b) }
