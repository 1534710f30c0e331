package headless

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"overcomplete/kernel"
	"overcomplete/kernel/bind"
	"overcomplete/kernel/internal/needs"
	"overcomplete/kernel/internal/provision"
	"overcomplete/kernel/magic"
	"overcomplete/kernel/modules"
	"overcomplete/kernel/notebook"
)

// Modules brings packages of other modules into kernels of notebooks. All cells of a notebook are searched for
// imports, which are compiled before its kernel starts. The versions are recorded in the notebook's metadata
// and used again the next time. Notebooks that import no other module run as without Modules.
type Modules struct {
	// Open opens the environment for a notebook in a folder; lock holds the versions that the notebook records,
	// nil if it records none.
	Open func(folder string, lock *modules.Lock) (kernel.Modules, error)
	// Start starts the kernel of a notebook as Options.New does. program is the file to run, "" for this
	// program, and state is its kernel.Options.Resume.
	Start func(folder, program string, state []byte) (Kernel, error)
	// Update ignores the recorded versions. Locked makes it an error if the versions to record differ; Open
	// should refuse them too.
	Update, Locked bool
}

// wish returns the modules and packages that a notebook's cells ask for.
func wish(nb *notebook.Notebook) (w provision.Wish) {
	for _, c := range nb.Cells {
		if isSkipped(c) {
			continue
		}
		n := needs.Of(magic.Read(c.Source), nil)
		for _, g := range slices.Concat(n.Gets, n.LaterGets) {
			w.Gets = append(w.Gets, g.Args)
		}
		for _, i := range n.Imports {
			w.Imports = append(w.Imports, i.Path)
		}
		for _, i := range n.Native {
			w.Native = append(w.Native, i.Path)
		}
	}
	return w
}

// dropUnavailable removes the unavailable parts named by an error from a wish, or everything if the error names
// none, and reports whether the wish had any parts.
func dropUnavailable(w *provision.Wish, err error) bool {
	size := func() int { return len(w.Gets) + len(w.Imports) + len(w.Native) }
	before := size()
	var fault *modules.Error
	if errors.As(err, &fault) {
		what, _, _ := strings.Cut(fault.What, "@")
		bad := func(args string) bool {
			path, _, _ := strings.Cut(args, "@")
			return path == what || strings.HasPrefix(path, what+"/") || strings.HasPrefix(what, path+"/")
		}
		w.Gets = slices.DeleteFunc(w.Gets, bad)
		w.Imports = slices.DeleteFunc(w.Imports, bad)
		w.Native = slices.DeleteFunc(w.Native, bad)
	}
	if size() == before {
		*w = provision.Wish{}
	}
	return before > 0
}

// importable reports whether a plain kernel can import a package.
func importable(path string) bool { return path == "C" || bind.Name(bind.Current(path)) != "" }

// newKernel starts the kernel, with the packages of other modules that the notebook imports.
func (r *run) newKernel(ctx context.Context, folder string) (Kernel, error) {
	m := r.opt.Modules
	w := wish(r.nb)
	missing := func(path string) bool { return !importable(path) }
	if m == nil || len(w.Gets) == 0 && !slices.ContainsFunc(w.Imports, missing) && !slices.ContainsFunc(w.Native, missing) {
		return r.wrapStartError(r.opt.New(folder))
	}
	var recorded *modules.Lock
	if l := r.recorded(); l != nil && !m.Update {
		recorded = &modules.Lock{Mod: l.Mod, Sum: l.Sum}
	}
	env, err := m.Open(folder, recorded)
	if err != nil {
		return nil, r.prepareError(err)
	}
	defer env.Close()
	say, end := r.progressFuncs()
	plan, err := provision.Decide(ctx, env, w, recorded, importable, say)
	// Unavailable packages are left to fail in the cells that import them.
	for err != nil && r.opt.AllowErrors && !m.Locked && ctx.Err() == nil && dropUnavailable(&w, err) {
		plan, err = provision.Decide(ctx, env, w, recorded, importable, say)
	}
	if err == nil && plan.Lock != nil && m.Locked {
		err = unchanged(recorded, plan.Lock)
	}
	if err != nil {
		end("failed")
		return nil, r.prepareError(err)
	}
	end("")
	if plan.Lock == nil { // it imports nothing from another module
		return r.wrapStartError(r.opt.New(folder))
	}
	r.lock = &notebook.Lock{Mod: plan.Lock.Mod, Sum: plan.Lock.Sum}
	program := ""
	if plan.Program != nil {
		program = plan.Program.Path
	}
	return r.wrapStartError(m.Start(folder, program, plan.State))
}

// recorded returns the versions recorded in the notebook or, if it was not overwritten, in the output of the
// last run; nil if there are none.
func (r *run) recorded() *notebook.Lock {
	if l := r.nb.Lock(); l != nil {
		return l
	}
	if last, err := notebook.Read(r.to); err == nil {
		return last.Lock()
	}
	return nil
}

// unchanged returns an error if the recorded versions differ from those to record now.
func unchanged(recorded, now *modules.Lock) error {
	switch {
	case recorded == nil:
		return errors.New("the notebook records no versions of the modules that it imports: run it once without --locked")
	case *recorded != *now:
		return errors.New("the notebook's modules are not those that it records, and --locked refuses that: run it once without --locked, or with --update")
	}
	return nil
}

// wrapStartError and prepareError wrap an error: the kernel did not start, or could not be prepared.
func (r *run) wrapStartError(k Kernel, err error) (Kernel, error) {
	if err != nil {
		return nil, fmt.Errorf("%s: the kernel did not start: %w", r.name, err)
	}
	return k, nil
}

func (r *run) prepareError(err error) error {
	return fmt.Errorf("%s: %w", r.name, provision.Explained(err))
}

// progressFuncs returns a function that shows on the board what is going on before the kernel runs, and one
// that ends this with a word on the outcome; "" means success.
func (r *run) progressFuncs() (say func(string), end func(string)) {
	var t *ticker
	last := ""
	say = func(text string) {
		what, _, counts := strings.Cut(text, " (") // counts of packages would flood a log
		if t == nil {
			w := r.opt.Progress
			if w == nil {
				w = os.Stdout
			}
			t = board(w).ticker(r.name, r.start)
		}
		if what == last && counts && !t.board.tty {
			return
		}
		last = what
		t.cell(1, 0, text)
	}
	end = func(how string) {
		if t == nil {
			return
		}
		if how == "" {
			how = strings.Replace(last, "compiling", "compiled", 1)
		}
		t.finish(how)
	}
	return say, end
}

// board returns w if it is a board, otherwise a new board on w.
func board(w io.Writer) *Board {
	if b, ok := w.(*Board); ok {
		return b
	}
	return NewBoard(w)
}
