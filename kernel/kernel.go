package kernel

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"overcomplete/internal/module"
	"overcomplete/kernel/bind"
	"overcomplete/kernel/engine"
	_ "overcomplete/kernel/internal/bindings" // the packages that cells can import
	"overcomplete/kernel/internal/builtin"
	"overcomplete/kernel/internal/callers"
	"overcomplete/kernel/internal/capture"
	"overcomplete/kernel/internal/ixengine"
	"overcomplete/kernel/internal/provision"
	"overcomplete/kernel/internal/render"
	"overcomplete/kernel/internal/stale"
	"overcomplete/kernel/magic"
	"overcomplete/ui/cell"
	"overcomplete/ui/display"
)

// displayPath is the path of the only package that cells can use without
// importing it.
var displayPath = module.Package("ui/display")

// Options are the options of New. The zero value is ready to use.
type Options struct {
	// Replaceable says that the caller of Execute can carry out a Replace.
	Replaceable bool
	// Resume and Declared are the State and the Declarations of the Replace that started this program. They are
	// nil if this program was started in another way.
	Resume   []byte
	Declared []engine.Cell
	// Modules opens the provider of packages of other modules, when a cell first needs it. The argument state
	// is the provider's State in the program that this one replaces, or nil. If Modules is nil, cells can
	// import only packages compiled into this program.
	Modules func(state []byte) (Modules, error)
	// Notebook is a name that identifies the notebook among all notebooks of this user. The packages compiled
	// for the notebook are recorded under this name, and Waiting returns them the next time. If it is "",
	// nothing is recorded.
	Notebook string
	// Interactive means that a user is watching and will restart the kernel if necessary. The kernel shows the
	// progress of slow steps. If this program cannot be replaced, the kernel compiles a program for the next
	// start.
	Interactive bool
	// Devices lists the devices that cells can use, for %gpu: the name, memory and driver of each. If Devices is nil,
	// there are no devices.
	Devices func() ([][3]string, error)
	// Refused lists import paths that cells cannot import although the packages are compiled in.
	Refused []string
}

// A Kernel runs cells and passes their output to an Output. Because it redirects the streams of the whole
// process, only one Kernel can be open at a time.
type Kernel struct {
	session engine.Session
	capture *capture.Capture
	restore func()

	commands     *builtin.Runner
	knowsDisplay bool                // see provideDisplay
	modules      *provision.Provider // nil if the kernel has no access to other modules
	versions     versions

	stdin *capture.Stdin

	noted      string   // the stale cells in the last note; see note
	undeclared []string // messages about Options.Declared, see reportUndeclared

	mu         sync.Mutex // guards inputState, out and calls to out's methods
	inputState inputState
	out        Output // Output of the running cell, or of the last cell if none runs
}

var (
	openMu sync.Mutex
	isOpen bool
)

// current returns the current import path of a package. The given path is the one in the cell, and may be outdated
// because a module has been renamed. If the package is one of o.Refused, current returns a path that does not exist.
func (o Options) current(path string) string {
	if now := bind.Current(path); !slices.Contains(o.Refused, now) {
		return now
	}
	return path + " (refused here)"
}

