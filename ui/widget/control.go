package widget

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"overcomplete/ui/display"
)

// A Control is a slider, a button or any other element of this package. It can be shown as the last value of a cell,
// with display.Display, or in a box.
type Control interface {
	// Render returns the content that a notebook shows for the control.
	Render() display.Data
	// String returns the label and the value of the control.
	String() string
	// Close removes the control from front ends. Its value remains.
	Close()

	parts() *core
	html(p *pageWriter)
}

// core is the part that all controls share.
type core struct {
	model *model
	label string

	mu       sync.Mutex
	changed  []func() // callbacks
	awaiting bool     // the callbacks are scheduled to run
	shown    *root    // nil until first requested
}

func newCore(k kind, label string, state map[string]any) *core {
	if k.wide {
		state["description"] = label
	}
	return &core{label: label, model: &model{kind: k, state: state}}
}

func (c *core) parts() *core { return c }

// Close removes the control from front ends. Its value remains.
func (c *core) Close() {
	c.mu.Lock()
	r := c.shown
	c.mu.Unlock()
	if r != nil {
		r.box.close()
		r.area.model.close()
	}
	if v := c.model.view; v != nil {
		v.close()
		v.children[1].close() // the play button
	}
	c.model.close()
}

// onChange adds a callback.
func (c *core) onChange(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed = append(c.changed, f)
}

// turn returns a function that runs the callbacks later, between cells. It returns nil if there are no
// callbacks, or if an earlier change has already scheduled them.
func (c *core) turn() func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.changed) == 0 || c.awaiting {
		return nil
	}
	c.awaiting = true
	return func() {
		c.mu.Lock()
		c.awaiting = false
		callbacks := slices.Clone(c.changed)
		c.mu.Unlock()
		shown := c.model.shownIn()
		back := func() {}
		if len(shown) > 0 {
			back = display.Redirect(shown)
		}
		for _, f := range callbacks {
			f()
		}
		// Not deferred: after a panic the output must stay redirected, because the area must also show the
		// error report.
		back()
		shown.flush()
	}
}

// set sets the state's entry with the given key to v. If this changes the entry, set tells the front ends and calls
// the callbacks.
func (c *core) set(key string, v any) {
	if c.model.get(key) == v {
		return
	}
	c.model.set(map[string]any{key: v})
	c.mu.Lock()
	callbacks := slices.Clone(c.changed)
	c.mu.Unlock()
	for _, f := range callbacks {
		f()
	}
}

// accept allows front ends to change the state's entry with the given key. fn parses a value sent by a front end, and
// returns false if the value is not acceptable.
func (c *core) accept(key string, fn func(json.RawMessage) (any, bool)) {
	c.model.arrived = func(state map[string]json.RawMessage) func() {
		raw, ok := state[key]
		if !ok {
			return nil
		}
		v, ok := fn(raw)
		if !ok || c.model.get(key) == v {
			return nil
		}
		c.model.mu.Lock()
		c.model.state[key] = v
		c.model.mu.Unlock()
		return c.turn()
	}
}

func number(raw json.RawMessage) (float64, bool) {
	var v float64
	err := json.Unmarshal(raw, &v)
	return v, err == nil // JSON has no NaN and no Inf
}

// An IntControl is a slider for whole numbers.
type IntControl struct {
	*core
	min, max int
	play     *model // ipywidgets' play button; nil for a slider without one
}

// IntSlider returns a slider from min to max. It panics unless min <= value <= max.
func IntSlider(label string, min, max, value int) *IntControl {
	if value < min || value > max {
		panic(fmt.Sprintf("widget: IntSlider: %d is not between %d and %d", value, min, max))
	}
	s := &IntControl{min: min, max: max, core: newCore(intSlider, label, map[string]any{
		"min": min, "max": max, "value": value, "step": 1,
		"continuous_update": true, "orientation": "horizontal", "readout": true, "readout_format": "d", "disabled": false,
	})}
	s.accept("value", func(raw json.RawMessage) (any, bool) {
		v, ok := number(raw)
		return s.within(v), ok
	})
	return s
}

// frameMS is the time for which a playing slider shows a position, in milliseconds.
const frameMS = 250

