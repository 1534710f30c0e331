package jupyter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"overcomplete/kernel-helpers/display"
	"overcomplete/kernel/notebook"
	"overcomplete/kernel/wire"
)

const (
	// streamDelay is how long text waits for more text to share a message with.
	streamDelay = 20 * time.Millisecond
	// streamBytes of text are sent at once.
	streamBytes = 64 << 10
)

// An output publishes what a cell shows. It is the kernel.Output, and the
// Inputter, that the Executor is given.
type output struct {
	s          *Server
	req        *request
	count      int
	silent     bool
	allowStdin bool

	mu    sync.Mutex
	name  string // the stream that text is of
	text  []byte
	since *time.Timer       // runs while text waits
	split map[string][]byte // by stream: the beginning of a rune whose end has not been written yet
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

// flush sends the collected text but for an incomplete rune at its end.
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

// incomplete counts the bytes at the end of text that begin a rune which ends
// in text not seen yet.
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

// close sends everything that waits, also runes that have remained incomplete.
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
	o.send("execute_result", map[string]any{
		"execution_count": o.count, "data": encodeData(d.Data), "metadata": o.s.metadata(d), "transient": encodeMap(d.Transient),
	})
}

// Clear removes the output so far.
func (o *output) Clear(wait bool) {
	o.send("clear_output", map[string]any{"wait": wait})
}

func (o *output) send(msgType string, content map[string]any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush()
	o.s.publish(o.req, msgType, content)
}

// metadata gives d's metadata if JSON can hold it.
func (s *Server) metadata(d display.Data) any {
	raw, err := wire.Marshal(encodeMap(d.Metadata))
	if err != nil {
		s.log.Printf("metadata dropped: %v", err)
		return map[string]any{}
	}
	return raw
}

// encodeData makes the JSON form of each entry, the same that a notebook has, so
// that a run in Jupyter and a headless one write the same. An entry that JSON cannot hold (NaN, a channel) is left out; so that
// something is shown in any case, text/plain then says so, unless it is there.
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

// An Inputter asks the user for a line. The Output that Execute is given is one.
type Inputter interface {
	// Input shows prompt and waits for the answer or the end of ctx. With
	// password set the front end hides what is typed. It returns ErrNoStdin if
	// the front end cannot ask.
	Input(ctx context.Context, prompt string, password bool) (string, error)
}

// ErrNoStdin is returned when a cell asks for input of a front end that does
// not allow it, as nbconvert does.
var ErrNoStdin = errors.New("the front end does not support input")

// inputs hands the answer to the one input request that can be open.
type inputs struct {
	mu   sync.Mutex
	from string // identity of the front end that was asked
	got  chan string
}

// Input implements Inputter.
func (o *output) Input(ctx context.Context, prompt string, password bool) (string, error) {
	if !o.allowStdin || len(o.req.Identities) == 0 {
		return "", ErrNoStdin
	}
	o.mu.Lock()
	o.flush()
	o.mu.Unlock()
	in := &o.s.inputs
	got := make(chan string, 1)
	in.mu.Lock()
	if in.got != nil {
		in.mu.Unlock()
		return "", errors.New("another part of the cell is asking for input")
	}
	in.from, in.got = string(o.req.Identities[0]), got
	in.mu.Unlock()
	defer func() {
		in.mu.Lock()
		if in.got == got {
			in.got = nil
		}
		in.mu.Unlock()
	}()

	raw, err := wire.Marshal(map[string]any{"prompt": prompt, "password": password})
	if err != nil {
		return "", err
	}
	request := &wire.Message{
		Identities:   o.req.Identities,
		Header:       wire.NewHeader(o.s.session, o.req.Header.Username, "input_request"),
		ParentHeader: o.req.RawHeader,
		Content:      raw,
	}
	// A front end that has just started may have connected to shell and not yet to stdin.
	for wait := time.Millisecond; ; wait *= 2 {
		err := o.s.sockets.Stdin.Send(request)
		if err == nil {
			break
		}
		if !errors.Is(err, wire.ErrNoPeer) || wait > time.Second || ctx.Err() != nil {
			return "", err
		}
		time.Sleep(wait)
	}
	select {
	case line := <-got:
		return line, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// stdin takes the answers.
func (s *Server) stdin(req *request) {
	var c struct {
		Value string `json:"value"`
	}
	if req.Header.MsgType != "input_reply" {
		s.log.Printf("unknown message type %q on stdin", req.Header.MsgType)
		return
	}
	if err := decode(req, &c); err != nil {
		s.log.Print(err)
		return
	}
	s.inputs.mu.Lock()
	defer s.inputs.mu.Unlock()
	if s.inputs.got == nil || string(req.Identities[0]) != s.inputs.from {
		s.log.Print("input_reply without an open input_request: ignored")
		return
	}
	s.inputs.got <- c.Value // buffered, and read once
	s.inputs.got = nil
}
