package headless

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"overcomplete/internal/cputime"
	"overcomplete/kernel/internal/render"
	"overcomplete/kernel/notebook"
	"overcomplete/ui/cell"
	"overcomplete/ui/display"
)

// A Panic is a panic in a function called by Direct.
type Panic struct {
	Value any
	// Stack lists the calls up to the panic, innermost first, such as "paper/x/table2.go:131 Lab.Table2".
	Stack []string
}

// Error returns the text of the panic's value.
func (p *Panic) Error() string { return fmt.Sprint(p.Value) }

// Unwrap returns the panic's value if it is an error, and nil otherwise.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Direct calls a compiled function in this process, without a kernel. It returns what the function displayed and
// printed, followed by its result, as notebook outputs. Only one call may run at a time, because Direct replaces
// os.Stdout and os.Stderr during the call.
//
// If the function panics, the error is a *Panic. If the function is still running two seconds after ctx is done,
// Direct abandons it and returns the error of ctx. The function then goes on running in this process, which should
// therefore end soon.
func Direct(ctx context.Context, do func() any) ([]notebook.Output, Cost, error) {
	shown := &notebook.Cell{}
	out := &sink{collector: newCollector(), cell: shown, count: 1}
	published := display.SetPublisher(func(e display.Event) {
		if e.Clear {
			out.Clear(e.Wait)
			return
		}
		out.Display(e.Data, e.Update)
	})
	rendered := display.SetRenderer(render.Value)
	worksFor := cell.SetContext(func() context.Context { return ctx })
	defer func() {
		cell.SetContext(worksFor)
		display.SetRenderer(rendered)
		display.SetPublisher(published)
		out.close()
	}()
	stdout, err := printed(&os.Stdout, "stdout", out)
	if err != nil {
		return nil, Cost{}, err
	}
	stderr, err := printed(&os.Stderr, "stderr", out)
	if err != nil {
		stdout(false)
		return nil, Cost{}, err
	}
	begin, before := time.Now(), cputime.Used()
	ended := make(chan error, 1)
	go func() { ended <- direct(do, out, func() { stdout(true); stderr(true) }) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		select {
		case err = <-ended:
		case <-time.After(stopsWithin):
			stdout(false)
			stderr(false)
			return nil, Cost{}, ctx.Err()
		}
	}
	cost := Cost{Wall: time.Since(begin), Processor: cputime.Used() - before}
	out.mu.Lock()
	defer out.mu.Unlock()
	return shown.Outputs, cost, err
}

// stopsWithin is how long a compiled function may run after its context is done.
const stopsWithin = 2 * time.Second

// direct calls fn() and adds the result to the given sink. Before adding it, direct calls flush(), which passes on the
// text that fn has printed.
func direct(fn func() any, out *sink, flush func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{v, places()}
			flush()
		}
	}()
	v := fn()
	display.Flush()
	d := render.Value(v)
	flush()
	out.Result(d)
	return nil
}

// printed replaces *file with a pipe. Text that arrives in the pipe is passed on to the given sink, as output of the
// stream with the given name. The call restore(wait) restores *file. If wait is true, the call also closes the pipe and
// waits until all text has arrived. wait must be false if the function that prints may still be running.
func printed(file **os.File, name string, out *sink) (restore func(wait bool), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	old := *file
	*file = w
	done := make(chan struct{})
	go func() {
		defer close(done)
		b := make([]byte, 4096)
		for {
			n, err := r.Read(b)
			out.Stream(name, string(b[:n]))
			if err != nil {
				r.Close()
				return
			}
		}
	}()
	return func(wait bool) {
		*file = old
		if wait {
			w.Close()
			<-done
		}
	}, nil
}

// places returns the stack of a panic, up to the function given to Direct.
func places() []string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	var list []string
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, "headless.direct") || !more {
			return list
		}
		if strings.HasPrefix(f.Function, "runtime.") || strings.HasPrefix(f.Function, "reflect.") {
			continue
		}
		name := f.Function[strings.LastIndex(f.Function, "/")+1:]
		list = append(list, fmt.Sprintf("%s:%d %s", f.File, f.Line, name))
	}
}
