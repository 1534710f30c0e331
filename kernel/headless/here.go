package headless

import (
	"context"
	"errors"
	"fmt"
	"os"

	"overcomplete/kernel"
	"overcomplete/kernel/engine"
)

// An InProcess is a kernel as package kernel opens it.
type InProcess interface {
	Execute(ctx context.Context, cell engine.Cell, out kernel.Output) error
	Session() engine.Session
	Terminal() *os.File
	Close() error
}

// Here makes of a function that opens a kernel in this process one for
// Options.New. The working directory is that of the process: one notebook can
// run at a time, and a cell that does not stop goes on.
func Here(open func() (InProcess, error)) func(folder string) (Kernel, error) {
	return func(folder string) (Kernel, error) {
		old, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		if err := os.Chdir(folder); err != nil {
			return nil, err
		}
		k, err := open()
		if err != nil {
			return nil, errors.Join(err, os.Chdir(old))
		}
		return &here{local{k}, old}, nil
	}
}

type here struct {
	local
	old string // the working directory before
}

func (h *here) Close() error { return errors.Join(h.local.Close(), h.leave()) }

// leave goes back to the folder from before.
func (h *here) leave() error { return os.Chdir(h.old) }

// A local is a kernel in this process whose variables can be told of.
type local struct{ InProcess }

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
