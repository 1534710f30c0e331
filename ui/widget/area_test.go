package widget

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/quick"

	"overcomplete/internal/testfile"
	"overcomplete/ui/display"
)

var updateGolden = flag.Bool("update", false, "write the golden files anew")

// redirect makes display.Redirect work as in a kernel: print writes to the area.
func redirect(t *testing.T) (print func(name, text string)) {
	var to display.Area
	old := display.SetRedirect(func(a display.Area) func() {
		before := to
		to = a
		return func() { to = before }
	})
	t.Cleanup(func() { display.SetRedirect(old) })
	return func(name, text string) {
		if to != nil {
			to.Stream(name, text)
		}
	}
}

func TestArea(t *testing.T) {
	f := connect(t)
	a := newArea()
	id := a.model.show()
	got := func() string { return f.area(id) }
	a.Stream("stdout", "one ")
	a.Stream("stdout", "two")
	a.Stream("stderr", "three")
	f.until("text of one stream is one output", got, "stdout:one two, stderr:three")
	a.Clear(true)
	a.flush()
	want(t, "Clear waits", got(), "stdout:one two, stderr:three")
	shown := display.Text("first")
	shown.Transient = map[string]any{"display_id": "x"}
	a.Display(shown, false)
	a.flush()
	f.until("and then clears", got, "first")
	shown.Data = map[string]any{display.MIMETypeText: "second"}
	a.Display(shown, true)
	shown.Transient = map[string]any{"display_id": "y"}
	a.Display(shown, true) // this area does not show the output
	a.Display(display.Text("unnamed"), true)
	a.Error("Panic", "m", []string{"t1", "t2"})
	f.until("update and error", got, "second, Panic:m[t1 t2]")
	a.Clear(false)
	f.until("Clear", got, "")
	// Content that JSON cannot represent does not prevent the rest from being shown.
	a.Display(display.Data{Data: map[string]any{display.MIMETypeText: "text", "application/json": math.NaN(), "image/png": []byte{1, 2}},
		Metadata: map[string]any{"x": math.Inf(1)}}, false)
	f.until("NaN", got, "text")
	f.mu.Lock()
	data := f.states[id]["outputs"].([]any)[0].(map[string]any)["data"]
	f.mu.Unlock()
	want(t, "data", data, "map[image/png:AQI= text/plain:text]")
}

// TestAreaEnds checks that an area keeps the end of the text, and at most the allowed number of other
// outputs.
func TestAreaEnds(t *testing.T) {
	check := func(kinds []uint8) bool {
		a := newArea()
		written := 0
		last := ""
		for i, k := range kinds {
			switch {
			case k < 200:
				last = strings.Repeat(fmt.Sprintf("é%d\n", i), int(k)*20)
				a.Stream([]string{"stdout", "stderr"}[k%2], last)
				written += len(last)
			case k < 250:
				a.Display(display.Text("d"), false)
			default:
				a.Clear(k%2 == 0)
			}
		}
		text, others := 0, 0
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, o := range a.outputs {
			if s, ok := o["text"].(string); ok {
				text += len(s)
				if strings.ToValidUTF8(s, "?") != s {
					return false
				}
			} else {
				others++
			}
		}
		return text == a.text && text <= areaText && others <= areaShown && len(a.ids) == len(a.outputs)
	}
	if err := quick.Check(check, nil); err != nil {
		t.Error(err)
	}
	a := newArea()
	for i := range 10_000 {
		a.Stream("stdout", fmt.Sprintf("line %d\n", i))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	text := a.outputs[0]["text"].(string)
	if len(text) < areaText/2 || !strings.HasPrefix(text, "line ") || !strings.HasSuffix(text, "line 9999\n") {
		t.Errorf("%d bytes, %.20q to %q", len(text), text, text[len(text)-20:])
	}
}

// TestAreaForgets checks that printing to two streams in turn leaves no empty outputs, and that the area
// keeps the end of an overlong line.
func TestAreaForgets(t *testing.T) {
	a := newArea()
	for i := range 20_000 {
		a.Stream([]string{"stdout", "stderr"}[i%2], fmt.Sprintln(i))
	}
	a.mu.Lock()
	if n := len(a.outputs); n > areaText || n != len(a.ids) || a.outputs[0]["text"] == "" || a.outputs[n-1]["text"] != "19999\n" {
		t.Errorf("%d outputs, the first %q", n, a.outputs[0]["text"])
	}
	a.mu.Unlock()
	a = newArea()
	a.Stream("stdout", strings.Repeat("x", 2*areaText)+"end\n")
	if text := a.html(); !strings.Contains(text, "xend\n") {
		t.Errorf("%d bytes stay", len(text))
	}
}

// TestAreaTogether lets several goroutines show outputs. The last message to the front end must have the last
// state.
func TestAreaTogether(t *testing.T) {
	f := connect(t)
	a := newArea()
	id := a.model.show()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 100 {
				a.Stream("stdout", fmt.Sprintf("%d.%d\n", g, i))
				if i%10 == 0 {
					a.flush()
				}
				_ = a.html()
			}
		})
	}
	wg.Wait()
	a.mu.Lock()
	text := a.outputs[0]["text"].(string)
	a.mu.Unlock()
	f.until("the last state", func() string { return f.area(id) }, "stdout:"+text)
}

