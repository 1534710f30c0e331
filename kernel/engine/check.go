package engine

// A Checker is a Session that can check the text of a cell without running it.
type Checker interface {
	// Check returns the compile error with which Run would refuse the cell, or nil if the cell compiles. It changes
	// nothing in the session. While a cell runs, or is being built, nothing is checked and ok is false. It may be
	// called at any time, and by several goroutines.
	Check(cell Cell) (fault *Error, ok bool)
}
