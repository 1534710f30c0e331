package sniff

// Type returns the MIME type of content of which b is the beginning.
func Type(b []byte) string { return known(b) }
