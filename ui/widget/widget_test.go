package widget

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/ui/comm"
	"overcomplete/ui/display"
)

// A frontEnd simulates the front end's side of the comms.
type frontEnd struct {
	t  *testing.T
	m  *comm.Manager
	mu sync.Mutex
	// The messages of the kernel: states by id, and all messages as lines of text.
	states map[string]map[string]any
	lines  []string
	cause  any // of the last message
}

func connect(t *testing.T) *frontEnd {
	f := &frontEnd{t: t, states: map[string]map[string]any{}}
	f.m = comm.New("c", func(o comm.OutgoingMessage) {
		f.mu.Lock()
		defer f.mu.Unlock()
		raw, err := json.Marshal(o.Content)
		if err != nil {
			t.Error(err)
		}
		var c struct {
			ID   string `json:"comm_id"`
			Data struct {
				State map[string]any
			}
		}
		json.Unmarshal(raw, &c)
		switch o.Type {
		case "comm_open":
			if o.Metadata["version"] != protocolVersion {
				t.Errorf("version %v", o.Metadata)
			}
			f.states[c.ID] = c.Data.State
		case "comm_msg":
			for k, v := range c.Data.State {
				if f.states[c.ID] != nil {
					f.states[c.ID][k] = v
				}
			}
		case "comm_close":
			delete(f.states, c.ID)
		}
		f.lines = append(f.lines, o.Type+" "+string(raw))
		f.cause = o.Cause
	}, nil)
	old := comm.Attach(f.m)
	t.Cleanup(func() { comm.Attach(old) })
	return f
}

// send sends the kernel a message and returns the resulting callback.
func (f *frontEnd) send(typ, id, data string) func() {
	f.t.Helper()
	then, err := f.m.Handle(typ, json.RawMessage(fmt.Sprintf(`{"comm_id":%q,"target_name":%q,"data":%s}`, id, ownTarget, data)), nil, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	return then
}

func (f *frontEnd) change(c Control, key, value string) func() {
	f.t.Helper()
	return f.send("comm_msg", c.parts().model.comm.ID, fmt.Sprintf(`{"method":"update","state":{%q:%s},"buffer_paths":[]}`, key, value))
}

// area returns, as text, the output in the area with the given id.
func (f *frontEnd) area(id string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	list, _ := f.states[id]["outputs"].([]any)
	for _, o := range list {
		o := o.(map[string]any)
		switch o["output_type"] {
		case "stream":
			all = append(all, fmt.Sprint(o["name"], ":", o["text"]))
		case "error":
			all = append(all, fmt.Sprint(o["ename"], ":", o["evalue"], o["traceback"]))
		default:
			all = append(all, fmt.Sprint(o["data"].(map[string]any)[display.MIMETypeText]))
		}
	}
	return strings.Join(all, ", ")
}

// until waits until the function got returns want.
func (f *frontEnd) until(what string, got func() string, want string) {
	f.t.Helper()
	if !patience.Wait(func() bool { return got() == want }) {
		f.t.Fatalf("%s: got %q, want %q", what, got(), want)
	}
}

// lastArea returns the id of the area that was opened last.
func lastArea(t *testing.T, f *frontEnd) (id string) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	last := -1
	for key, s := range f.states {
		if n, err := strconv.Atoi(key[strings.LastIndex(key, "-")+1:]); s["_model_name"] == "OutputModel" && err == nil && n > last {
			last, id = n, key
		}
	}
	if id == "" {
		t.Fatal("there is no area")
	}
	return id
}

