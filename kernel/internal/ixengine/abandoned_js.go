package ixengine

// abandonment is what a handler of a web server panics with that gives up on purpose: there are none in a
// browser, and to name net/http would bring all of it.
var abandonment any
