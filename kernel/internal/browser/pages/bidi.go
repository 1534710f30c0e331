package pages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// A bidi is a connection to a browser that speaks WebDriver BiDi, https://w3c.github.io/webdriver-bidi.
type bidi struct {
	socket *websocket.Conn
	event  func(method string, params json.RawMessage) // must not wait for the result of a command

	mu      sync.Mutex
	last    int
	waiting map[int]chan bidiMessage
	ended   error
}

// A bidiMessage is a message from a browser: an answer or an event.
type bidiMessage struct {
	Type    string // success, error or event
	ID      int
	Result  json.RawMessage
	Error   string // kind of error
	Message string
	Method  string
	Params  json.RawMessage
}

// A bidiError is the error of a failed command.
type bidiError struct{ method, kind, message string }

func (e *bidiError) Error() string { return fmt.Sprintf("%s: %s: %s", e.method, e.kind, e.message) }

// dialBidi connects to the given URL, and passes events to the given function.
func dialBidi(ctx context.Context, url string, event func(string, json.RawMessage)) (*bidi, error) {
	socket, _, err := websocket.Dial(ctx, url, nil)
	if err != nil {
		return nil, err
	}
	socket.SetReadLimit(-1) // screenshots are large
	b := &bidi{socket: socket, event: event, waiting: map[int]chan bidiMessage{}}
	go b.read()
	return b, nil
}

// read reads messages until the connection ends. It passes an answer to the call that waits for it, and an event to
// the function event.
func (b *bidi) read() {
	for {
		var m bidiMessage
		err := wsjson.Read(context.Background(), b.socket, &m)
		b.mu.Lock()
		if err != nil {
			b.ended = fmt.Errorf("the browser has gone: %w", err)
			for _, c := range b.waiting {
				close(c)
			}
			b.mu.Unlock()
			return
		}
		c := b.waiting[m.ID]
		delete(b.waiting, m.ID)
		b.mu.Unlock()
		if m.Type == "event" {
			b.event(m.Method, m.Params)
		} else if c != nil {
			c <- m
		}
	}
}

// call runs a command and waits for its answer. If result is not nil, call decodes the command's result into it.
func (b *bidi) call(ctx context.Context, method string, params map[string]any, result any) error {
	answer := make(chan bidiMessage, 1)
	b.mu.Lock()
	if b.ended != nil {
		b.mu.Unlock()
		return b.ended
	}
	b.last++
	id := b.last
	b.waiting[id] = answer
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		delete(b.waiting, id)
		b.mu.Unlock()
	}()
	if err := wsjson.Write(ctx, b.socket, map[string]any{"id": id, "method": method, "params": params}); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			return fmt.Errorf("%s: %w", method, errors.New("the browser has gone"))
		case m.Type == "error":
			return &bidiError{method, m.Error, m.Message}
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}