func (f *frontEnd) take() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := strings.Join(f.lines, "\n")
	f.lines = nil
	return all
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// TestModels checks that the kernel sends everything that the front end needs to build the widget.
func TestModels(t *testing.T) {
	f := connect(t)
	all := []Control{IntSlider("k", 1, 100, 10), FloatSlider("x", 0, 1, 0.5), Dropdown("m", []string{"a", "b"}, "b"), Checkbox("c", true),
		Text("t", "x"), Button("go"), Progress("p", 5), HTML("<b>h</b>")}
	box := HBox(all...)
	d := box.Render()
	view := d.Data[viewType].(map[string]any)
	want(t, "versions", []any{view["version_major"], view["version_minor"]}, "[2 0]")
	// Below the box is the area for the output of callbacks.
	root := f.states[view["model_id"].(string)]
	want(t, "root", root["_model_name"], "VBoxModel")
	of := func(state map[string]any, n int) map[string]any {
		return f.states[strings.TrimPrefix(state["children"].([]any)[n].(string), "IPY_MODEL_")]
	}
	area := of(root, 1)
	want(t, "area", []any{area["_model_name"], area["_model_module"], area["_model_module_version"], area["_view_module"], area["outputs"]}, "[OutputModel @jupyter-widgets/output 1.0.0 @jupyter-widgets/output []]")
	state := of(root, 0)
	want(t, "box", state["_model_name"], "HBoxModel")
	children := state["children"].([]any)
	for i, model := range []string{"IntSliderModel", "FloatSliderModel", "DropdownModel", "CheckboxModel", "TextModel", "ButtonModel", "FloatProgressModel", "HTMLModel"} {
		s := f.states[strings.TrimPrefix(children[i].(string), "IPY_MODEL_")]
		want(t, "model", []any{s["_model_name"], s["_model_module"], s["_model_module_version"]}, []any{model, controls, "1.5.0"})
		want(t, "view", []any{s["_view_module"], s["_view_module_version"]}, []any{controls, "1.5.0"})
		for _, ref := range []string{"layout", "style"} {
			id, ok := strings.CutPrefix(fmt.Sprint(s[ref]), "IPY_MODEL_")
			if !ok || f.states[id]["_model_name"] == nil || f.states[id]["_view_module"] != base || f.states[id]["_view_module_version"] != "1.2.0" {
				t.Errorf("%s has %s %v: %v", model, ref, s[ref], f.states[id])
			}
		}
	}
	if text := d.Data[display.MIMETypeText].(string); text != box.String() || !strings.Contains(text, "k = 10 (1 to 100)") {
		t.Errorf("text %q", text)
	}
	f.take()
	box.Render() // a second view needs no second model
	want(t, "sent for a second view", f.take(), "")
	f.send("comm_msg", all[0].parts().model.comm.ID, `{"method":"request_state"}`)
	if got := f.take(); !strings.Contains(got, `"method":"update"`) || !strings.Contains(got, `"_model_name":"IntSliderModel"`) {
		t.Errorf("request_state: %s", got)
	}
	box.Close()
	want(t, "after Close", len(f.states), 0)
	all[0].(*IntControl).Set(3) // the value can also be set without a front end
}

// TestPlay checks that front ends of ipywidgets get its play button, whose value they keep equal to the
// slider's, and that only the slider tells the kernel.
func TestPlay(t *testing.T) {
	f := connect(t)
	k := Play("k", 0, 9, 4).Step(3)
	html := VBox(k).Render().Data[display.MIMETypeHTML].(string)
	if !strings.Contains(html, `</label><button type="button" disabled data-plays="250"`) {
		t.Errorf("the page has %s", html)
	}
	named := map[string]map[string]any{}
	for _, s := range f.states {
		named[fmt.Sprint(s["_model_name"])] = s
	}
	player := k.play.comm.ID
	want(t, "the link", []any{named["LinkModel"]["source"], named["LinkModel"]["target"], named["LinkModel"]["_view_name"]},
		fmt.Sprintf("[[IPY_MODEL_%s value] [IPY_MODEL_%s value] <nil>]", k.model.comm.ID, player))
	want(t, "the row", named["HBoxModel"]["children"], fmt.Sprintf("[IPY_MODEL_%s IPY_MODEL_%s]", k.model.comm.ID, player))
	p := named["PlayModel"]
	want(t, "the player", []any{p["min"], p["max"], p["step"], p["value"], p["interval"]}, "[0 9 3 4 250]")
	calls := 0
	k.OnChange(func(int) { calls++ })
	f.take()
	if f.send("comm_msg", player, `{"method":"update","state":{"value":7}}`) != nil || f.take() != "" {
		t.Error("the kernel answers the button")
	}
	f.change(k, "value", "7")()
	want(t, "value and calls", []int{k.Value(), calls}, "[7 1]")
	k.Close()
	for name, s := range f.states {
		if m := s["_model_name"]; m == "PlayModel" || m == "LinkModel" || m == "IntSliderModel" {
			t.Errorf("after Close %s is left: %v", name, m)
		}
	}
}

