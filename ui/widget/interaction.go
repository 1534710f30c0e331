package widget

import (
	"sync"
	"time"

	"overcomplete/ui/comm"
	"overcomplete/ui/display"
)

// keepDelay is how long the controls must rest before the saved form is updated. The saved form repeats the
// picture, and nobody looks at it while the controls move.
const keepDelay = 400 * time.Millisecond

// An interaction holds the two outputs that Interact shows in the cell. The first is live: it has the controls, and an
// area with the result. The second is kept in the notebook's file: see renderSaved.
type interaction struct {
	call  func() any
	box   *BoxControl
	area  *area
	id    string           // the display id of the second output
	other *positionResults // results for other positions, nil if none are saved

	mu       sync.Mutex
	drawing  bool
	controls string       // HTML of the controls in the state that gave the result in the area
	standing string       // the labels and values of these controls, as text
	result   display.Data // the latest result
	timer    *time.Timer  // runs until the second output is brought up to date
}

// interact shows the controls in box and, below them, the result of the given function. It calls that function again
// whenever a control has changed.
func interact(call func() any, box *BoxControl, other *positionResults) {
	i := &interaction{call: call, box: box, area: box.root().area, id: display.NewID(), other: other}
	display.Display(renderLive(box))
	i.draw()
	display.DisplayID(i.id, i.savedForm())
	for _, c := range box.controls {
		c.parts().onChange(func() {
			defer i.keep()
			i.draw()
		})
	}
}

// isLive reports whether the first output has been sent to a front end.
func (i *interaction) isLive() bool { return i.area.model.id() != "" }

// draw calls the function passed to Interact, and shows the function's printed output and result in the area.
func (i *interaction) draw() {
	p := &pageWriter{saved: true, places: i.other.places()}
	i.box.html(p)
	i.mu.Lock()
	i.drawing, i.controls, i.standing = true, p.String(), valuesText(i.box.controls)
	i.mu.Unlock()
	done := false
	var result display.Data
	defer func() {
		if !done { // the function panicked, so the area's result is for other values
			result = display.Text("the function panicked for " + valuesText(i.box.controls) + "; the error is below")
		}
		i.area.Display(result, false)
		i.mu.Lock()
		i.drawing, i.result = false, result
		i.mu.Unlock()
		if done { // otherwise the kernel shows the error
			i.area.flush()
		}
	}()
	i.area.Clear(true)
	// The deferred call ends the redirection before the result is displayed, so that printed output
	// comes first.
	defer display.Redirect(i.area)()
	result = display.Rendered(i.call())
	if why, ok := result.Transient[display.Undrawn].(string); ok {
		panic(why)
	}
	done = true
}

// savedForm returns the second output, which a page without a kernel shows.
func (i *interaction) savedForm() display.Data {
	i.mu.Lock()
	defer i.mu.Unlock()
	return renderSaved(i.controls, i.standing, i.area, i.result, i.area.model.id(), i.other)
}

// keep updates the second output. If no front end shows the first output, keep updates the second one at once;
// otherwise it waits until the controls have not moved for keepDelay. In the classic Notebook it does nothing, because
// the page itself updates the second output.
func (i *interaction) keep() {
	if !i.isLive() {
		display.UpdateDisplay(i.id, i.savedForm())
		return
	}
	if !isEight() && i.area.model.hasPages() {
		return // the classic Notebook's page updates it immediately by itself
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.timer != nil {
		i.timer.Stop()
	}
	i.timer = time.AfterFunc(keepDelay, func() {
		i.mu.Lock()
		drawing := i.drawing
		i.mu.Unlock()
		// While drawing, the area has the output for other values, and keep will be called again. The front
		// end may have disconnected during the wait.
		if !drawing && comm.Current() != nil {
			display.UpdateDisplay(i.id, i.savedForm())
		}
	})
}
