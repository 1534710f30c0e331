package ixengine

// abandoned reports whether a handler of a web server has given up on purpose: there are none in a
// browser, and to name net/http would bring all of it.
func abandoned(any) bool { return false }
