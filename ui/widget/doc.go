// Package widget provides sliders, menus, buttons and bars in a notebook, controlled from Go with the messaging
// protocol of Jupyter's ipywidgets.
//
//	widget.Interact(func(k int) any { return reconstruct(k) }, widget.IntSlider("k", 1, 100, 10))
//
// or by hand:
//
//	s := widget.IntSlider("k", 1, 100, 10)
//	s.OnChange(func(k int) { display.UpdateDisplay(id, reconstruct(k)) })
//	s                // the last line of a cell shows it
//	s.Value()        // in any later cell, or in the loop of a running one
//
// # When things happen
//
// A value changes at once, even while a cell runs, so a loop can read a slider, or check ButtonControl.Clicks to know
// whether to stop. Callbacks run one after the other. They never run while a cell runs, because they share the cell's
// variables; instead they wait for the cell to end. If a control changes several times during the wait, its callback
// is called only with the last value.
//
// If a callback panics, the next cell runs as usual.
//
// # Output of callbacks
//
// The output of a callback, including a panic, is shown below the callback's control, in each place that shows the
// control. The output is part of the control's state, so a reloaded page and a second window also show it. The last 20
// kB of text and the last ten other outputs are kept; display.Clear(true) removes them. A callback can also change an
// output elsewhere with display.UpdateDisplay. But after a page has been reloaded, it does not show such changes until
// the output is displayed again. The live output of Interact is updated on reloaded pages, too.
//
// If a cell sets a control, the callbacks run as part of the cell and print there.
//
// # Animation
//
// Play is an IntSlider with a button that moves it from frame to frame, on a page without a kernel too. It suits a
// path that a variable already holds, such as the iterates of a solver:
//
//	widget.Interact(func(step int) any { return drawing(path[:step+1]) }, widget.Play("step", 0, len(path)-1, 0))
//
// # Where controls work
//
//   - Front ends with ipywidgets 7 or 8 (JupyterLab, VS Code, the classic Notebook with the extension) show ipywidgets' own widgets. A front end's first requests reveal whether it has version 8; set OVERCOMPLETE_WIDGETS=7 or 8 for front ends without such requests.
//   - The classic Notebook without the extension shows this package's own controls, which work in the same way.
//   - A page without a kernel, such as an exported page, shows the values in controls that do not move, and says how to make them move. For such pages Interact has a second output, with the last result and its controls. These controls move between the saved positions. The second output is hidden if the live output is on the page.
//   - In an ordinary program a control is a named value. Only its text is shown, and only Set changes the value.
//
// # Saved positions
//
// An exported page has no kernel to ask when its reader moves a slider. Therefore the commands overcomplete run and
// overcomplete all, which run a notebook in order to save it, make Interact save other positions. Interact then calls
// its function for other positions of the controls, and stores the results in the saved output. The limits are 200
// combinations, 2 seconds, and 1 MB in the file. If they do not allow all positions, Interact saves fewer positions,
// evenly spaced, and the page says how many it has. Equal results are stored once. A position where the function
// panics shows the panic. Text fields keep their values.
//
// The environment variable OVERCOMPLETE_POSITIONS sets the number of combinations, 0 for none. Kernels with front ends
// save other positions only if this variable is set.
//
// # Files, in reading order
//
//	control.go    the controls
//	interact.go   Interact: its function and its outputs
//	positions.go  Interact: its results for other positions (package internal/positions has their
//	              format, and positions.js, which moves the slider on an exported page)
//	area.go       the output of callbacks
//	root.go       a control with its area
//	model.go      the front ends' view of a control, and the messages about it
//	names.go      the names that ipywidgets uses
//	page.go       controls as HTML
//	page.js       the script that connects this HTML with the kernel, for the classic Notebook
//	pages.go      the web pages that show this HTML
//	saved.go      the output kept in the notebook's file, and controls of an earlier kernel
//
// # Traps
//
// A reloaded page of JupyterLab does not update the saved output of Interact. This output keeps the earlier values and
// the picture for them until the cell runs again.
//
// The side effects of a function, such as appending to a list, occur for each saved position. The last call is for the
// current values of the controls, so that variables set by the function end up with the same values as in a front end.
//
// A control is kept until it is closed or the kernel ends, because front ends request it again when a page is
// reloaded.
package widget
