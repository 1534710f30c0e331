package kernel

import (
	"context"
	"fmt"
	"time"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/capture"
	"overcomplete/kernel/internal/stale"
)

// A Replace is the error of Execute if another program must run the cell, because that program contains the
// packages that the cell imports. No part of the cell has run. The caller replaces this program by the other
// one, passing State and Declarations on as its Options.Resume and Options.Declared. The other program runs the
// cell from the beginning. If the replacement fails, the caller calls Execute again with a context from Stay.
type Replace struct {
	Program      string        // path of the executable file of the other program
	State        []byte        // for Options.Resume of the other program
	Declarations []engine.Cell // for Options.Declared of the other program
}

// Error says that the program was not replaced. It is shown if the caller does not handle a Replace.
func (r *Replace) Error() string {
	return fmt.Sprintf("this cell needs the program %s, and this kernel cannot be replaced by it: restart the kernel and run the cell again", r.Program)
}

type stayKey struct{}

// Stay returns a context in which Execute must not return a Replace, because this program could not be replaced
// or has just been started for the cell. The error why gives the reason as a sentence.
func Stay(ctx context.Context, why error) context.Context {
	return context.WithValue(ctx, stayKey{}, why)
}

// Staying returns the reason given to Stay. It returns nil if ctx permits a Replace, for which
// Options.Replaceable must also be set.
func Staying(ctx context.Context) error {
	why, _ := ctx.Value(stayKey{}).(error)
	return why
}

// declare runs declarations of cells that an earlier program has run, and drops their output. Failures are
// reported later, with the output of the first cell.
func (k *Kernel) declare(cells []engine.Cell) {
	for _, c := range cells {
		if _, err := k.session.Run(context.Background(), c); err != nil {
			k.undeclared = append(k.undeclared, fmt.Sprintf("%s: its declarations are not there any more: %v\n", c.Name, err))
			continue
		}
		k.commands.Stale.Ran(stale.Run{ID: c.ID, Name: c.Name, Source: c.Source, At: time.Now()}, sessionTracer{k.session})
	}
	k.capture.Flush()
}

// withCurrentIDs sets the ID of each cell to the id under which the cell last ran.
func (k *Kernel) withCurrentIDs(cells []engine.Cell) []engine.Cell {
	for i, c := range cells {
		cells[i].ID = k.commands.Stale.ID(c.Name)
	}
	return cells
}

// reportUndeclared reports the failures of declare, once.
func (k *Kernel) reportUndeclared(out Output) {
	for _, text := range k.undeclared {
		out.Stream(capture.Stderr.String(), text)
	}
	k.undeclared = nil
}

// Lend restores the standard streams that the process had before New, for a program that will replace this one.
// The rest of the Kernel stays usable. Lend first passes on text that cells have printed. If the program is not
// replaced after all, the returned function takeBack undoes Lend.
func (k *Kernel) Lend() (takeBack func() error, err error) {
	k.settle()
	return k.capture.Lend()
}
