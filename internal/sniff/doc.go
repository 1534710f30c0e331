// Package sniff tells by content what a file is. It is net/http's DetectContentType, but for a
// browser, where that would bring a fifteenth of the kernel with it: there it knows pictures, PDF,
// HTML, XML and text.
package sniff
