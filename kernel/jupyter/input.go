package jupyter

import (
	"context"
	"errors"
	"sync"
	"time"

	"overcomplete/kernel"
	"overcomplete/kernel/wire"
)

// An inputs value passes the answer to an input request from the stdin channel to the goroutine that waits for it.
// At most one request is open at a time.
type inputs struct {
	turn sync.Mutex // held while a request is open

	mu   sync.Mutex
	from string // identity of the front end that received the request
	id   string // id of the request
	got  chan string
}

// askAfter is how long a question without a prompt waits after the last printed
// text.
const askAfter = 40 * time.Millisecond

// Input implements kernel.Inputter: it asks the front end that sent the request of o, and waits for the answer. If
// another question is open, Input first waits until that question is answered.
func (o *output) Input(ctx context.Context, prompt string, password bool) (string, error) {
	if !o.allowStdin || len(o.req.Identities) == 0 {
		return "", kernel.ErrNoStdin // for example nbconvert
	}
	o.mu.Lock()
	o.flush()
	o.mu.Unlock()
	if prompt == "" {
		// Printed text, which may be the question, reaches the page on a different channel from the request.
		// Pages show the text and the request in order of arrival, so wait for the text.
		select {
		case <-time.After(askAfter):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
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
	in := &o.s.inputs
	in.turn.Lock() // another goroutine of the cell may still be waiting for an answer
	defer in.turn.Unlock()
	if err := ctx.Err(); err != nil {
		return "", err
	}
	got := make(chan string, 1)
	in.mu.Lock()
	in.from, in.id, in.got = string(o.req.Identities[0]), request.Header.MsgID, got
	in.mu.Unlock()
	defer func() {
		in.mu.Lock()
		in.got = nil
		in.mu.Unlock()
	}()
	// A front end that has just started may not yet be connected to the stdin channel.
	for wait := time.Millisecond; ; wait *= 2 {
		err := o.s.channels.Stdin.Send(request)
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

// stdin passes an input_reply to the goroutine that waits for it. It drops an answer to any request other than the
// open one.
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
	// Some front ends say which request they answer. After an interrupt, it may be that nobody is waiting for
	// an answer to that request.
	parent := req.Parent().MsgID
	if s.inputs.got == nil || string(req.Identities[0]) != s.inputs.from || parent != "" && parent != s.inputs.id {
		s.log.Print("input_reply without an open input_request: ignored")
		return
	}
	s.inputs.got <- c.Value // the channel is buffered, and read once per request
	s.inputs.got = nil
}
