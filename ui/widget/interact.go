package widget

import (
	"fmt"
	"reflect"
	"strings"

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
