package engine

// A Keeper is a Session that can tell what a cell uses, and declare the cell's names, without running the cell.
type Keeper interface {
	// Uses tells what a cell uses. It changes nothing.
	Uses(cell Cell) (Uses, error)
	// Declare declares everything that a cell declares, and runs none of its statements: its variables are zero, or keep
	// their values if the session had them with the same types.
	Declare(cell Cell) error
}

// Uses describes what a cell uses.
type Uses struct {
	// Code has the sources of the declarations that the cell reaches, its own among them.
	Code []string
	// Imports are the paths of the packages that these mention, sorted.
	Imports []string
	// Reads are the variables of earlier cells that the cell and these declarations mention, and Declares the variables
	// that the cell declares. Both are sorted by name.
	Reads, Declares []string
}