// Play returns an IntSlider with a button that plays it: the slider advances by one step four times a second, up to
// the end of its range. It never starts by itself. On a page without a kernel it plays the saved positions.
//
// Front ends with ipywidgets show the play button of ipywidgets. Elsewhere the button is drawn by this package. While
// that button has the focus, the left and right arrow keys move the slider by one step. If the reader's system asks
// for reduced motion, the button only moves the slider by one step.
func Play(label string, min, max, value int) *IntControl {
	s := IntSlider(label, min, max, value)
	s.play = &model{kind: player, state: map[string]any{
		"min": min, "max": max, "value": value, "step": 1, "interval": frameMS, "show_repeat": false, "disabled": false}}
	s.model.view = &model{kind: hbox, children: []*model{s.model, s.play}, linked: true,
		state: map[string]any{"children": []string{}, "box_style": ""}}
	return s
}

func (s *IntControl) within(v float64) int {
	return int(math.Round(math.Min(math.Max(v, float64(s.min)), float64(s.max))))
}

// Step sets the step of the slider, which is 1 by default, and returns s. It panics unless step is positive.
func (s *IntControl) Step(step int) *IntControl {
	if step < 1 {
		panic(fmt.Sprintf("widget: Step: the step is %d, must be positive", step))
	}
	s.model.set(map[string]any{"step": step})
	if s.play != nil {
		s.play.set(map[string]any{"step": step})
	}
	return s
}

// Value returns the position of the slider.
func (s *IntControl) Value() int { return s.model.get("value").(int) }

// Set moves the slider to v, or to the nearest end of its range. If this changes the value, Set calls the callbacks.
func (s *IntControl) Set(v int) { s.set("value", min(max(v, s.min), s.max)) }

// OnChange makes the slider call f with the new value whenever the value has changed.
func (s *IntControl) OnChange(f func(v int)) *IntControl {
	s.onChange(func() { f(s.Value()) })
	return s
}

func (s *IntControl) String() string {
	return fmt.Sprintf("%s = %d (%d to %d)", s.label, s.Value(), s.min, s.max)
}

// A FloatControl is a slider for numbers.
type FloatControl struct {
	*core
	min, max float64
}

// FloatSlider returns a slider from min to max with a step of a hundredth of the range. It panics unless min
// <= value <= max, all finite.
func FloatSlider(label string, min, max, value float64) *FloatControl {
	if !(min <= value && value <= max) || math.IsInf(max-min, 0) {
		panic(fmt.Sprintf("widget: FloatSlider: %v is not between %v and %v", value, min, max))
	}
	s := &FloatControl{min: min, max: max, core: newCore(floatSlider, label, map[string]any{
		"min": min, "max": max, "value": value,
		"continuous_update": true, "orientation": "horizontal", "readout": true, "disabled": false,
	})}
	step := (max - min) / 100
	if step == 0 {
		step = 1
	}
	s.Step(step)
	s.accept("value", func(raw json.RawMessage) (any, bool) {
		v, ok := number(raw)
		return math.Min(math.Max(v, s.min), s.max), ok
	})
	return s
}

// Step sets the step of the slider and returns s. It panics unless step is positive and finite.
func (s *FloatControl) Step(step float64) *FloatControl {
	if !(step > 0) || math.IsInf(step, 0) {
		panic(fmt.Sprintf("widget: Step: %v", step))
	}
	digits := int(math.Max(0, math.Ceil(-math.Log10(step)-1e-9)))
	format := fmt.Sprintf(".%df", digits)
	if digits > 6 {
		format = ".3g"
	}
	s.model.set(map[string]any{"step": step, "readout_format": format})
	return s
}

// Value returns the position of the slider.
func (s *FloatControl) Value() float64 { return s.model.get("value").(float64) }

// Set moves the slider to v, or to the nearest end of its range. If this changes the value, Set calls the callbacks.
// It panics for NaN.
func (s *FloatControl) Set(v float64) {
	if math.IsNaN(v) {
		panic("widget: Set: the value is NaN")
	}
	s.set("value", math.Min(math.Max(v, s.min), s.max))
}

