package provision

import (
	"context"
	"slices"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/needs"
	"overcomplete/kernel/modules"
)

// A Request is a cell that is about to run.
type Request struct {
	Cell  engine.Cell
	Needs needs.Needs
	// Whole reports whether all of the cell parses. It is called only if the cell needs a download.
	Whole func() bool
	// Stay is the reason why this program must not be replaced for this cell, or nil if it may be replaced.
	// The reason is that a replacement has failed, or has just taken place.
	Stay error
}

// A Replacement is the error that Prepare returns if another program must run the cell.
type Replacement struct {
	Program *modules.Program
	State   []byte // state for Resume in the new program
}

func (r *Replacement) Error() string {
	return "another program must run the cell: " + r.Program.Path
}

// Prepare executes a cell's %get lines and makes its imports importable, before any of the cell runs. The error is an
// *engine.Error or a *Replacement.
func (p *Provider) Prepare(ctx context.Context, r Request) error {
	p.carried = nil
	for _, n := range p.notices {
		p.say("%s", n)
	}
	p.notices = nil
	done := p.done
	p.done = nil
	if len(r.Needs.Gets) > 0 && r.Whole() {
		for _, c := range r.Needs.Gets {
			if !slices.Contains(done, c.Args) {
				if err := p.get(ctx, c.Args); err != nil {
					return p.commandError(ctx, r.Cell, c, err)
				}
			}
			p.carried = append(p.carried, c.Start)
			p.done = append(p.done, c.Args)
		}
	}
	err := p.imports(ctx, r)
	if _, replaced := err.(*Replacement); err == nil || !replaced {
		p.done = nil
	}
	return err
}

// imports makes the imports of a cell importable.
func (p *Provider) imports(ctx context.Context, r Request) error {
	var missing []needs.Import
	var own []string // the user's own packages in use, which may have changed
	var compiled []string
	for _, i := range r.Needs.Imports {
		switch {
		case !p.opt.Loader.Importable(i.Path):
			missing = append(missing, i)
		case slices.Contains(p.opt.Packages, i.Path) || len(p.used) > 0 && slices.Contains(p.used, i.Path):
			p.use(i.Path)
			own = append(own, i.Path)
		default:
			compiled = append(compiled, i.Path)
		}
	}
	if err := p.renew(ctx, own, r.Stay); err != nil {
		return p.importError(ctx, r, err)
	}
	if err := p.replaceForVersions(ctx, compiled, r); err != nil {
		return p.importError(ctx, r, err)
	}
	if len(missing) == 0 || !r.Whole() {
		return nil
	}
	env, err := p.env()
	if err != nil {
		return p.importError(ctx, r, err)
	}
	var paths []string
	for _, i := range missing {
		if !slices.Contains(paths, i.Path) && env.Foreign(i.Path) {
			paths = append(paths, i.Path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	if err := p.bring(ctx, env, paths, r.Stay); err != nil {
		return p.importError(ctx, r, err)
	}
	p.use(paths...)
	return nil
}
