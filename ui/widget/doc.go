// Package widget makes sliders, menus, buttons and bars in a notebook, driven
// from Go, in the messaging protocol of Jupyter's ipywidgets.
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
// A value changes at once, also while a cell runs, so that a loop can look at a
// slider, or at Button.Clicks to know whether to stop. Callbacks run one after the other
// and never while a cell runs, because they share its variables: they wait for the cell to
// end. If a control changes several times meanwhile, its callback is called with the last
// value only.
//
// If a callback panics, the next cell runs as usual.
//
// # What callbacks show
//
// What a callback prints and displays, and the panic that ends it, stands below the control that it
// belongs to, in each place that shows the control. It is part of the control's state: a page that is
// loaded again has it, and so has a second window. Of text the last 20 kB are kept, of other outputs
// the last ten; display.Clear(true) begins anew. What a callback changes by display.UpdateDisplay
// stays where it is, but only a page that has shown it since it was loaded can find that place:
// Interact has no such limit.
//
// A control that a cell sets calls its callbacks as part of the cell, and they print there.
//
// # What is shown where
//
//   - Front ends with ipywidgets 7 or 8 (JupyterLab, VS Code, the classic Notebook with the
//     extension) show its widgets. The requests of a front end when it connects show whether
//     it has version 8; set OVERCOMPLETE_WIDGETS=7 or 8 for front ends without such requests.
//   - The classic Notebook without the extension shows controls of this package's own,
//     which work in the same way.
//   - Anything else, such as a saved notebook or an exported page, shows the values
//     in controls that do not move, and says what would move them. Interact has an output
//     of its own for that, with the last result and the controls as they stood for it, which
//     move between the positions that were saved; where the live one is on the page, it is hidden.
//   - In an ordinary program a control is a named value. Only its text is shown,
//     and only Set changes it.
//
// # Saved positions
//
// A page has no kernel to ask when its reader moves a slider. Where a notebook is run to be saved
// (overcomplete run, all), Interact therefore calls its function for other positions of the controls too,
// and the saved output has what they show: at most 200 combinations, what takes 2 seconds, and 1 MB in the file.
// Where that is not enough for all, every other position is left out, and so on, and the page says how many
// there are. What is the same at several positions is stored once; a position where the function panics shows
// that. Fields of text stay as they are. In front ends nothing of this is computed.
//
// OVERCOMPLETE_POSITIONS says for how many combinations, 0 for none; a front end that has it set saves them too.
//
// # Files, in reading order
//
//	control.go      the controls
//	interact.go     Interact: its function
//	interaction.go  Interact: its outputs
//	positions.go    Interact: what it shows for other positions
//	area.go         what callbacks show
//	root.go         a control with its area
//	model.go        what a front end knows of a control, and the messages about it
//	names.go        the names that ipywidgets uses
//	page.go         the HTML form
//	page.js         its script, for the classic Notebook
//	pages.go        the pages that show it
//	saved.go        what is in the file
//	earlier.go      controls of a kernel that is gone
//
// # Traps
//
// A page of JupyterLab that has been loaded again does not bring up to date what the file has of
// Interact: it keeps the values and the picture of before, which belong together, until the cell
// runs again.
//
// A function with effects, one that appends to a list say, has them for each saved position. It is called
// last for the values that the controls have, so that what it sets is as in a front end.
//
// A control is kept for as long as the kernel runs, unless it is closed: front ends request
// it again when a page is reloaded.
package widget
