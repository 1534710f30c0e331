package ixengine

// abandonment is the value that an HTTP handler panics with to abort on purpose. It is nil here: a browser has
// no such handlers, and importing net/http would make the binary much larger.
var abandonment any