func TestValues(t *testing.T) {
	f := connect(t)
	k := IntSlider("k", 1, 100, 10)
	var heard []int
	k.OnChange(func(v int) { heard = append(heard, v) })
	k.Render()
	f.take()

	then := f.change(k, "value", "12")
	want(t, "at once", k.Value(), 12)
	want(t, "the callback waits for its turn", len(heard), 0)
	if f.change(k, "value", "13.0") != nil || f.change(k, "value", "14") != nil {
		t.Error("the callback was asked for twice")
	}
	then()
	want(t, "the callback hears the last", heard, "[14]")
	if f.change(k, "value", "14") != nil {
		t.Error("no change, but a callback")
	}
	f.change(k, "value", "15")()
	want(t, "and the next", heard, "[14 15]")
	want(t, "the front end knows what it has sent", f.take(), "")
	for _, bad := range []string{`"x"`, `null[`, `{}`} {
		k.model.receive(k.model.comm, comm.Message{Data: json.RawMessage(`{"method":"update","state":{"value":` + bad + `}}`)})
	}
	f.change(k, "value", "1e300")()
	want(t, "no further than the end", k.Value(), 100)
	f.take()
	k.Set(-5)
	want(t, "Set", []any{k.Value(), heard[len(heard)-1]}, "[1 1]")
	if got := f.take(); !strings.Contains(got, `"state":{"value":1}`) {
		t.Errorf("Set sends %s", got)
	}

	x, m, c, s := FloatSlider("x", -1, 1, 0).Step(0.001), Dropdown("m", []string{"a", "b"}, "a"), Checkbox("c", false), Text("t", "")
	VBox(x, m, c, s).Render()
	f.change(x, "value", "0.25")
	f.change(m, "index", "1")
	f.change(m, "index", "2") // there is no such option
	f.change(c, "value", "true")
	f.change(s, "value", `"ü<"`)
	want(t, "values", []any{x.Value(), m.Value(), c.Value(), s.Value()}, "[0.25 b true ü<]")
	want(t, "format", x.model.get("readout_format"), ".3f")
}

func TestButton(t *testing.T) {
	f := connect(t)
	b := Button("go")
	b.Render()
	click := func() func() {
		return f.send("comm_msg", b.model.comm.ID, `{"method":"custom","content":{"event":"click"}}`)
	}
	if click() != nil || b.Clicks() != 1 {
		t.Error("a click without a callback counts, and nothing else")
	}
	n := 0
	b.OnClick(func() { n++ })
	then := click()
	click()
	then()
	want(t, "clicks and calls", []int{b.Clicks(), n}, "[3 2]")
}