// New opens a kernel. Its session is empty except for the declarations in opt.Declared. New fails if another kernel is
// open in this process.
func New(opt Options) (*Kernel, error) {
	openMu.Lock()
	defer openMu.Unlock()
	if isOpen {
		return nil, errors.New("kernel: another kernel is open in this process")
	}
	k := &Kernel{}
	c, err := capture.Start(k.stream)
	if err != nil {
		return nil, err
	}
	k.capture = c
	suggest := k.suggest
	if opt.Modules == nil {
		suggest = nil // hints then mention only packages that are compiled in
	}
	session, err := ixengine.New(ixengine.Options{
		Stdout:      c.Writer(capture.Stdout),
		Stderr:      c.Writer(capture.Stderr),
		Background:  k.background,
		Current:     opt.current,
		Predeclared: map[string]string{"display": displayPath},
		Suggest:     suggest,
	})
	if err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	k.session = session
	k.commands = &builtin.Runner{
		Session: session, Stdout: c.Writer(capture.Stdout), Stderr: c.Writer(capture.Stderr),
		Show:    func(d display.Data) { k.publish(display.Event{Data: d}) },
		Rewrite: k.rewrite,
		Stale:   &stale.Tracker{},
		Devices: opt.Devices,
	}
	if k.stdin, err = capture.OpenStdin(); err != nil {
		return nil, errors.Join(err, c.Stop())
	}

	// If the process crashes, the trace must reach the terminal, not the kernel's own pipe.
	debug.SetCrashOutput(c.Original(capture.Stderr), debug.CrashOptions{})
	logged := log.Writer()
	log.SetOutput(c.Writer(capture.Stderr))
	published := display.SetPublisher(k.publish)
	rendered := display.SetRenderer(render.Value)
	asked := display.SetInput(k.ask)
	redirected := display.SetRedirect(k.redirect)
	worksFor := cell.SetContext(session.Context)
	started := cell.SetStart(session.Start)
	exited := cell.SetExit(session.Exit)
	panicked := cell.SetPanicked(session.Panicked)
	calls := callers.SetCells(session.Calls)
	k.restore = func() {
		callers.SetCells(calls)
		cell.SetPanicked(panicked)
		cell.SetExit(exited)
		cell.SetStart(started)
		cell.SetContext(worksFor)
		display.SetRedirect(redirected)
		display.SetInput(asked)
		display.SetRenderer(rendered)
		display.SetPublisher(published)
		log.SetOutput(logged)
		k.stdin.Close()
	}
	isOpen = true
	k.openModules(opt)
	k.declare(opt.Declared)
	return k, nil
}

// Session returns the session, which gives access to the variables.
func (k *Kernel) Session() engine.Session { return k.session }

// Debugger returns the session's debugger.
func (k *Kernel) Debugger() engine.Debugger { return k.session }

// Terminal returns the standard output that the process had before the kernel
// captured it.
func (k *Kernel) Terminal() *os.File { return k.capture.Original(capture.Stdout) }

// Execute runs one cell. When Execute returns, all output of the cell has been passed to the given Output, in order.
// The error is an *engine.Error, or possibly a *Replace if Options.Replaceable is set.
func (k *Kernel) Execute(ctx context.Context, cell engine.Cell, out Output) error {
	k.capture.Flush() // earlier cells' goroutines may have printed text that does not belong to this cell
	k.mu.Lock()
	k.out = out
	k.mu.Unlock()
	k.reportUndeclared(out)
	defer k.listen(ctx, out)()
	cell.Text = cell.Read()
	if err := k.prepare(ctx, cell); err != nil {
		k.settle()
		var r *Replace
		if !errors.As(err, &r) {
			k.note(cell, true)
		}
		return err
	}
	k.provideDisplay(ctx, cell.Text)
	values, err := k.commands.Execute(ctx, cell)
	k.settle()
	defer k.note(cell, isUndone(err) || magic.Formats(cell.Source))
	if err != nil {
		k.explain(err)
		return err
	}
	results, err := k.render(ctx, values)
	if err == nil && len(values) == 1 && len(results) == 0 && !cell.Text.EndsInCall() {
		// The value is a variable that is nil, so show it. A call that only returns a nil error shows nothing.
		results = []display.Data{display.Text(render.Text(nil))}
	}
	for _, d := range results {
		k.to(func(o Output) { o.Result(d) })
	}
	k.settle() // methods of the cell's types may have printed text
	return err
}

// explain replaces the hint of a nil pointer error if the nil pointer comes from a data frame that contains an error.
func (k *Kernel) explain(err error) {
	var e *engine.Error
	if !errors.As(err, &e) || e.Kind != engine.Panic || len(e.Hints) == 0 || len(e.Frames) == 0 || !strings.Contains(e.Message, "nil pointer") {
		return
	}
	line := e.Frames[0].Source
	for _, v := range k.session.Vars() {
		if strings.Contains(line, v.Name) {
			k.session.Peek(v.Name, func(pointer any) {
				if text := render.FrameFault(v.Name, reflect.ValueOf(pointer).Elem().Interface(), line); text != "" {
					e.Hints[0] = text
				}
			})
		}
	}
}

