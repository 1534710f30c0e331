package ixengine

// abandonment is the value with which an HTTP handler panics to abort its response deliberately. It is nil
// here: a browser has no such handlers, and importing net/http would make the binary much larger.
var abandonment any
