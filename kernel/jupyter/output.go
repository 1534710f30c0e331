package jupyter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"overcomplete/kernel/notebook"
	"overcomplete/kernel/wire"
	"overcomplete/ui/display"
)

const (
	// streamDelay is how long text waits for more text to share a message with.
	streamDelay = 20 * time.Millisecond
	// streamBytes is the length from which text is sent at once.
	streamBytes = 64 << 10
)

// An output publishes what a cell shows. It is the kernel.Output and
// kernel.Inputter that the Executor is given.
type output struct {
	s          *Server
	req        *request
	count      int
	silent     bool
	allowStdin bool

	mu     sync.Mutex
	name   string // the stream that text belongs to
	text   []byte
	since  *time.Timer       // runs while text waits
	split  map[string][]byte // by stream: the beginning of a rune whose end has not been written yet
	result string            // the first result as plain text, for the history
}

// Stream collects text and sends it after streamDelay, or before anything else is sent.
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
	switch {
	case len(o.text) >= streamBytes:
		o.flush()
	case o.since == nil:
		o.since = time.AfterFunc(streamDelay, func() {
			o.mu.Lock()
			o.flush()
			o.mu.Unlock()
		})
	}
}

// flush sends the collected text, except an incomplete rune at its end.
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
	if cap(o.text) > 4*streamBytes {
		o.text = nil
	}
	if text != "" {
		o.s.publish(o.req, "stream", map[string]any{"name": name, "text": text})
	}
}

// incomplete returns the number of bytes at the end of text that begin a rune
// whose rest has not arrived yet.
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

// close sends all waiting text, including runes that have remained incomplete.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush()
	for _, name := range []string{"stdout", "stderr"} {
		if rest := o.split[name]; len(rest) > 0 {
			o.s.publish(o.req, "stream", map[string]any{"name": name, "text": string(rest)})
		}
	}
	o.split = nil
}

// Display publishes d.
func (o *output) Display(d display.Data, update bool) {
	msgType := "display_data"
	if update {
		msgType = "update_display_data"
	}
	o.send(msgType, map[string]any{
		"data": encodeData(d.Data), "metadata": o.s.metadata(d), "transient": encodeMap(d.Transient),
	})
}

// Result publishes a value, unless the cell is silent.
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
		"execution_count": o.count, "data": encodeData(d.Data), "metadata": o.s.metadata(d), "transient": encodeMap(d.Transient),
	})
}

func (o *output) resultText() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.result
}

// Clear removes the cell's output so far.
func (o *output) Clear(wait bool) {
	o.send("clear_output", map[string]any{"wait": wait})
}

func (o *output) send(msgType string, content map[string]any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush()
	o.s.publish(o.req, msgType, content)
}

// metadata returns d's metadata, or nothing if JSON cannot hold it.
func (s *Server) metadata(d display.Data) any {
	raw, err := wire.Marshal(encodeMap(d.Metadata))
	if err != nil {
		s.log.Printf("metadata dropped: %v", err)
		return map[string]any{}
	}
	return raw
}

// encodeData returns the JSON form of each entry. It is the form that a notebook has, so that a
// run in Jupyter and a headless one write the same. An entry that JSON cannot hold (NaN, a
// channel) is left out; so that something is shown in any case, text/plain then gives the
// reason, unless d has a text/plain.
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
