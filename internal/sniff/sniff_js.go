package sniff

// Type returns the MIME type of content that begins with b.
func Type(b []byte) string { return knownType(b) }
