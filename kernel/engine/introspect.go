package engine

// An Introspector describes the names of a session, for completion and inspection. Its methods may be called at any
// time, even during Run, and by several goroutines.
type Introspector interface {
	// Names returns the current names of the session, including the names that a running cell declares.
	Names() *Names

	// Peek calls the function look with a pointer to the variable and reports whether it called look. It does
	// not call look while a cell or a goroutine of an earlier cell runs, because running code may write to
	// the variable. Cells wait until the function look returns.
	Peek(name string, look func(pointer any)) bool
}

// Names are the names of a session, with their meanings at one moment. Callers share a Names value and must not
// change it.
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
	// declared in a cell has no package name. A type may be unexported in its package.
	Type     string
	Packages map[string]string
	// Cell is the cell that declared the variable.
	Cell Cell
}

// A Decl is a function, method, type or group of constants that a cell of the session has declared.
type Decl struct {
	// Names are the declared names; the name of a method is T.M.
	Names []string
	// Source is the declaration, formatted, without comments.
	Source string
	// Cell is the cell that contains the declaration, including its comments.
	Cell Cell
}

// A Checker checks the text of a cell without running it.
type Checker interface {
	// Check returns the compile error with which Run would refuse the cell, or nil if the cell compiles. It changes
	// nothing in the session. While a cell runs, or is being built, nothing is checked and ok is false. It may be
	// called at any time, and by several goroutines.
	Check(cell Cell) (fault *Error, ok bool)
}

// A Tracer knows which of the types declared in cells occur in the type of a variable. The text of the cell that
// declares the variable need not mention these types.
type Tracer interface {
	// TypesOf returns the names of the cell types that a variable's type mentions, sorted. The result is empty if there
	// is no such variable. TypesOf may be called at any time, and by several goroutines.
	TypesOf(variable string) []string
}
