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

// Modules are the options for bringing packages of other modules into the kernels of notebooks. All cells of a
// notebook are searched for imports of such packages, which are compiled before the notebook's kernel starts.
// The versions are recorded in the notebook's metadata and used again in the next run. The options do not
// affect notebooks that import no other module.
type Modules struct {
	// Open opens the environment for a notebook in a folder. The parameter lock has the versions that the notebook
	// records. It is nil if the notebook records none.
	Open func(folder string, lock *modules.Lock) (kernel.Modules, error)
	// Start starts the kernel of a notebook as Options.New does. The parameter program is the file to run, or "" for
	// this program. The parameter state is passed to the kernel as its kernel.Options.Resume.
	Start func(folder, program string, state []byte) (Kernel, error)
	// Update ignores the recorded versions. Locked makes it an error if the versions of this run differ from the
	// recorded ones. With Locked, the environment that Open returns should not change the recorded versions either.
	Update, Locked bool
}

// wish returns the modules and packages that a notebook's cells require.
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
		w.Source = append(w.Source, n.Source...)
	}
	return w
}

// dropUnavailable removes from a wish the unavailable parts that an error names. If the error names none, it removes
// everything. It returns false if the wish was already empty.
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

// importable reports whether a kernel without other modules can import a package.
func importable(path string) bool { return path == "C" || bind.Name(bind.Current(path)) != "" }

// newKernel starts a kernel that has the packages of other modules that the notebook imports.
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
	// Without unavailable packages the kernel still starts, and the cells that import them fail.
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
	if plan.Lock == nil { // the notebook imports nothing from other modules
		return r.wrapStartError(r.opt.New(folder))
	}
	r.lock = &notebook.Lock{Mod: plan.Lock.Mod, Sum: plan.Lock.Sum}
	program := ""
	if plan.Program != nil {
		program = plan.Program.Path
	}
	return r.wrapStartError(m.Start(folder, program, plan.State))
}

// recorded returns the module versions recorded in the notebook. If there are none, it returns the versions in
// the output file of the last run, or nil.
func (r *run) recorded() *notebook.Lock {
	if l := r.nb.Lock(); l != nil {
		return l
	}
	if last, err := notebook.Read(r.to); err == nil {
		return last.Lock()
	}
	return nil
}

// unchanged returns an error if the recorded versions differ from the versions of this run.
func unchanged(recorded, now *modules.Lock) error {
	switch {
	case recorded == nil:
		return errors.New("the notebook does not record the versions of its modules, which --locked needs: run the notebook once without --locked")
	case *recorded != *now:
		return errors.New("the notebook's modules differ from those that it records, which --locked does not allow: run the notebook once without --locked, or with --update")
	}
	return nil
}

// wrapStartError wraps the error of a kernel that did not start.
func (r *run) wrapStartError(k Kernel, err error) (Kernel, error) {
	if err != nil {
		return nil, fmt.Errorf("%s: the kernel did not start: %w", r.name, err)
	}
	return k, nil
}

func (r *run) prepareError(err error) error {
	return fmt.Errorf("%s: %w", r.name, provision.Explained(err))
}

// progressFuncs returns two functions for the time before the kernel runs. say shows the current activity on a line of
// the board. end replaces that line with the outcome; "" means success.
func (r *run) progressFuncs() (say func(string), end func(string)) {
	var t *ticker
	last := ""
	say = func(text string) {
		what, _, counts := strings.Cut(text, " (") // the counts of packages would flood a log
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

// board returns w if it is a Board, or else a new Board on w.
func board(w io.Writer) *Board {
	if b, ok := w.(*Board); ok {
		return b
	}
	return NewBoard(w)
}