// TestCallbackOutput checks that the output of a callback, including a panic, is shown below its control in
// every place that shows the control.
func TestCallbackOutput(t *testing.T) {
	f := connect(t)
	print := redirect(t)
	k, other := IntSlider("k", 0, 9, 1), IntSlider("other", 0, 9, 1)
	k.OnChange(func(v int) { print("stdout", fmt.Sprintln("k", v)) })
	other.OnChange(func(v int) { panic("ugly") })
	k.Render()
	alone := lastArea(t, f)
	HBox(k, other).Render()
	both := lastArea(t, f)
	f.change(k, "value", "2")()
	for _, id := range []string{alone, both} {
		f.until("k", func() string { return f.area(id) }, "stdout:k 2\n")
	}
	print("stdout", "after a callback nothing is redirected")
	func() {
		defer func() { recover() }()
		f.change(other, "value", "2")()
	}()
	print("stderr", "as the kernel reports it") // the redirection is still active
	f.until("other", func() string { return f.area(both) }, "stdout:k 2\n, stderr:as the kernel reports it")
	want(t, "alone", f.area(alone), "stdout:k 2\n")
}

// TestInteractPrints checks that printed output is above the result, and is replaced with the result.
func TestInteractPrints(t *testing.T) {
	f := connect(t)
	print := redirect(t)
	old := display.SetPublisher(func(display.Event) {})
	defer func() { display.SetPublisher(old) }()
	k := IntSlider("k", 0, 9, 1)
	Interact(func(k int) int { print("stdout", fmt.Sprint("for ", k)); return k * k }, k)
	area := func() string { return f.area(lastArea(t, f)) }
	f.until("first", area, "stdout:for 1, 1")
	f.change(k, "value", "3")()
	f.until("then", area, "stdout:for 3, 9")
	k.Set(4) // set by a cell
	f.until("set", area, "stdout:for 4, 16")
}

// TestEcho checks that a change is sent back to the front end that made it, as ipywidgets 8 expects, so that
// other windows on the same comm receive it.
func TestEcho(t *testing.T) {
	defer eight.Store(false)
	f := connect(t)
	k := IntSlider("k", 1, 10, 2)
	k.Render()
	for _, c := range []struct {
		eight     bool
		env, send string
		want      []string
	}{
		{false, "", "3", nil},
		{true, "", "4", []string{`{"buffer_paths":[],"method":"echo_update","state":{"value":4}}`}},
		{true, "", "4", []string{`{"buffer_paths":[],"method":"echo_update","state":{"value":4}}`}}, // not a change, but the front end waits for an answer
		{true, "0", "5", nil},
		{true, "FALSE", "6", nil},
		{true, "1", "7.0", []string{`{"buffer_paths":[],"method":"echo_update","state":{"value":7.0}}`}},
		// A value was not accepted unchanged: the window first receives the value that it sent, and then the
		// actual value.
		{true, "", "99", []string{`{"buffer_paths":[],"method":"echo_update","state":{"value":99}}`, `{"buffer_paths":[],"method":"update","state":{"value":10}}`}},
		{true, "", `"x"`, []string{`{"buffer_paths":[],"method":"echo_update","state":{"value":"x"}}`, `{"buffer_paths":[],"method":"update","state":{"value":10}}`}},
		{false, "", "99", []string{`{"buffer_paths":[],"method":"update","state":{"value":10}}`}},
	} {
		eight.Store(c.eight)
		t.Setenv("JUPYTER_WIDGETS_ECHO", c.env)
		f.take()
		f.change(k, "value", c.send)
		var lines []string
		for line := range strings.SplitSeq(f.take(), "\n") {
			if _, data, ok := strings.Cut(line, `"data":`); ok {
				lines = append(lines, strings.TrimSuffix(data, "}"))
			}
		}
		want(t, fmt.Sprint(c), lines, c.want)
	}
	f.take()
	f.send("comm_msg", k.model.comm.ID, `{"method":"update","state":{"nonsense":1}}`)
	want(t, "what is not part of the state", f.take(), "")
	a := k.root().area
	f.send("comm_msg", a.model.comm.ID, `{"method":"update","state":{"outputs":[]}}`)
	want(t, "areas are the kernel's", f.take(), "")
}

