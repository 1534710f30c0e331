// Package sniff finds the type of a file from its content. It calls DetectContentType of net/http, except in
// a browser: there net/http would make the kernel larger by a fifteenth, so this package recognizes only
// pictures, PDF, HTML, XML and text.
package sniff
