package engine

// An Introspector is a Session that can say what its names mean: what
// completion and inspection need. Its methods may be called at any time, also
// while Run is running, and by several goroutines.
type Introspector interface {
	// Names gives what the names of the session mean now. While a cell runs
	// that includes what this cell declares.
	Names() *Names

	// Peek calls look with a pointer to the variable, and reports whether it did:
	// not while a cell runs, nor while goroutines of earlier cells do,
	// for they may write to it. Cells wait until look returns.
	Peek(name string, look func(pointer any)) bool
}

// Names is what the names of a session mean at one moment. It must not be
// changed: callers share it.
type Names struct {
	// Imports are the imported packages, import path by name, those that need
	// no import included.
	Imports map[string]string
	// Dots are the paths of packages imported with a dot.
	Dots []string
	// Variables are sorted by name.
	Variables []NamedVariable
	// Decls are the functions, methods, types and const groups, in the order in
	// which they were declared.
	Decls []Decl
}

// A NamedVariable is a variable of a session, seen from outside.
type NamedVariable struct {
	Name string
	// Type is its type as Go source, in which packages have the names that
	// Packages gives the paths of. Of types that a cell has declared the name
	// is all there is. A name may be one that its package does not export.
	Type     string
	Packages map[string]string
	// Cell is the cell that declared it.
	Cell Cell
}

// A Decl is a declaration of a session.
type Decl struct {
	// Names are what it declares; T.M for a method.
	Names []string
	// Source is the declaration, formatted, without comments.
	Source string
	// Cell is the cell that it stands in, with comments and all.
	Cell Cell
}
