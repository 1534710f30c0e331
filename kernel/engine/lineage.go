package engine

// A Tracer is a Session that knows which of the types declared in cells occur in the type of a variable. The text of
// the cell that declares the variable need not mention these types.
type Tracer interface {
	// TypesOf returns the names of the cell types that a variable's type mentions, sorted. The result is empty if there
	// is no such variable. TypesOf may be called at any time, and by several goroutines.
	TypesOf(variable string) []string
}
