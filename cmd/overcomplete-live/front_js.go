package main

import (
	"encoding/json"
	"fmt"
	"syscall/js"

	"overcomplete/kernel/export"
	"overcomplete/kernel/jupyter"
	"overcomplete/kernel/notebook"
	"overcomplete/kernel/wire"
)

// A front is the front end behind the object overcomplete.
type front struct {
	api    js.Value
	queues map[string]*wire.Queue
}

func newFront() *front {
	f := &front{api: js.ValueOf(map[string]any{"html": false}), queues: map[string]*wire.Queue{}}
	for _, channel := range []string{"shell", "control", "stdin"} {
		f.queues[channel] = wire.NewQueue(f.sender(channel))
	}
	f.api.Set("send", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if err := f.receive(args[0].String()); err != nil {
			return err.Error()
		}
		return nil
	}))
	return f
}

// receive handles a message from the front end.
func (f *front) receive(text string) error {
	channel, m, err := wire.ParsePlain([]byte(text))
	if err != nil {
		return err
	}
	q := f.queues[channel]
	if q == nil {
		return fmt.Errorf("overcomplete-live: no channel %q", channel)
	}
	q.Put(m)
	return nil
}

func (f *front) channels() jupyter.Channels {
	return jupyter.Channels{
		Shell: f.queues["shell"], Control: f.queues["control"], Stdin: f.queues["stdin"],
		IOPub: wire.NewQueue(f.sender("iopub")),
		Close: func() error {
			for _, q := range f.queues {
				q.Close()
			}
			return nil
		},
	}
}

// sender returns the function that sends a channel's messages to the page.
func (f *front) sender(channel string) func(*wire.Message) error {
	return func(m *wire.Message) error {
		html := ""
		if channel == "iopub" && f.api.Get("html").Truthy() {
			html = outputHTML(m)
		}
		text, err := m.Plain(channel, html)
		if err != nil {
			return err
		}
		on := f.api.Get("onMessage")
		if on.Type() != js.TypeFunction {
			return wire.ErrNoPeer
		}
		on.Invoke(string(text))
		return nil
	}
}

// outputHTML returns the output in a message as HTML, in the form of an exported page, or "" if the message
// shows nothing.
func outputHTML(m *wire.Message) string {
	kind := m.Header.MsgType
	switch kind {
	case notebook.Stream, notebook.DisplayData, notebook.ExecuteResult, notebook.ErrorOutput:
	case "update_display_data":
		kind = notebook.DisplayData
	default:
		return ""
	}
	var o notebook.Output
	if json.Unmarshal(m.Content, &o) != nil {
		return ""
	}
	o["output_type"] = kind
	return export.Output(o)
}
