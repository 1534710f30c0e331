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
// If a callback panics, the panic is reported on stderr, and the next cell runs as usual.
//
// # What is shown where
//
//   - Front ends with ipywidgets 7 or 8 (JupyterLab, VS Code, the classic Notebook with the
//     extension) show its widgets. The requests of a front end when it connects show whether
//     it has version 8; set OVERCOMPLETE_WIDGETS=7 or 8 for front ends without such requests.
//   - The classic Notebook without the extension shows controls of this package's own,
//     which work in the same way.
//   - Anything else, such as a saved notebook or an exported page, shows the values
//     in controls that do not move. The last output of Interact is saved.
//   - In an ordinary program a control is a named value. Only its text is shown,
//     and only Set changes it.
//
// # Files, in reading order
//
//	control.go   the controls
//	interact.go  Interact
//	model.go     what a front end knows of a control, and the messages about it
//	names.go     the names that ipywidgets uses
//	page.go      the HTML form
//	pages.go     the pages that show it
//
// # Traps
//
// What a callback prints while a cell is running may be lost in JupyterLab; what it
// displays with display.UpdateDisplay, as Interact does, is not.
//
// A control is kept for as long as the kernel runs, unless it is closed: front ends request
// it again when a page is reloaded.
package widget
