package builtin

import (
	"context"
	"errors"
	"fmt"
	"go/scanner"
	"os"
	"slices"
	"strings"
	"time"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/native"
)

// native compiles the cell and declares its functions in the session. Each of them is then an ordinary function of the
// session, which later cells can redeclare. Its body calls the compiled function through a hidden variable.
func (c *call) native(ctx context.Context) ([]engine.Value, error) {
	r := c.runner
	begin := time.Now()
	// The streams are the process's own, which the kernel has captured, so text that a function prints
	// arrives before the function returns.
	opt := native.Options{Stdout: os.Stdout, Stderr: os.Stderr}
	if r.Modules != nil {
		opt.Command = r.Modules.Command
	}
	p, err := native.Build(ctx, c.cell.Name, c.code, opt)
	if err != nil {
		var list scanner.ErrorList
		switch {
		case ctx.Err() != nil:
			return nil, interrupted()
		case errors.As(err, &list):
			e := syntaxError(c.cell, list)
			e.Kind = engine.Type
			return nil, e
		}
		return nil, err
	}
	var names []string
	for _, f := range p.Funcs {
		names = append(names, f.Name)
		variable := f.Name + "_native" + hidden
		if err := r.provide(ctx, variable, "func"+f.Signature, p.Make(f, r.running)); err != nil {
			return nil, errors.Join(err, p.Close())
		}
		do := variable + "(" + f.Args + ")"
		if f.Type.NumOut() > 0 {
			do = "return " + do
		}
		source := fmt.Sprintf("func %s%s { %s }", f.Name, f.Signature, do)
		if _, err := r.Session.Run(ctx, engine.Cell{Name: ownCell, Source: source}); err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	r.programs = append(r.programs, p)
	r.closeReplaced(p)
	text := fmt.Sprintf("compiled in %s: %s\n", duration(float64(time.Since(begin))), strings.Join(names, ", "))
	if len(p.Private) > 0 {
		text += "cannot be called from other cells: " + strings.Join(p.Private, ", ") + "\n"
	}
	fmt.Fprint(r.Stdout, text)
	return nil, nil
}

// closeReplaced closes each program whose functions have all been replaced by functions of newer programs. It does not
// close p, the newest program.
func (r *Runner) closeReplaced(p *native.Program) {
	newer := map[string]bool{}
	for i := len(r.programs) - 1; i >= 0; i-- {
		old := r.programs[i]
		if old != p && !slices.ContainsFunc(old.Funcs, func(f native.Func) bool { return !newer[f.Name] }) {
			old.Close()
			r.programs = slices.Delete(r.programs, i, i+1)
		}
		for _, f := range old.Funcs {
			newer[f.Name] = true
		}
	}
}

// running returns the context of the running cell, or one that never ends if no cell is running.
func (r *Runner) running() context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx == nil {
		return context.Background()
	}
	return r.ctx
}

// setRunning sets the context of the running cell. After a cell has ended, the context is set to one that never ends.
func (r *Runner) setRunning(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ctx = ctx
}

// Programs returns the number of programs that were compiled from native cells and have not been closed.
func (r *Runner) Programs() int { return len(r.programs) }

// Close ends the programs compiled from native cells.
func (r *Runner) Close() error {
	var err error
	for _, p := range r.programs {
		err = errors.Join(err, p.Close())
	}
	r.programs = nil
	return err
}
