package headless

import (
	"context"
	"errors"
	"fmt"
	"os"

	"overcomplete/kernel"
	"overcomplete/kernel/engine"
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
