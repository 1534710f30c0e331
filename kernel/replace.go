package kernel

import (
	"context"
	"fmt"
	"time"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/capture"
	"overcomplete/kernel/internal/stale"
)

// A Replace is the error that Execute returns if another program must run the cell, because that program contains the
// packages that the cell imports. No part of the cell has run. The caller then replaces this program with the other
// one, and passes State and Declarations to it as Options.Resume and Options.Declared. The other program runs the cell
// from the beginning. If the replacement fails, the caller calls Execute again, with a context from Stay.
type Replace struct {
	Program      string        // path of the executable file of the other program
	State        []byte        // for Options.Resume of the other program
	Declarations []engine.Cell // for Options.Declared of the other program
}

// Error returns a message that says that the program could not be replaced. The user sees it if the caller does not
// handle a Replace.
func (r *Replace) Error() string {
	return fmt.Sprintf("this cell needs the program %s, and this kernel cannot be replaced by it: restart the kernel and run the cell again", r.Program)
}

type stayKey struct{}

// Stay returns a context with which Execute never returns a Replace. It is used after a replacement has failed, and in
// a program that has just been started for the cell. The argument why gives the reason, as an error whose message is a
// sentence.
func Stay(ctx context.Context, why error) context.Context {
	return context.WithValue(ctx, stayKey{}, why)
}

// Staying returns the reason that was given to Stay. It returns nil if ctx carries no such reason; then Execute may
// return a Replace, provided that Options.Replaceable is set.
func Staying(ctx context.Context) error {
	why, _ := ctx.Value(stayKey{}).(error)
	return why
}

// declare runs the declarations of cells that ran in an earlier program, which this one has replaced. It drops their
// output. The first cell that runs afterwards reports failures; see reportUndeclared.
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

// withCurrentIDs sets the ID of each element of cells to the id under which that cell last ran, and returns cells.
func (k *Kernel) withCurrentIDs(cells []engine.Cell) []engine.Cell {
	for i, c := range cells {
		cells[i].ID = k.commands.Stale.ID(c.Name)
	}
	return cells
}

// reportUndeclared writes the failures of declare to the given Output, and forgets them.
func (k *Kernel) reportUndeclared(out Output) {
	for _, text := range k.undeclared {
		out.Stream(capture.Stderr.String(), text)
	}
	k.undeclared = nil
}

// Lend restores the standard streams that the process had before New, because another program is about to replace this
// program. Before it restores the streams, Lend passes on all text that cells have printed. The rest of the Kernel
// stays usable. If the program is not replaced after all, the returned function takeBack undoes Lend.
func (k *Kernel) Lend() (takeBack func() error, err error) {
	k.settle()
	return k.capture.Lend()
}
