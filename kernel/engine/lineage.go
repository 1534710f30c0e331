package engine

// A Tracer is a Session that knows which types of cells affect a variable. The text of a cell does not show
// that.
type Tracer interface {
	// TypesOf returns the names of the types declared in cells that the type of a variable mentions, sorted;
	// none if there is no such variable. It may be called at any time, and by several goroutines.
	TypesOf(variable string) []string
}
