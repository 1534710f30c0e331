package widget

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"overcomplete/ui/comm"
	"overcomplete/ui/display"
)

// Interact shows the controls with the result of f below them, and calls f again whenever a control has
// changed:
//
//	widget.Interact(func(k int, method string) any { return plotOf(k, method) },
//		widget.IntSlider("k", 1, 100, 10), widget.Dropdown("method", methods, "NMF"))
//
// f takes one value for each control that has a value, in the order of the controls: an int for an IntSlider, a float64
// for a FloatSlider, a string for a Dropdown or Text, a bool for a Checkbox. The result of f is shown like a cell's
// last value. If the last result is a non-nil error, the error is shown instead. Output that f prints is shown above
// the result, and is replaced together with the result. Interact panics if f is not a function of this kind.
//
// When a notebook is run in order to save it, f is also called for other positions of the controls, so that
// the controls move in pages made from the notebook: see Saved positions in the package documentation.
func Interact(f any, controls ...Control) {
	call, err := bind(f, controls)
	if err != nil {
		panic("widget: Interact: " + err.Error())
	}
	interact(call, VBox(controls...), compute(call, controls, savedLimits()))
}

// valuesText returns the labels and current values of the controls.
func valuesText(controls []Control) string {
	var list []string
	for _, c := range controls {
		if v := value(c); v != nil {
			list = append(list, fmt.Sprintf("%s = %v", c.parts().label, v()))
		}
	}
	return strings.Join(list, ", ")
}

// value returns a function that reads the value of a control. It returns nil for a control that passes no value to the
// function given to Interact, such as a button.
func value(c Control) func() any {
	switch c := c.(type) {
	case *IntControl:
		return func() any { return c.Value() }
	case *FloatControl:
		return func() any { return c.Value() }
	case *ChoiceControl:
		return func() any { return c.Value() }
	case *BoolControl:
		return func() any { return c.Value() }
	case *TextControl:
		return func() any { return c.Value() }
	}
	return nil
}

// bind returns a function that calls f with the current values of the controls and then returns the value to show. If f
// does not accept these values, bind returns an error.
func bind(f any, controls []Control) (call func() any, err error) {
	fn := reflect.ValueOf(f)
	if fn.Kind() != reflect.Func || fn.IsNil() {
		return nil, fmt.Errorf("%T is not a function", f)
	}
	t := fn.Type()
	var values []func() any
	for i, c := range controls {
		if c == nil {
			return nil, fmt.Errorf("control %d is nil", i)
		}
		v := value(c)
		if v == nil {
			continue
		}
		values = append(values, v)
		n := len(values) - 1
		if n < t.NumIn() {
			if have := reflect.TypeOf(v()); have.Kind() != t.In(n).Kind() {
				return nil, fmt.Errorf("argument %d of the function is a %v, the control gives a %v", n+1, t.In(n), have)
			}
		}
	}
	if t.IsVariadic() || t.NumIn() != len(values) {
		return nil, fmt.Errorf("the function is a %v, the controls give %d values", t, len(values))
	}
	return func() any {
		args := make([]reflect.Value, len(values))
		for i, v := range values {
			args[i] = reflect.ValueOf(v()).Convert(t.In(i))
		}
		return shownValue(fn.Call(args))
	}, nil
}

// shownValue returns the value to show for the results of a call. If the last result is an error, shownValue returns
// its message; if the last result is a nil error, shownValue ignores it.
func shownValue(results []reflect.Value) any {
	n := len(results)
	if n > 0 {
		if err, ok := results[n-1].Interface().(error); ok {
			return display.Text("error: " + err.Error())
		} else if results[n-1].Type() == reflect.TypeFor[error]() {
			results = results[:n-1] // nil
		}
	}
	switch len(results) {
	case 0:
		return display.Text("")
	case 1:
		if v := results[0].Interface(); v != nil {
			return v
		}
		return display.Text("")
	}
	var all []any
	for _, r := range results {
		all = append(all, r.Interface())
	}
	return display.Text(fmt.Sprintln(all...))
}

// keepDelay is how long the controls must be idle before the saved form is updated. The saved form contains a copy of
// the picture, and nobody looks at it while the controls move.
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
