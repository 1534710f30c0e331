// Package sniff finds the type of a file from its content. It calls DetectContentType of net/http, except in
// a browser: there net/http would make the kernel larger by a fifteenth, so this package recognizes only
// pictures, PDF, HTML, XML and text.
package sniff

import (
	"bytes"
	"strings"
)

// knownType is like Type for the few content types that a page shows.
func knownType(b []byte) string {
	b = b[:min(len(b), 512)] // net/http uses the same limit
	for _, k := range []struct{ begin, kind string }{
		{"\x89PNG\r\n\x1a\n", "image/png"},
		{"\xff\xd8\xff", "image/jpeg"},
		{"GIF87a", "image/gif"},
		{"GIF89a", "image/gif"},
		{"BM", "image/bmp"},
		{"%PDF-", "application/pdf"},
	} {
		if strings.HasPrefix(string(b), k.begin) {
			return k.kind
		}
	}
	if len(b) >= 14 && string(b[:4]) == "RIFF" && string(b[8:14]) == "WEBPVP" {
		return "image/webp"
	}
	text := bytes.TrimLeft(b, "\t\n\x0c\r ")
	if bytes.HasPrefix(text, []byte("<?xml")) {
		return "text/xml; charset=utf-8"
	}
	for _, tag := range []string{"<!DOCTYPE HTML", "<HTML", "<HEAD", "<SCRIPT", "<IFRAME", "<H1", "<DIV", "<FONT", "<TABLE", "<A", "<STYLE", "<TITLE", "<B", "<BODY", "<BR", "<P"} {
		if n := len(tag); len(text) > n && strings.EqualFold(string(text[:n]), tag) && (text[n] == ' ' || text[n] == '>') {
			return "text/html; charset=utf-8"
		}
	}
	if bytes.HasPrefix(text, []byte("<!--")) {
		return "text/html; charset=utf-8"
	}
	for _, c := range b {
		if c < ' ' && !strings.ContainsRune("\t\n\x0c\r\x1b", rune(c)) {
			return "application/octet-stream"
		}
	}
	return "text/plain; charset=utf-8"
}
