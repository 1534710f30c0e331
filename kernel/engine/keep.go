package engine

// A Keeper is a Session that can find out what a cell uses, and declare the cell's names, without running the cell.
type Keeper interface {
	// Uses returns what a cell uses. It changes nothing in the session.
	Uses(cell Cell) (Uses, error)
	// Declare declares the names of a cell without running its statements. A variable keeps its value if the session
	// already has it with the same type; otherwise the variable is zero.
	Declare(cell Cell) error
}

// A Uses lists the declarations, packages and variables that a cell uses.
type Uses struct {
	// Code has the sources of the declarations that the cell uses, directly or through other declarations. It
	// includes the cell's own declarations.
	Code []string
	// Imports are the sorted paths of the packages that the declarations in Code mention.
	Imports []string
	// Reads are the variables of earlier cells that the cell and the declarations in Code mention. Declares are the
	// variables that the cell declares. Both are sorted by name.
	Reads, Declares []string
}
