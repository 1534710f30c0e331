package kernel

import "overcomplete/kernel-helpers/display"

// An Output receives what a cell shows, in the order in which the cell shows
// it and all of it before Execute returns. Its methods are never called by two
// goroutines at once.
type Output interface {
	// Stream is given text that the cell wrote; name is "stdout" or "stderr".
	Stream(name, text string)
	// Display shows d. With update set it replaces what was shown before under
	// d's display_id.
	Display(d display.Data, update bool)
	// Result shows one value of the cell's last expression.
	Result(d display.Data)
	// Clear removes what the cell has shown so far, when wait is set only once
	// something new is shown.
	Clear(wait bool)
}
