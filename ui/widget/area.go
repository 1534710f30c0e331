package widget

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"overcomplete/ui/display"
)

const (
	// areaText limits the bytes of text that an area keeps, and areaShown limits the number of other outputs. Both are
	// limited because all outputs are sent to a front end whenever an output is added.
	areaText  = 20_000
	areaShown = 10
	// areaDelay is how long an output waits for others, so that the front end receives text together with the result
	// that follows it.
	areaDelay = 100 * time.Millisecond
	// areaRate limits the bytes per second that an area sends while its control is dragged. Servers drop
	// messages beyond a million bytes per second.
	areaRate = 700_000
)

// An area shows the output of callbacks below their control. On the front end it is the Output widget of
// ipywidgets. Its state contains the outputs, in the form of notebook files, so a reloaded page or a second
// window shows the right outputs, although it did not receive the earlier messages.
type area struct {
	model *model

	sending sync.Mutex // held while outputs are sent, so that the last message has the latest state

	mu      sync.Mutex
	outputs []map[string]any // as in a notebook file
	ids     []string         // display ids of the outputs, "" for none
	clear   bool             // pending: clear before the next output
	text    int              // bytes of text in outputs
	changed bool             // some outputs are not sent yet
	timer   *time.Timer      // runs until these outputs are sent
	next    time.Time        // the earliest time at which flush may send
}

func newArea() *area {
	return &area{model: &model{kind: outputArea, state: map[string]any{"msg_id": "", "outputs": []map[string]any{}}}}
}

// Stream adds text that was printed to a stream. name is "stdout" or "stderr". If the area then has too much text,
// Stream removes the oldest text.
func (a *area) Stream(name, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begin()
	n := len(a.outputs)
	if n > 0 && a.outputs[n-1]["output_type"] == "stream" && a.outputs[n-1]["name"] == name {
		whole := a.outputs[n-1]["text"].(string) + text
		a.outputs[n-1] = stream(name, whole) // a new map, because the old one may be in a message being sent
	} else {
		a.outputs, a.ids = append(a.outputs, stream(name, text)), append(a.ids, "")
	}
	a.text += len(text)
	for i := 0; a.text > areaText && i < len(a.outputs); {
		old, isText := a.outputs[i]["text"].(string)
		if !isText {
			i++
			continue
		}
		short := shorten(old, len(old)-(a.text-areaText))
		a.text -= len(old) - len(short)
		if short == "" {
			a.outputs, a.ids = slices.Delete(a.outputs, i, i+1), slices.Delete(a.ids, i, i+1)
			continue
		}
		a.outputs[i] = stream(a.outputs[i]["name"].(string), short)
		i++
	}
	a.sendSoon()
}

func stream(name, text string) map[string]any {
	return map[string]any{"output_type": "stream", "name": name, "text": text}
}

// shorten returns the last whole lines of the text, with at most n bytes in total. If the last line is longer, shorten
// returns the end of that line.
func shorten(text string, n int) string {
	if n <= 0 {
		return ""
	}
	text = text[len(text)-n:]
	if _, rest, found := strings.Cut(text, "\n"); found && rest != "" {
		return rest
	}
	return strings.ToValidUTF8(text, "")
}

// Display adds d. If update is set and an output with d's display_id exists, d replaces that output.
func (a *area) Display(d display.Data, update bool) {
	id, _ := d.Transient["display_id"].(string)
	shown := map[string]any{"output_type": "display_data", "data": bundle(d.Data), "metadata": noNil(d.Metadata)}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !update {
		a.begin()
		a.add(shown, id)
		return
	}
	for i, known := range a.ids {
		if id != "" && known == id {
			a.outputs[i] = shown
			a.sendSoon()
		}
	}
}

// Error adds an error and sends it at once.
func (a *area) Error(name, message string, trace []string) {
	a.mu.Lock()
	a.begin()
	a.add(map[string]any{"output_type": "error", "ename": name, "evalue": message, "traceback": slices.Clone(trace)}, "")
	a.mu.Unlock()
	a.flush()
}

// Clear removes all outputs. If wait is set, the outputs remain until something new is shown.
func (a *area) Clear(wait bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clear = true
	if !wait {
		a.begin()
		a.sendSoon()
	}
}

// begin performs a pending Clear before an output is added. a.mu must be held.
func (a *area) begin() {
	if a.clear {
		a.outputs, a.ids, a.text, a.clear = nil, nil, 0, false
	}
}

