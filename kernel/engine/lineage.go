package engine

// A Tracer is a Session that says by what types of cells its variables are affected, which the text of
// a cell does not tell.
type Tracer interface {
	// TypesOf returns the names of the types of cells that the type of a variable mentions, sorted. There are
	// none if there is no such variable. It may be called at any time, and by several goroutines.
	TypesOf(variable string) []string
}
