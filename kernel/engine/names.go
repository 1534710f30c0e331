package engine

// An Introspector is a Session that can say what its names mean, for completion and inspection. Its methods may
// be called at any time, also while Run is running, and by several goroutines.
type Introspector interface {
	// Names returns the current names of the session. While a cell runs, these include the names that it
	// declares.
	Names() *Names

	// Peek calls look with a pointer to the variable and reports whether it did so. It does not while a cell or
	// a goroutine of an earlier cell runs, because these may write to the variable. Cells wait until look
	// returns.
	Peek(name string, look func(pointer any)) bool
}

// Names describes what the names of a session mean at one moment. It must not
// be changed: callers share it.
type Names struct {
	// Imports maps the names of the imported packages to their import paths, including the packages that need
	// no import.
	Imports map[string]string
	// Dots are the paths of the packages imported with a dot.
	Dots []string
	// Variables are sorted by name.
	Variables []NamedVariable
	// Decls are the functions, methods, types and const groups, in declaration order.
	Decls []Decl
}

// A NamedVariable describes a variable of a session by name and type, without
// access to its value.
type NamedVariable struct {
	Name string
	// Type is the variable's type as Go source. Packages maps the package names in it to import paths. A type
	// declared in a cell is given by its name alone. A name may be unexported in its package.
	Type     string
	Packages map[string]string
	// Cell is the cell that declared the variable.
	Cell Cell
}

// A Decl is a declaration of a session.
type Decl struct {
	// Names are the names that it declares, T.M for a method.
	Names []string
	// Source is the declaration, formatted, without comments.
	Source string
	// Cell is the cell that contains the declaration, with its comments.
	Cell Cell
}