// TestPage moves a slider on our own page. ipywidgets and a second page must receive the change.
func TestPage(t *testing.T) {
	f := connect(t)
	k := IntSlider("k", 1, 100, 10)
	calls := 0
	k.OnChange(func(int) { calls++ })
	html := k.Render().Data[display.MIMETypeHTML].(string)
	id := k.model.comm.ID
	if !strings.Contains(html, fmt.Sprintf("data-id=%q", id)) || strings.Count(html, "<script>") != 1 {
		t.Errorf("page: %s", html)
	}
	f.take()
	for _, page := range []string{"p1", "p2"} {
		f.send("comm_open", page, fmt.Sprintf(`{"ids":[%q,"gone"]}`, id))
		if got := f.take(); !strings.Contains(got, `"value":10`) || !strings.Contains(got, `"comm_id":"`+page) {
			t.Errorf("a page is told %s", got)
		}
	}
	f.send("comm_msg", "p1", fmt.Sprintf(`{"id":%q,"state":{"value":20}}`, id))()
	got := f.take()
	want(t, "told", []bool{strings.Contains(got, `"comm_id":"p1"`), strings.Contains(got, `"comm_id":"p2"`), strings.Contains(got, fmt.Sprintf(`"comm_id":%q`, id))}, "[false true true]")
	want(t, "value and calls", []int{k.Value(), calls}, "[20 1]")
	f.send("comm_close", "p2", `{}`)
	k.Set(30)
	if got := f.take(); strings.Contains(got, "p2") || !strings.Contains(got, "p1") {
		t.Errorf("after a page has gone: %s", got)
	}
	f.send("comm_msg", "p1", `{"id":"gone","state":{"value":20}}`)
	f.send("comm_msg", "p1", `[]`)
}

// TestPageReload checks that a page that is reloaded repeatedly leaves no comms behind, and that an existing
// page stays connected.
func TestPageReload(t *testing.T) {
	f := connect(t)
	k, other := IntSlider("k", 1, 100, 10), IntSlider("o", 1, 2, 1)
	HBox(k, other).Render()
	id := k.model.comm.ID
	key := id + " " + other.model.comm.ID
	opened := func(page string) string {
		f.take()
		f.send("comm_open", page, fmt.Sprintf(`{"ids":[%q,%q]}`, id, other.model.comm.ID))
		return f.take()
	}
	open := func() string {
		var names []string
		for id := range f.m.Info(ownTarget) {
			names = append(names, id)
		}
		slices.Sort(names)
		return strings.Join(names, " ")
	}
	asks := func(got, page string) bool {
		return strings.Contains(got, fmt.Sprintf(`{"comm_id":%q,"data":{"there":true}}`, page))
	}
	opened("p1")
	if got := opened("p2"); !asks(got, "p1") || asks(got, "p2") {
		t.Errorf("asked: %s", got)
	}
	want(t, "open", open(), "p1 p2")
	if got := opened("p3"); asks(got, "p1") || !asks(got, "p2") || !strings.Contains(got, `comm_close {"comm_id":"p1"`) {
		t.Errorf("p1 does not answer: %s", got)
	}
	f.send("comm_msg", "p2", `{"there":true}`)
	opened("p4") // p3 had no time to answer
	want(t, "p2 has answered", open(), "p2 p3 p4")
	f.send("comm_msg", "p2", fmt.Sprintf(`{"id":%q,"state":{"value":20}}`, id)) // any message counts as an answer
	opened("p5")
	want(t, "p2 has moved the slider", open(), "p2 p4 p5")
	for range 50 {
		f.send("comm_msg", "p2", `{"there":true}`)
		opened(f.m.NewID())
	}
	if n := len(f.m.Info(ownTarget)); n != 3 { // p2, the newest page, and the page before it
		t.Errorf("%d comms after 55 loads", n)
	}
	want(t, "told of changes", len(k.model.pages), 3)
	k.Close()
	want(t, "with one of two controls closed", len(f.m.Info(ownTarget)), 3)
	other.Close()
	want(t, "with all closed", open(), "")
	f.send("comm_open", "old", fmt.Sprintf(`{"ids":[%q]}`, id))
	want(t, "a page of controls that are not there", open(), "")
	pages.Lock()
	defer pages.Unlock()
	if kept := pages.all[key]; kept != nil {
		t.Errorf("kept: %d pages", len(kept))
	}
}

