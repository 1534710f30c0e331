package headless

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"overcomplete/kernel"
	"overcomplete/kernel/engine"
	"overcomplete/ui/display"
)

// An InProcess is a kernel in this process, as opened by package kernel.
type InProcess interface {
	Execute(ctx context.Context, cell engine.Cell, out kernel.Output) error
	Session() engine.Session
	Terminal() *os.File
	Close() error
}

// Here returns a function for Options.New that opens a kernel in this process by calling opener(). The kernel uses the
// working directory of the process, so only one notebook can run at a time. A cell that does not stop cannot be killed.
func Here(opener func() (InProcess, error)) func(folder string) (Kernel, error) {
	return func(folder string) (Kernel, error) {
		old, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		if err := os.Chdir(folder); err != nil {
			return nil, err
		}
		k, err := opener()
		if err != nil {
			return nil, errors.Join(err, os.Chdir(old))
		}
		return &here{local{k}, old}, nil
	}
}

type here struct {
	local
	old string // the working directory to restore
}

func (h *here) Close() error { return errors.Join(h.local.Close(), h.leave()) }

// leave restores the working directory.
func (h *here) leave() error { return os.Chdir(h.old) }

// A local is a kernel in this process that can describe its variables.
type local struct{ InProcess }

// Execute runs a cell, with an Output that can redirect output to an area (see withAreas).
func (l local) Execute(ctx context.Context, cell engine.Cell, out kernel.Output) error {
	return l.InProcess.Execute(ctx, cell, &withAreas{Output: out})
}

func (l local) Vars() []Variable {
	var list []Variable
	for _, v := range l.Session().Vars() {
		list = append(list, asVariable(v))
	}
	return list
}

func (l local) Set(name, text string) (Variable, error) {
	if err := l.Session().Set(name, text); err != nil {
		return Variable{}, err
	}
	for _, v := range l.Session().Vars() {
		if v.Name == name {
			return asVariable(v), nil
		}
	}
	return Variable{}, fmt.Errorf("no variable %s", name)
}

func asVariable(v engine.Variable) Variable {
	return Variable{Name: v.Name, Type: v.Type, Addr: fmt.Sprintf("%p", v.Addr), Literal: literal(v)}
}

// A withAreas is the Output of one cell. It is also a kernel.Redirecter: the cell's output can go to a display.Area, a
// separate place for output. widget.Interact needs this for the output that it computes for a page.
type withAreas struct {
	kernel.Output

	mu   sync.Mutex
	area display.Area // receives the output instead, if not nil
}

func (o *withAreas) Redirect(a display.Area) (before display.Area) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before, o.area = o.area, a
	return before
}

// to returns the area that receives the output, or nil if there is none.
func (o *withAreas) to() display.Area {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.area
}

func (o *withAreas) Stream(name, text string) {
	if a := o.to(); a != nil {
		a.Stream(name, text)
		return
	}
	o.Output.Stream(name, text)
}

// Display shows d in the area, or in the cell if output is not redirected. An update goes to both, because the output
// that it replaces may be in either.
func (o *withAreas) Display(d display.Data, update bool) {
	a := o.to()
	if a != nil {
		a.Display(d, update)
	}
	if a == nil || update {
		o.Output.Display(d, update)
	}
}

func (o *withAreas) Clear(wait bool) {
	if a := o.to(); a != nil {
		a.Clear(wait)
		return
	}
	o.Output.Clear(wait)
}
