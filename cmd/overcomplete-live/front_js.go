package main

import (
	"encoding/json"
	"syscall/js"

	"overcomplete/kernel/export"
	"overcomplete/kernel/notebook"
	"overcomplete/kernel/wire"
)

// A front exchanges messages between the kernel and the page, through the JavaScript object overcomplete.
type front struct {
	api    js.Value
	queues *wire.Queues
}

func newFront() *front {
	f := &front{api: js.ValueOf(map[string]any{"html": false})}
	f.queues = wire.NewQueues(f.send)
	f.api.Set("send", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if err := f.queues.Receive([]byte(args[0].String())); err != nil {
			return err.Error()
		}
		return nil
	}))
	return f
}

// send sends the message m to the page, as a message of the given channel.
func (f *front) send(channel string, m *wire.Message) error {
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
