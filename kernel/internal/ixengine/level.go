package ixengine

import (
	"overcomplete/kernel/internal/regcode"
)

// A Level is a way to run the code of cells. All levels give the same results. Tests can force a level.
type Level struct {
	Name  string
	force func()
}

// Levels holds all levels. The first is the interpreter alone, the oracle for the others.
var Levels = []Level{
	{"interpreter", func() { fast = false }},
	{"register code", func() { fast, regcode.Hot = true, -1 }},
	{"native", func() { fast, regcode.Hot = true, 0 }},
}

// Force sets the level to l for all code that is built from now on. The returned function undoes this. Only tests that
// do not run in parallel with other tests may call Force.
func (l Level) Force() (undo func()) {
	was, hot := fast, regcode.Hot
	l.force()
	return func() { fast, regcode.Hot = was, hot }
}
