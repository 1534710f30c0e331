//go:build !js

package sniff

import "net/http"

// Type returns the MIME type of content that begins with b.
func Type(b []byte) string { return http.DetectContentType(b) }