// TestStateIsAnAnswer checks that a state is the answer to the request for it, for a control and for its layout: if
// the answer to the request for all states takes longer than 4 seconds, ipywidgets requests each state, and waits for
// messages that name the request as their parent. While a cell runs, other messages name the cell's request.
func TestStateIsAnAnswer(t *testing.T) {
	f := connect(t)
	k := IntSlider("k", 1, 3, 2)
	k.Render()
	for id := range f.states {
		f.cause = nil
		if _, err := f.m.HandleFrom(id, "comm_msg", json.RawMessage(fmt.Sprintf(`{"comm_id":%q,"data":{"method":"request_state"}}`, id)), nil, nil); err != nil {
			t.Fatal(err)
		}
		want(t, "the parent of the state of "+id, f.cause, any(id))
	}
	if len(f.states) < 3 {
		t.Errorf("%d models", len(f.states))
	}
}

// TestVersion8 checks that a front end that sends the requests of ipywidgets 8 gets models of that version.
func TestVersion8(t *testing.T) {
	defer eight.Store(false)
	f := connect(t)
	k := IntSlider("k", 1, 3, 2)
	k.Render()
	if _, err := f.m.Handle("comm_open", json.RawMessage(`{"comm_id":"ctl","target_name":"jupyter.widget.control","data":{}}`), nil, nil); err != nil {
		t.Fatal(err)
	}
	f.take()
	f.send("comm_msg", "ctl", `{"method":"request_states"}`)
	if got := f.take(); !strings.Contains(got, `"method":"update_states"`) || !strings.Contains(got, `"model_name":"IntSliderModel"`) || !strings.Contains(got, `"_model_module_version":"2.0.0"`) {
		t.Errorf("states: %s", got)
	}
	t.Setenv("OVERCOMPLETE_WIDGETS", "7")
	want(t, "what the user says counts", version(base), "1.2.0")
}

func TestInteract(t *testing.T) {
	f := connect(t)
	var shownMu sync.Mutex
	var shown []string
	old := display.SetPublisher(func(e display.Event) {
		if s, ok := e.Data.Data[display.MIMETypeText].(string); ok {
			shownMu.Lock()
			defer shownMu.Unlock()
			shown = append(shown, fmt.Sprint(e.Update, " ", s))
		}
	})
	defer func() { display.SetPublisher(old) }()
	k, m, b := IntSlider("k", 1, 9, 2), Dropdown("m", []string{"a", "b"}, "a"), Button("again")
	Interact(func(k int, m string) (any, error) {
		if k == 9 {
			return nil, errors.New("too much")
		}
		return strings.Repeat(m, k), nil
	}, k, HTML("<hr>"), m, b)
	f.change(k, "value", "3")()
	f.change(m, "index", "1")()
	f.change(k, "value", "9")()
	f.send("comm_msg", b.model.comm.ID, `{"method":"custom","content":{"event":"click"}}`)()
	// The first output is the live one, the second the saved one.
	want(t, "shown", strings.Join(shown, ", "), "false controls: k, m, again, false k = 2, m = a\naa")
	area := func() string { return f.area(lastArea(t, f)) }
	f.until("the area", area, "error: too much")
	f.change(k, "value", "4")()
	f.until("the area", area, "bbbb")
	f.until("what is saved", func() string {
		shownMu.Lock()
		defer shownMu.Unlock()
		return shown[len(shown)-1]
	}, "true k = 4, m = b\nbbbb")

	// After a panic no old result remains, and the panic reaches the kernel, which knows the cell.
	e := IntSlider("e", 0, 9, 1)
	Interact(func(k int) int { return 6 / k }, e)
	func() {
		defer func() {
			if r := fmt.Sprint(recover()); !strings.Contains(r, "divide by zero") {
				t.Errorf("the panic is %s", r)
			}
		}()
		f.change(e, "value", "0")()
	}()
	f.until("after a panic", area, "the function panicked for e = 0; the error is below")
	f.change(e, "value", "2")()
	f.until("and then", area, "3")

	for name, bad := range map[string]func(){
		"no function":   func() { Interact(7, k) },
		"nil":           func() { Interact((func())(nil)) },
		"too few":       func() { Interact(func(int) {}, k, k) },
		"too many":      func() { Interact(func(int, int) {}, k) },
		"type":          func() { Interact(func(string) {}, k) },
		"variadic":      func() { Interact(func(...int) {}, k) },
		"bounds":        func() { IntSlider("", 2, 1, 1) },
		"NaN":           func() { FloatSlider("", 0, 1, math.NaN()) },
		"infinite":      func() { FloatSlider("", 0, math.Inf(1), 1) },
		"no such":       func() { Dropdown("", []string{"a"}, "b") },
		"set no such":   func() { m.Set("x") },
		"step":          func() { k.Step(0) },
		"float step":    func() { FloatSlider("", 0, 1, 0).Step(math.NaN()) },
		"set NaN":       func() { FloatSlider("", 0, 1, 0).Set(math.NaN()) },
		"total":         func() { Progress("", 0) },
		"nil in a box":  func() { HBox(nil) },
		"nil interact":  func() { Interact(func() {}, nil) },
		"progress, NaN": func() { Progress("", 1).Set(math.NaN()) },
	} {
		func() {
			defer func() {
				if r, ok := recover().(string); !ok || !strings.HasPrefix(r, "widget: ") {
					t.Errorf("%s: panic %v", name, r)
				}
			}()
			bad()
		}()
	}
}

