package headless

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"overcomplete/kernel"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/procgroup"
	"overcomplete/ui/display"
)

// Died is the error kind of a cell that was running when its kernel died. The kernel was killed, ran out of
// memory, or was ended by the Go runtime.
const Died engine.Kind = "KernelDied"

// The runner and the process of its kernel exchange JSON messages, one per line. Requests go to the process's
// standard input, and events come from its standard output. The process ends when its input ends.

// A request is a message from the runner of a notebook to the process of its kernel.
type request struct {
	Op     string `json:"op"` // run, interrupt, vars, set or call
	Name   string `json:"name,omitempty"`
	Source string `json:"source,omitempty"` // source of a cell, or text for a set or a call
	ID     string `json:"id,omitempty"`     // id of a cell
}

// An event is a message from the process of a kernel to the runner of the notebook. The event ready comes first, once
// the kernel is open. The process answers each request except interrupt with one done event. The other events carry
// output of cells.
type event struct {
	Op        string         `json:"op"`             // ready, done, stream, display, result or clear
	Cell      string         `json:"cell,omitempty"` // cell that made the output; it may have ended
	Name      string         `json:"name,omitempty"`
	Text      string         `json:"text,omitempty"`
	Data      map[string]any `json:"data,omitempty"`
	Metadata  map[string]any `json:"metadata,omitempty"`
	Transient map[string]any `json:"transient,omitempty"`
	Flag      bool           `json:"flag,omitempty"` // for a display, whether it is an update; for a clear, whether it waits for the next output
	Error     *engine.Error  `json:"error,omitempty"`
	Vars      []Variable     `json:"vars,omitempty"`
	Processor time.Duration  `json:"processor,omitempty"` // processor time of a cell
}

// A Process is a Kernel in its own process. Several Processes can run at once, a crash of one does not affect
// the others, and a cell that does not stop can be killed.
type Process struct {
	cmd    *exec.Cmd
	group  *procgroup.Group
	in     io.WriteCloser
	said   crashText // what the process wrote to its standard error
	events chan event
	ended  chan struct{} // closed when the process has ended and all its output has been read
	err    error         // how it ended; valid once ended is closed

	mu sync.Mutex // guards in

	processor time.Duration // processor time of the last cell

	// last is the output of the last cell, whose goroutines may still run.
	last     kernel.Output
	lastName string
}

// startTime is how long the process may take to open its kernel.
const startTime = 60 * time.Second

// Start starts cmd as a kernel. The program must call Serve.
func Start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, events: make(chan event, 64), ended: make(chan struct{})}
	var err error
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = &p.said
	cmd.WaitDelay = time.Second // in case a child process of a cell keeps standard error open
	// The runner controls the process, so Ctrl-C in a terminal must not reach the process.
	if p.group, err = procgroup.Start(cmd); err != nil {
		return nil, err
	}
	go p.read(out)
	select {
	case e, ok := <-p.events:
		switch {
		case !ok:
			<-p.ended
			return nil, p.death()
		case e.Op != "ready":
			p.Kill()
			return nil, fmt.Errorf("headless: the kernel's process sent %q instead of ready: %s", e.Op, e.Text)
		}
	case <-time.After(startTime):
		p.Kill()
		return nil, fmt.Errorf("headless: the kernel's process was not ready after %v", startTime)
	}
	return p, nil
}

// read decodes events from the standard output of the process, and passes them to p.events until the process ends.
func (p *Process) read(out io.Reader) {
	d := json.NewDecoder(bufio.NewReaderSize(out, 1<<16))
	d.UseNumber()
	for {
		var e event
		if err := d.Decode(&e); err != nil {
			if err != io.EOF {
				p.group.Kill() // the program is not a kernel, or the kernel died while writing an event
			}
			break
		}
		p.events <- e
	}
	p.err = p.cmd.Wait()
	close(p.ended)
	close(p.events)
}

func (p *Process) send(r request) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err = p.in.Write(append(b, '\n'))
	return err
}

// death returns an error that says how the process ended.
func (p *Process) death() *engine.Error {
	how := "its process ended unexpectedly"
	if p.err != nil {
		how = p.err.Error()
	}
	if cause := causeOf(p.said.String()); cause != "" {
		how = cause + " (" + how + ")"
	} else if strings.Contains(how, "signal: killed") {
		how += " (the system kills programs when memory runs out)"
	}
	return &engine.Error{Kind: Died, Message: "the kernel died: " + how}
}

