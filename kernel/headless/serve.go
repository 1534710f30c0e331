package headless

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"sync"
	"time"

	"overcomplete/internal/cputime"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/notebook"
	"overcomplete/ui/display"
)

// Serve runs cells for a Process in another program. It opens a kernel by calling opener(), and carries out the
// requests that it reads from input until this input ends. The cells' output goes to standard output as events. calls
// is a map with the functions that Process.Call can call in this process. Serve returns an error if the kernel cannot
// be opened.
func Serve(input io.Reader, opener func() (InProcess, error), calls map[string]func(in string) (string, error)) error {
	k, err := opener()
	if err != nil {
		return err
	}
	w := &eventWriter{sharedEncoder: &sharedEncoder{enc: json.NewEncoder(k.Terminal())}}
	w.enc.SetEscapeHTML(false)
	w.send(event{Op: "ready"})
	s := local{k}
	type task struct {
		request
		ctx    context.Context
		cancel context.CancelFunc
	}
	requests := make(chan task)
	ended := make(chan struct{})
	var mu sync.Mutex
	interrupt := func() {}
	go func() {
		defer close(ended)
		defer close(requests)
		d := json.NewDecoder(bufio.NewReader(input))
		for {
			var r request
			if d.Decode(&r) != nil {
				break
			}
			if r.Op == "interrupt" {
				mu.Lock()
				interrupt()
				mu.Unlock()
				continue
			}
			// Create the context here, before the cell starts, so that an interrupt always finds it.
			ctx, cancel := context.WithCancel(context.Background())
			mu.Lock()
			interrupt = cancel
			mu.Unlock()
			requests <- task{r, ctx, cancel}
		}
		// The runner is gone or has finished. Stop a running cell. If the cell does not stop, end this process.
		mu.Lock()
		interrupt()
		mu.Unlock()
		time.AfterFunc(2*time.Second, func() { os.Exit(1) })
	}()
	for r := range requests {
		done := event{Op: "done"}
		switch r.Op {
		case "run":
			before := cputime.Used()
			if err := s.Execute(r.ctx, engine.Cell{Name: r.Name, ID: r.ID, Source: r.Source}, &eventWriter{w.sharedEncoder, r.Name}); err != nil {
				done.Error = asEngine(err)
			}
			done.Processor = cputime.Used() - before
		case "vars":
			done.Vars = s.Vars()
		case "set":
			v, err := s.Set(r.Name, r.Source)
			if err != nil {
				done.Error = &engine.Error{Kind: engine.Internal, Message: err.Error()}
			} else {
				done.Vars = []Variable{v}
			}
		case "call":
			out, err := "", fmt.Errorf("unknown call %q", r.Name)
			if f := calls[r.Name]; f != nil {
				out, err = f(r.Source)
			}
			if done.Text = out; err != nil {
				done.Error = &engine.Error{Kind: engine.Internal, Message: err.Error()}
			}
		default:
			done.Error = &engine.Error{Kind: engine.Internal, Message: fmt.Sprintf("unknown request %q", r.Op)}
		}
		r.cancel()
		w.send(done)
	}
	<-ended
	return k.Close()
}

// An eventWriter is the kernel.Output of one cell. It sends the cell's output to the runner, as events.
type eventWriter struct {
	*sharedEncoder
	cell string
}

type sharedEncoder struct {
	mu  sync.Mutex
	enc *json.Encoder
}

func (w *eventWriter) send(e event) {
	e.Cell = w.cell
	w.mu.Lock()
	defer w.mu.Unlock()
	w.enc.Encode(e) // if the runner is gone, this fails and in will end
}

func (w *eventWriter) Stream(name, text string) {
	w.send(event{Op: "stream", Name: name, Text: text})
}

func (w *eventWriter) Display(d display.Data, update bool) {
	e := content("display", d)
	e.Flag = update
	w.send(e)
}

func (w *eventWriter) Result(d display.Data) { w.send(content("result", d)) }

func (w *eventWriter) Clear(wait bool) { w.send(event{Op: "clear", Flag: wait}) }

// content returns an event that carries the output d in the form in which a notebook stores it. The given name becomes
// the event's Op. If JSON cannot represent d, the event shows a message instead.
func content(name string, d display.Data) event {
	o, err := notebook.NewDisplay(d.Data, d.Metadata)
	if err != nil {
		o = unshowable(err)
		if name == "result" {
			name = "display" // consistent with a kernel in this process
		}
	}
	data, _ := o["data"].(map[string]any)
	metadata, _ := o["metadata"].(map[string]any)
	transient := maps.Clone(d.Transient)
	maps.DeleteFunc(transient, func(k string, v any) bool {
		_, ok := v.(string)
		return k != "display_id" || !ok
	})
	return event{Op: name, Data: data, Metadata: metadata, Transient: transient}
}