// TestTogether reads and sets values in several goroutines while the front end changes them.
func TestTogether(t *testing.T) {
	f := connect(t)
	k := IntSlider("k", 0, 1000, 0)
	k.OnChange(func(int) {})
	k.Render()
	f.send("comm_open", "p", fmt.Sprintf(`{"ids":[%q]}`, k.model.comm.ID))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 200 {
				k.Set(i)
				_ = k.String() + k.Render().Data[display.MIMETypeHTML].(string)
			}
		})
	}
	for i := range 200 {
		if then := f.change(k, "value", fmt.Sprint(i)); then != nil {
			then()
		}
	}
	wg.Wait()
	// Whichever change was last, the page received it last.
	said := f.take()
	said = said[strings.LastIndex(said, `"comm_id":"p"`):]
	if last := fmt.Sprintf(`"state":{"value":%d}}`, k.Value()); !strings.Contains(strings.SplitN(said, "\n", 2)[0], last) {
		t.Errorf("the value is %d, and the page was told %.100s", k.Value(), said)
	}
}

// Without a front end a control is a value that can be read and set.
func Example() {
	k := IntSlider("k", 1, 100, 10)
	k.OnChange(func(v int) { fmt.Println("now", v) })
	k.Set(20)
	fmt.Println(k.Value(), k)
	// Output:
	// now 20
	// 20 k = 20 (1 to 100)
}

func ExampleInteract() {
	k := IntSlider("k", 1, 10, 3)
	Interact(func(k int) any { return k * k }, k)
	k.Set(5)
	// Output:
	// k = 3 (1 to 10)
	// 9
	// 25
}

// Displayed controls have a static form for viewers without widgets.
func TestStatic(t *testing.T) {
	d := HBox(IntSlider(`"k" <`, 1, 100, 10), Checkbox("c", true), Dropdown("m", []string{"a&b"}, "a&b"), Button("b"), Progress("p", 2), Text("t", `"`)).Render()
	if d.Data[viewType] != nil {
		t.Error("a view without a kernel")
	}
	html := d.Data[display.MIMETypeHTML].(string)
	for _, part := range []string{`value="10"`, " checked", "a&amp;b", "&#34;k&#34; &lt;", `max="2"`, "disabled"} {
		if !strings.Contains(html, part) {
			t.Errorf("no %s in %s", part, html)
		}
	}
	if strings.Contains(html, "script") || strings.Contains(html, "data-id") {
		t.Error("a page without a kernel wants to reach one")
	}
}