// Execute runs a cell. When ctx is done, Execute asks the cell to stop.
func (p *Process) Execute(ctx context.Context, cell engine.Cell, out kernel.Output) error {
	e := p.ask(ctx, request{Op: "run", Name: cell.Name, ID: cell.ID, Source: cell.Source}, out)
	p.processor = e.Processor
	if e.Error == nil {
		return nil
	}
	return e.Error
}

// Processor returns the processor time of the last cell, or 0 if the process died while running it.
func (p *Process) Processor() time.Duration { return p.processor }

// ask sends the request r, waits until it is done, and returns the event that says so. Meanwhile ask passes the output
// of the requested cell to the given Output. Goroutines of the previous cell may still produce output, which goes to
// the previous cell's Output. When ctx is done, ask asks the cell to stop.
func (p *Process) ask(ctx context.Context, r request, out kernel.Output) event {
	p.send(r) // if the process has ended, p.events is closed
	stop := ctx.Done()
	for {
		select {
		case <-stop:
			stop = nil
			p.send(request{Op: "interrupt"})
		case e, ok := <-p.events:
			switch {
			case !ok:
				<-p.ended
				if text := p.said.String(); text != "" && out != nil {
					out.Stream("stderr", text)
				}
				return event{Op: "done", Error: p.death()}
			case e.Op == "done":
				if out != nil {
					p.last, p.lastName = out, r.Name
				}
				return e
			case out != nil && e.Cell == r.Name:
				e.show(out)
			case e.Cell == p.lastName && p.last != nil:
				e.show(p.last)
			}
		}
	}
}

// show passes an event to an output.
func (e event) show(out kernel.Output) {
	switch e.Op {
	case "stream":
		out.Stream(e.Name, e.Text)
	case "display":
		out.Display(display.Data{Data: e.Data, Metadata: e.Metadata, Transient: e.Transient}, e.Flag)
	case "result":
		out.Result(display.Data{Data: e.Data, Metadata: e.Metadata, Transient: e.Transient})
	case "clear":
		out.Clear(e.Flag)
	}
}

// Vars returns the session's variables.
func (p *Process) Vars() []Variable {
	return p.ask(context.Background(), request{Op: "vars"}, nil).Vars
}

// Set assigns a value to a variable and returns the variable's new description.
func (p *Process) Set(name, text string) (Variable, error) {
	e := p.ask(context.Background(), request{Op: "set", Name: name, Source: text}, nil)
	if e.Error != nil {
		return Variable{}, errors.New(e.Error.Message)
	}
	if len(e.Vars) != 1 {
		return Variable{}, fmt.Errorf("no variable %s", name)
	}
	return e.Vars[0], nil
}

// Call calls one of the functions that the process has passed to Serve, and returns its result. name is the function's
// name, and arg is the function's argument.
func (p *Process) Call(name, arg string) (string, error) {
	e := p.ask(context.Background(), request{Op: "call", Name: name, Source: arg}, nil)
	if e.Error != nil {
		return "", errors.New(e.Error.Message)
	}
	return e.Text, nil
}

// Terminal returns os.Stdout of the calling program, not the standard output of the kernel's process.
func (p *Process) Terminal() *os.File { return os.Stdout }

// Kill kills the process and all processes that its cells have started.
func (p *Process) Kill() {
	p.group.Kill()
	p.drain()
	<-p.ended
}

// drain reads and drops the remaining events, because the process may be blocked writing them.
func (p *Process) drain() {
	go func() {
		for range p.events {
		}
	}()
}

// rest passes on the output of goroutines that the last cell has left running. It returns when the channel end delivers
// a value, or when the process ends. It reports whether the process has ended.
func (p *Process) rest(end <-chan time.Time) (ended bool) {
	for {
		select {
		case e, ok := <-p.events:
			switch {
			case !ok:
				<-p.ended
				return true
			case p.last != nil && e.Cell == p.lastName:
				e.show(p.last)
			}
		case <-end:
			return false
		}
	}
}

// Close ends the process and all processes that its cells have left running.
func (p *Process) Close() error {
	p.mu.Lock()
	p.in.Close()
	p.mu.Unlock()
	if !p.rest(time.After(3 * time.Second)) {
		p.Kill()
	}
	p.group.Kill() // ends processes that cells have started and left running
	return nil
}
