// Package sniff finds the type of a file from its content. It calls net/http's DetectContentType,
// except in a browser, where that would make the kernel a fifteenth larger: there it recognizes
// only pictures, PDF, HTML, XML and text.
package sniff
