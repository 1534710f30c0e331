package jupyter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"overcomplete/kernel/notebook"
	"overcomplete/kernel/wire"
	"overcomplete/ui/display"
)

// An output publishes the output of a cell or of a callback. It implements kernel.Output, Inputter, Redirecter and
// Rewriter for the Executor.
type output struct {
	s          *Server
	req        *request
	count      int
	silent     bool
	allowStdin bool

	mu     sync.Mutex
	name   string // name of the stream to which text belongs
	text   []byte
	since  *time.Timer // runs while text is waiting
	pace   pace
	split  map[string][]byte // by stream: the bytes of a rune whose other bytes have not been written yet
	result string            // first result as plain text, for the history
	area   display.Area      // receives the output if not nil; see Redirect

	payload []any // payload of the reply; see Rewrite
}

// Stream collects text. The text is sent after a delay (see pace), or before any other output.
func (o *output) Stream(name, text string) {
	if text == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if name != o.name {
		o.flush()
		o.name = name
		o.text = append(o.text, o.split[name]...)
		delete(o.split, name)
	}
	o.text = append(o.text, text...)
	enough := o.pace.enough()
	o.pace.wrote(text)
	switch {
	case len(o.text) >= enough:
		o.flush()
	case o.since == nil:
		o.since = time.AfterFunc(o.pace.delay(time.Now()), func() {
			o.mu.Lock()
			o.flush()
			o.mu.Unlock()
		})
	}
}

// flush sends the collected text, except an incomplete rune at its end, which it keeps. The caller holds o.mu.
func (o *output) flush() {
	if o.since != nil {
		o.since.Stop()
		o.since = nil
	}
	n := len(o.text) - incomplete(o.text)
	text, rest := string(o.text[:n]), o.text[n:]
	if len(rest) > 0 {
		if o.split == nil {
			o.split = make(map[string][]byte)
		}
		o.split[o.name] = bytes.Clone(rest)
	}
	name := o.name
	o.text, o.name = o.text[:0], ""
	if cap(o.text) > 4*minText {
		o.text = nil
	}
	if text != "" {
		o.pace.flushed(time.Now())
		o.publishText(name, text)
	}
}

// incomplete returns the number of bytes at the end of text that begin an incomplete rune.
func incomplete(text []byte) int {
	for n := 1; n <= min(utf8.UTFMax-1, len(text)); n++ {
		if b := text[len(text)-n]; utf8.RuneStart(b) {
			if !utf8.FullRune(text[len(text)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// close sends all waiting text, including incomplete runes.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush()
	for _, name := range []string{"stdout", "stderr"} {
		if rest := o.split[name]; len(rest) > 0 {
			o.publishText(name, string(rest))
		}
	}
	o.split = nil
}

// Display publishes d as new output. If update is set, d instead replaces the earlier output that has the same
// display_id. Updates go to the front end even if there is an area.
func (o *output) Display(d display.Data, update bool) {
	if o.inArea(func(a display.Area) { a.Display(d, update) }) && !update {
		return
	}
	msgType := "display_data"
	if update {
		msgType = "update_display_data"
	}
	o.send(msgType, map[string]any{
		"data": o.s.shown(d), "metadata": o.s.metadata(d), "transient": encodeMap(d.Transient),
	})
}

// Result publishes d, the value of a cell, as an execute_result, unless the cell is silent.
func (o *output) Result(d display.Data) {
	if o.silent {
		return
	}
	if text, ok := d.Data["text/plain"].(string); ok {
		o.mu.Lock()
		if o.result == "" {
			o.result = text
		}
		o.mu.Unlock()
	}
	o.send("execute_result", map[string]any{
		"execution_count": o.count, "data": o.s.shown(d), "metadata": o.s.metadata(d), "transient": encodeMap(d.Transient),
	})
}

func (o *output) resultText() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.result
}

// Clear removes the cell's output so far. If wait is set, the output stays until new output replaces it.
func (o *output) Clear(wait bool) {
	if o.inArea(func(a display.Area) { a.Clear(wait) }) {
		return
	}
	o.send("clear_output", map[string]any{"wait": wait})
}

func (o *output) send(msgType string, content map[string]any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush()
	if msgType != "update_display_data" { // an update changes existing output
		o.pace.restart()
	}
	o.s.publish(o.req, msgType, content)
}

// metadata returns d's metadata, or an empty object if JSON cannot represent them.
func (s *Server) metadata(d display.Data) any {
	raw, err := wire.Marshal(encodeMap(d.Metadata))
	if err != nil {
		s.log.Printf("metadata dropped: %v", err)
		return map[string]any{}
	}
	return raw
}

// shown calls Options.Sign with the data of d, which are about to be published, and returns them as JSON, by MIME
// type.
func (s *Server) shown(d display.Data) map[string]json.RawMessage {
	if s.opt.Sign != nil {
		if err := s.opt.Sign(d.Data); err != nil {
			s.log.Printf("output not signed, so exported pages leave out its scripts: %v", err)
		}
	}
	return encodeData(d.Data)
}

// encodeData encodes each representation in data, a map by MIME type, as JSON. It is the same JSON as in a notebook, so
// that a run in Jupyter and a headless run write the same JSON. Values that JSON cannot represent (NaN, a channel) are
// left out. If a value is left out and the result would have no text/plain, encodeData adds a text/plain entry that
// gives the reason, so that something is shown.
func encodeData(data map[string]any) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(data))
	var failed error
	for mime, v := range data {
		var raw json.RawMessage
		bundle, err := notebook.Bundle(map[string]any{mime: v})
		if err == nil {
			raw, err = wire.Marshal(bundle[mime])
		}
		if err != nil {
			failed = fmt.Errorf("%s cannot be shown: %w", mime, err)
			continue
		}
		out[mime] = raw
	}
	if failed != nil && out["text/plain"] == nil {
		out["text/plain"], _ = wire.Marshal(failed.Error()) // a string can always be encoded
	}
	return out
}

// Rewrite makes the execute_reply ask the front end to replace the text of the cell with source. It uses a payload,
// which the protocol deprecates without providing a replacement. JupyterLab, Notebook and VS Code support payloads. A
// console would offer source as its next input.
func (o *output) Rewrite(source string) {
	o.payload = append(o.payload, map[string]any{"source": "set_next_input", "text": source, "replace": true})
}

// Redirect sends later output to the area a, and returns the previous area. If a is nil, later output goes to the
// front end without an area.
//
// Callbacks need this, because the parent of their output is a widget message, not the request of a cell. Classic
// front ends put such output below the widget. JupyterLab cannot place it, and writes it to its log.
func (o *output) Redirect(a display.Area) (before display.Area) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush()
	before, o.area = o.area, a
	return before
}

// inArea calls the function fn with the current area, if there is one, and reports whether there is one.
func (o *output) inArea(fn func(display.Area)) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.area == nil {
		return false
	}
	o.flush()
	fn(o.area)
	return true
}

// publishText shows text of the stream with the given name. The caller holds o.mu.
func (o *output) publishText(name, text string) {
	if o.area != nil {
		o.area.Stream(name, text)
		return
	}
	o.s.publish(o.req, "stream", map[string]any{"name": name, "text": text})
}

// failed shows the error that ended a callback.
func (o *output) failed(err error) {
	c := contentOf(err)
	name, _ := c["ename"].(string)
	message, _ := c["evalue"].(string)
	lines, _ := c["traceback"].([]string)
	if !o.inArea(func(a display.Area) { a.Error(name, message, lines) }) {
		o.Stream("stderr", "a callback of this cell's widget or comm ended:\n"+strings.Join(lines, "\n")+"\n")
	}
}
