package ixengine

import "overcomplete/kernel/internal/regcode"

// A Level is a way to run the code of cells. All give the same; tests force each.
type Level struct {
	Name  string
	force func()
}

// Levels are all that there are: first the interpreter alone, the oracle of the others.
var Levels = []Level{
	{"interpreter", func() { fast = false }},
	{"register code", func() { fast, callsBefore, regcode.Hot = true, 0, -1 }},
	{"native", func() { fast, callsBefore, regcode.Hot = true, 0, 0 }},
}

// Force has code that is built from now on run at level l, until undo is called. It is for tests
// of which no other runs at the same time.
func (l Level) Force() (undo func()) {
	was, before, hot := fast, callsBefore, regcode.Hot
	l.force()
	return func() { fast, callsBefore, regcode.Hot = was, before, hot }
}