// TestSaved checks which output of Interact the notebook's file keeps.
func TestSaved(t *testing.T) {
	a := newArea()
	a.Stream("stdout", "printed <b>\n")
	a.Error("Panic", "p", []string{"\x1b[1;31mPanic\x1b[0m: p", "  line 2"})
	for _, d := range []display.Data{
		display.HTML("<i>html</i>"), display.SVG("<?xml version=\"1.0\"?>\n<svg/>"), display.Latex(`\alpha < 1`), display.Markdown("**m**"), display.Text("<t>"), {},
		{Data: map[string]any{"image/png": []byte{1, 2, 3}, "text/plain": `a "picture"`}, Metadata: map[string]any{"image/png": map[string]any{"width": 30, "height": 20.4}}},
		{Data: map[string]any{"image/jpeg": "AQID\n"}, Metadata: map[string]any{"image/jpeg": "strange"}},
	} {
		a.Display(d, false)
	}
	result := display.Data{Data: map[string]any{"image/png": []byte{1}, "text/plain": "result", viewType: map[string]any{"model_id": "gone"}}, Metadata: map[string]any{"image/png": 1}}
	live := renderSaved("<input disabled>", "k = 1", a, result, "comm-1", nil)
	still := renderSaved("<input disabled>", "k = 1", a, display.Data{}, "", nil)
	if len(result.Data) != 3 || len(result.Metadata) != 1 {
		t.Errorf("the result was changed: %v", result)
	}
	if live.Data[viewType] != nil {
		t.Error("the view is kept")
	}
	want(t, "text", live.Data[display.MIMETypeText], "k = 1\nprinted <b>\nresult")
	want(t, "picture", live.Data["image/png"], []byte{1})
	got := live.Data[display.MIMETypeHTML].(string) + "\n=== without a front end\n" + still.Data[display.MIMETypeHTML].(string)
	const golden = "testdata/saved.html"
	if *updateGolden {
		testfile.Write(t, golden, got)
	}
	whole := testfile.Read(t, golden)
	if got != string(whole) {
		t.Errorf("differs from %s (-update writes it anew):\n%s", golden, got)
	}
}

// TestInteractOutputs checks the outputs of Interact. With a front end, the first output contains nothing that would be
// stale in a file. Without a front end, the output has no script and nothing that looks for a kernel.
func TestInteractOutputs(t *testing.T) {
	var shown []display.Data
	old := display.SetPublisher(func(e display.Event) { shown = append(shown, e.Data) })
	defer func() { display.SetPublisher(old) }()
	Interact(func(k int) int { return k }, IntSlider("k", 0, 9, 4))
	for _, d := range shown {
		if html := d.Data[display.MIMETypeHTML].(string); d.Data[viewType] != nil || strings.Contains(html, "<script") || strings.Contains(html, "<style") || strings.Contains(html, "data-id") {
			t.Errorf("a page without a kernel wants to reach one: %s", html)
		}
	}
	if html := shown[1].Data[display.MIMETypeHTML].(string); !strings.Contains(html, `value="4"`) || !strings.Contains(html, "<pre>4</pre>") || !strings.Contains(html, "run the cell") {
		t.Errorf("saved: %s", html)
	}
	f := connect(t)
	shown = nil
	Interact(func(k int) int { return k }, IntSlider("</script>", 0, 9, 4))
	live := shown[0].Data[display.MIMETypeHTML].(string)
	before, _, _ := strings.Cut(live, "<script>")
	if strings.Contains(before, "input") || strings.Count(live, "</script>") != 1 || shown[0].Data[viewType] == nil || shown[1].Data[viewType] != nil {
		t.Errorf("live: %s", live)
	}
	area := lastArea(t, f)
	classes := ""
	for _, s := range f.states {
		if c, ok := s["_dom_classes"]; ok {
			classes += fmt.Sprint(c)
		}
	}
	want(t, "the mark of a live page", classes, "[overcomplete-live-"+area+"]")
	if html := shown[1].Data[display.MIMETypeHTML].(string); !strings.Contains(html, `.overcomplete-live-`+area+`)`) || !strings.Contains(html, `data-saved="`+area+`"`) {
		t.Errorf("what is saved does not know the mark: %s", html)
	}
	f.send("comm_open", "p", fmt.Sprintf(`{"ids":[%q]}`, area))
	if got := f.take(); !strings.Contains(got, `"outputs":[{`) {
		t.Errorf("our own page is not told what the area shows: %s", got)
	}
}

// FuzzMessage checks that no message from a front end does harm, and that the state can always be sent.
func FuzzMessage(f *testing.F) {
	for _, s := range []string{`{"method":"update","state":{"value":3}}`, `{"method":"update","state":{"value":null,"min":[{}]}}`, `{"method":"request_state"}`,
		`{"method":"custom","content":{"event":"click"}}`, `{"method":"update","state":{"outputs":7,"index":1e9}}`, `{"ids":["",7]}`, `[]`, `{"id":"c-1","state":{"value":-1}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		if !json.Valid([]byte(data)) {
			return
		}
		eight.Store(true)
		defer eight.Store(false)
		fe := connect(t)
		k, m, c, s, b := IntSlider("k", 1, 9, 2), Dropdown("m", []string{"a", "b"}, "a"), Checkbox("c", true), Text("t", ""), Button("b")
		box := VBox(k, m, c, s, b)
		defer box.Close()
		box.Render()
		for id := range fe.states {
			if then := fe.send("comm_msg", id, data); then != nil {
				then()
			}
		}
		fe.send("comm_open", "own", data)
		fe.send("comm_msg", "own", data)
		if v := k.Value(); v < 1 || v > 9 {
			t.Errorf("the slider stands at %d", v)
		}
		if _, err := json.Marshal(states(nil)); err != nil {
			t.Error(err)
		}
	})
}