// OnChange makes the slider call f with the new value whenever the value has changed.
func (s *FloatControl) OnChange(f func(v float64)) *FloatControl {
	s.onChange(func() { f(s.Value()) })
	return s
}

func (s *FloatControl) String() string {
	return fmt.Sprintf("%s = %v (%v to %v)", s.label, s.Value(), s.min, s.max)
}

// A ChoiceControl is a menu for choosing one of several strings.
type ChoiceControl struct {
	*core
	options []string
}

// Dropdown returns a menu of the given options, with value chosen at first. It panics if value is not one of the
// options.
func Dropdown(label string, options []string, value string) *ChoiceControl {
	i := slices.Index(options, value)
	if i < 0 {
		panic(fmt.Sprintf("widget: Dropdown: %q is not one of %q", value, options))
	}
	options = slices.Clone(options)
	s := &ChoiceControl{options: options, core: newCore(dropdown, label, map[string]any{
		"_options_labels": options, "index": i, "disabled": false,
	})}
	s.accept("index", func(raw json.RawMessage) (any, bool) {
		v, ok := number(raw)
		i := int(v)
		return i, ok && i >= 0 && i < len(options) && float64(i) == v
	})
	return s
}

// Value returns the chosen option.
func (s *ChoiceControl) Value() string { return s.options[s.Index()] }

// Index returns the index of the chosen option.
func (s *ChoiceControl) Index() int { return s.model.get("index").(int) }

// Set chooses the given option. If this changes the choice, Set calls the callbacks. Set panics if there is no such
// option.
func (s *ChoiceControl) Set(value string) {
	i := slices.Index(s.options, value)
	if i < 0 {
		panic(fmt.Sprintf("widget: Set: %q is not one of %q", value, s.options))
	}
	s.set("index", i)
}

// OnChange makes the control call f with the chosen option whenever the choice changes.
func (s *ChoiceControl) OnChange(f func(v string)) *ChoiceControl {
	s.onChange(func() { f(s.Value()) })
	return s
}

func (s *ChoiceControl) String() string {
	return fmt.Sprintf("%s = %s (of %s)", s.label, s.Value(), strings.Join(s.options, ", "))
}

// A BoolControl is a checkbox.
type BoolControl struct{ *core }

// Checkbox returns a checkbox, which is checked if value is true.
func Checkbox(label string, value bool) *BoolControl {
	s := &BoolControl{newCore(checkbox, label, map[string]any{"value": value, "indent": false, "disabled": false})}
	s.accept("value", func(raw json.RawMessage) (any, bool) {
		var v bool
		err := json.Unmarshal(raw, &v)
		return v, err == nil
	})
	return s
}

// Value reports whether the box is checked.
func (s *BoolControl) Value() bool { return s.model.get("value").(bool) }

// Set checks the box if v is true, and unchecks it otherwise. If this changes the value, Set calls the callbacks.
func (s *BoolControl) Set(v bool) { s.set("value", v) }

// OnChange makes the control call f with the new value whenever the value has changed.
func (s *BoolControl) OnChange(f func(v bool)) *BoolControl {
	s.onChange(func() { f(s.Value()) })
	return s
}

func (s *BoolControl) String() string { return fmt.Sprintf("%s = %v", s.label, s.Value()) }

// A TextControl is an input field for a line of text.
type TextControl struct{ *core }

// Text returns a field for a line of text. The value changes when the user leaves the field or presses Enter.
func Text(label, value string) *TextControl {
	s := &TextControl{newCore(textField, label, map[string]any{
		"value": value, "placeholder": "", "continuous_update": false, "disabled": false,
	})}
	s.accept("value", func(raw json.RawMessage) (any, bool) {
		var v string
		err := json.Unmarshal(raw, &v)
		return v, err == nil
	})
	return s
}

// Value returns the text.
func (s *TextControl) Value() string { return s.model.get("value").(string) }

// Set replaces the text with v. If this changes the text, Set calls the callbacks.
func (s *TextControl) Set(v string) { s.set("value", v) }

// OnChange makes the control call f with the new text whenever the text has changed.
func (s *TextControl) OnChange(f func(v string)) *TextControl {
	s.onChange(func() { f(s.Value()) })
	return s
}