// render renders values for display. This can run methods of the cell's types, such as String, which, like any code
// in a cell, can panic, recurse without end, or have to be stopped.
func (k *Kernel) render(ctx context.Context, values []engine.Value) ([]display.Data, error) {
	if len(values) == 0 {
		return nil, nil
	}
	var results []display.Data
	var fault string
	if err := k.session.Call(ctx, func() { results, fault = render.Results(values) }); err != nil {
		return nil, err // a method that does not stop may still write to results
	}
	if ctx.Err() != nil {
		// Package fmt recovers the panic that stops a String method, and would print the panic as text.
		return nil, &engine.Error{Kind: engine.Interrupted, Message: engine.Stopped}
	}
	if fault != "" {
		return nil, &engine.Error{Kind: engine.Panic, Message: fault}
	}
	return results, nil
}

// Evaluate evaluates an expression and returns its rendered value. Text that the evaluation prints is not
// shown.
func (k *Kernel) Evaluate(ctx context.Context, expression string) (display.Data, error) {
	k.mu.Lock()
	out := k.out
	k.out = nil
	k.mu.Unlock()
	defer func() {
		k.capture.Flush()
		k.mu.Lock()
		k.out = out
		k.mu.Unlock()
	}()
	values, err := k.session.Run(ctx, engine.Cell{Name: "expression", Source: strings.TrimSuffix(expression, ";")})
	if err != nil {
		return display.Data{}, err
	}
	results, err := k.render(ctx, values)
	if err != nil {
		return display.Data{}, err
	}
	if len(results) == 0 {
		return display.Data{Data: map[string]any{"text/plain": ""}}, nil
	}
	return results[0], nil
}

// Close ends the redirection of the process's streams, so that another kernel can be opened. Goroutines of
// cells continue until they end.
func (k *Kernel) Close() error {
	openMu.Lock()
	defer openMu.Unlock()
	if k.restore == nil {
		return nil
	}
	k.restore()
	k.restore = nil
	isOpen = false
	var err error
	if k.modules != nil {
		err = k.modules.Close()
	}
	// Programs of native cells use the captured streams, so close these programs first.
	return errors.Join(err, k.versions.close(), k.commands.Close(), k.capture.Stop())
}

// StopGoroutines ends the goroutines that earlier cells have left running.
func (k *Kernel) StopGoroutines() { k.session.StopGoroutines() }

func (k *Kernel) to(f func(Output)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.out != nil {
		f(k.out)
	}
}

func (k *Kernel) stream(s capture.Stream, text string) {
	k.to(func(o Output) { o.Stream(s.String(), text) })
}

// publish passes an event of package display, such as a displayed value, to the current Output.
func (k *Kernel) publish(e display.Event) {
	k.capture.Flush() // text printed earlier must come first
	k.to(func(o Output) {
		if e.Clear {
			o.Clear(e.Wait)
			return
		}
		o.Display(e.Data, e.Update)
	})
}

// provideDisplay declares the function Display when a cell first uses it, because notebooks written for
// gophernotes call it without a package name.
func (k *Kernel) provideDisplay(ctx context.Context, text *magic.Text) {
	if k.knowsDisplay {
		return
	}
	used, declared := text.Mentions("Display")
	if !used && !declared {
		return
	}
	k.knowsDisplay = true
	if !declared { // if this fails, the cell reports an undefined name
		k.session.Run(ctx, engine.Cell{Name: "display", Source: "func Display(v any) error { return display.Display(v) }"})
	}
}

// background shows the given event, followed by its error e. The error is from code that no running cell waits for.
func (k *Kernel) background(event string, e *engine.Error) {
	k.commands.Quote(e)
	k.to(func(o Output) {
		o.Stream(capture.Stderr.String(), fmt.Sprintf("%s:\n%s\n", event, strings.Join(e.Traceback(), "\n")))
	})
}