// add adds an output that is not text, and drops the oldest such outputs if there are more than areaShown. a.mu must
// be held.
func (a *area) add(output map[string]any, id string) {
	a.outputs, a.ids = append(a.outputs, output), append(a.ids, id)
	others := 0
	for i := len(a.outputs) - 1; i >= 0; i-- {
		if a.outputs[i]["output_type"] == "stream" {
			continue
		}
		if others++; others > areaShown {
			a.outputs, a.ids = slices.Delete(slices.Clone(a.outputs), i, i+1), slices.Delete(slices.Clone(a.ids), i, i+1)
		}
	}
	a.sendSoon()
}

// sendSoon schedules sending, so that more outputs can be added first. a.mu must be held.
func (a *area) sendSoon() {
	a.changed = true
	if a.timer == nil {
		a.timer = time.AfterFunc(max(areaDelay, time.Until(a.next)), a.send)
	}
}

// flush sends the outputs now, or leaves them to the timer if the rate limit requires a wait.
func (a *area) flush() {
	a.mu.Lock()
	now := a.changed && !time.Now().Before(a.next)
	a.mu.Unlock()
	if now {
		a.send()
	}
}

// send sends the outputs to all front ends.
func (a *area) send() {
	a.sending.Lock()
	defer a.sending.Unlock()
	a.mu.Lock()
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
	if !a.changed {
		a.mu.Unlock()
		return
	}
	a.changed = false
	outputs := slices.Clone(a.outputs)
	if outputs == nil {
		outputs = []map[string]any{}
	}
	a.next = time.Now().Add(time.Second * time.Duration(size(outputs)) / areaRate)
	a.mu.Unlock()
	a.model.set(map[string]any{"outputs": outputs})
}

// html returns the outputs as HTML for a page that needs no kernel.
func (a *area) html() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var b strings.Builder
	for _, o := range a.outputs {
		b.WriteString(savedOutput(o))
	}
	return b.String()
}

// printedText returns the text that was printed to the area.
func (a *area) printedText() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var b strings.Builder
	for _, o := range a.outputs {
		if o["output_type"] == "stream" {
			text, _ := o["text"].(string)
			b.WriteString(text)
		}
	}
	return b.String()
}

// size returns the approximate number of bytes that the outputs take in a message.
func size(outputs []map[string]any) int {
	n := 0
	for _, o := range outputs {
		if text, ok := o["text"].(string); ok {
			n += len(text)
		}
		data, _ := o["data"].(map[string]any)
		for _, v := range data {
			switch v := v.(type) {
			case string:
				n += len(v)
			case json.RawMessage:
				n += len(v)
			}
		}
	}
	return n
}

// bundle returns a copy of data, which holds content by MIME type, with the content encoded as in a notebook file:
// bytes as base64, for example. It omits JSON content that is invalid or cannot be encoded.
func bundle(data map[string]any) map[string]any {
	out := make(map[string]any, len(data))
	for mime, v := range data {
		switch x := v.(type) {
		case string:
			out[mime] = x
		case []byte:
			switch {
			case strings.HasSuffix(mime, "json"):
				if json.Valid(x) {
					out[mime] = json.RawMessage(x)
				}
			case strings.HasPrefix(mime, "text/"), mime == display.MIMETypeSVG, mime == display.MIMETypeJavaScript:
				out[mime] = string(x)
			default:
				out[mime] = base64.StdEncoding.EncodeToString(x)
			}
		default:
			if !strings.HasSuffix(mime, "json") {
				out[mime] = fmt.Sprint(x)
			} else if raw, err := json.Marshal(x); err == nil {
				out[mime] = json.RawMessage(raw)
			}
		}
	}
	return out
}

// noNil returns metadata in a form that JSON can represent; the result is never nil.
func noNil(metadata map[string]any) map[string]any {
	if _, err := json.Marshal(metadata); err != nil || metadata == nil {
		return map[string]any{}
	}
	return maps.Clone(metadata)
}

// areas are the areas of all places that show a control. Output of the control's callbacks goes to each of them.
type areas []*area

func (all areas) Stream(name, text string) {
	for _, a := range all {
		a.Stream(name, text)
	}
}

func (all areas) Display(d display.Data, update bool) {
	for _, a := range all {
		a.Display(d, update)
	}
}

func (all areas) Clear(wait bool) {
	for _, a := range all {
		a.Clear(wait)
	}
}

func (all areas) Error(name, message string, trace []string) {
	for _, a := range all {
		a.Error(name, message, trace)
	}
}

func (all areas) flush() {
	for _, a := range all {
		a.flush()
	}
}