func (s *TextControl) String() string { return fmt.Sprintf("%s = %q", s.label, s.Value()) }

// A ButtonControl is a button.
type ButtonControl struct {
	*core
	clicks int // guarded by core.mu
}

// Button returns a button with the given label.
func Button(label string) *ButtonControl {
	b := &ButtonControl{core: newCore(button, label, map[string]any{
		"description": label, "button_style": "", "icon": "", "disabled": false,
	})}
	b.model.event = func(name string) func() {
		if name != "click" {
			return nil
		}
		b.mu.Lock()
		b.clicks++
		b.mu.Unlock()
		return b.turn()
	}
	return b
}

// Clicks returns how often the button has been pressed. The count changes even while a cell runs, so a loop can check
// it to know when to stop. The callbacks wait until the cell has ended.
func (b *ButtonControl) Clicks() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.clicks
}

// OnClick makes the button call f once for each click.
func (b *ButtonControl) OnClick(f func()) *ButtonControl {
	told := b.Clicks()
	b.onChange(func() {
		for told < b.Clicks() { // one turn may handle several clicks
			told++
			f()
		}
	})
	return b
}

func (b *ButtonControl) String() string { return fmt.Sprintf("[%s]", b.label) }

// A BarControl is a progress bar. For a solver's progress see progress.Bar.
type BarControl struct {
	*core
	total float64
}

// Progress returns a bar for values from 0 to total. At first the value is 0, and the bar is empty. Progress panics
// unless total is positive and finite.
func Progress(label string, total float64) *BarControl {
	if !(total > 0) || math.IsInf(total, 0) {
		panic(fmt.Sprintf("widget: Progress: the total is %v, must be positive and finite", total))
	}
	return &BarControl{total: total, core: newCore(progressBar, label, map[string]any{
		"min": 0.0, "max": total, "value": 0.0, "bar_style": "", "orientation": "horizontal",
	})}
}

// Value returns how far the bar is filled.
func (b *BarControl) Value() float64 { return b.model.get("value").(float64) }

// Set fills the bar up to v, which is first limited to the range from 0 to the bar's total. It panics for NaN.
func (b *BarControl) Set(v float64) {
	if math.IsNaN(v) {
		panic("widget: Set: the value is NaN")
	}
	b.set("value", math.Min(math.Max(v, 0), b.total))
}

func (b *BarControl) String() string { return fmt.Sprintf("%s: %v of %v", b.label, b.Value(), b.total) }

// A LabelControl is a piece of HTML that can change.
type LabelControl struct{ *core }

// HTML returns a label that shows html.
func HTML(html string) *LabelControl {
	return &LabelControl{newCore(htmlLabel, "", map[string]any{"value": html, "placeholder": ""})}
}

// Value returns the HTML.
func (l *LabelControl) Value() string { return l.model.get("value").(string) }

// Set changes the HTML.
func (l *LabelControl) Set(html string) { l.set("value", html) }

func (l *LabelControl) String() string { return l.Value() }

// A BoxControl arranges controls in a row or a column.
type BoxControl struct {
	*core
	controls []Control
}

// HBox returns a box with controls side by side.
func HBox(controls ...Control) *BoxControl { return newBox(hbox, controls) }

// VBox returns a box with controls one below the other.
func VBox(controls ...Control) *BoxControl { return newBox(vbox, controls) }

func newBox(k kind, list []Control) *BoxControl {
	b := &BoxControl{controls: slices.Clone(list), core: newCore(k, "", map[string]any{"children": []string{}, "box_style": ""})}
	for i, c := range list {
		if c == nil {
			panic(fmt.Sprintf("widget: box: control %d is nil", i))
		}
		b.model.children = append(b.model.children, c.parts().model.shown())
	}
	return b
}

// Close removes the box and its controls.
func (b *BoxControl) Close() {
	b.core.Close()
	for _, c := range b.controls {
		c.Close()
	}
}

func (b *BoxControl) String() string {
	var list []string
	for _, c := range b.controls {
		list = append(list, c.String())
	}
	return strings.Join(list, "\n")
}
