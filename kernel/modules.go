package kernel

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/needs"
	"overcomplete/kernel/internal/provision"
	"overcomplete/kernel/magic"
	"overcomplete/kernel/modules"
	"overcomplete/ui/comm"
)

// Modules provides packages of other modules to cells. *modules.Env implements it.
type Modules = provision.Env

// openModules prepares the kernel for imports of other modules. If this program has replaced another one, openModules
// also loads the packages that the other program ran from source.
func (k *Kernel) openModules(opt Options) {
	if opt.Modules == nil {
		return
	}
	k.versions.open = opt.Modules
	packages, mods := modules.CompiledIn()
	k.modules = provision.New(provision.Options{
		Open: k.versions.opening, Loader: k.session, Held: k.sessionContents, Replaceable: opt.Replaceable, Interactive: opt.Interactive, Record: recordOf(opt.Notebook),
		Packages: packages, Modules: mods, Stdout: k.commands.Stdout, Stderr: k.commands.Stderr,
	})
	k.commands.Modules = k.modules
	if opt.Resume != nil {
		if err := k.modules.Resume(context.Background(), opt.Resume); err != nil {
			k.modules.Notice(fmt.Sprintf("some modules of this session are not in the new program: %v", err))
		}
	}
}

// Waiting returns the path of another program that should run a notebook's kernel instead of this program, because the
// other program contains the packages that the notebook used last. It returns "" if there is no such program. opener is
// a function as in Options.Modules.
func Waiting(notebook string, opener func(state []byte) (Modules, error)) string {
	if p := provision.Waiting(recordOf(notebook), opener); p != nil {
		return p.Path
	}
	return ""
}

// recordOf returns the path of the file that records the packages compiled for a notebook; the file need not exist. It
// returns "" if the notebook has no name, or the user has no cache folder.
func recordOf(notebook string) string {
	cache, err := os.UserCacheDir()
	if notebook == "" || err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(notebook))
	return filepath.Join(cache, "overcomplete", "modules", "next", hex.EncodeToString(sum[:12])+".json")
}

// prepare makes available the packages that a cell imports. The error is an *engine.Error or a *Replace.
func (k *Kernel) prepare(ctx context.Context, cell engine.Cell) error {
	if k.modules == nil || !needs.May(cell.Text) || magic.Formats(cell.Source) {
		return nil
	}
	n := needs.Of(cell.Text, k.commands.IsVariable)
	if n.None() {
		return nil
	}
	err := k.modules.Prepare(ctx, provision.Request{
		Cell: cell, Needs: n, Stay: Staying(ctx),
		Whole: func() bool { return needs.Whole(cell.Text, k.commands.IsVariable) },
	})
	var r *provision.Replacement
	if errors.As(err, &r) {
		return &Replace{Program: r.Program.Path, State: r.State, Declarations: k.withCurrentIDs(k.session.Declarations())}
	}
	return err
}

// sessionContents briefly names the parts of the session that would be lost if another program replaced this one. It
// returns "" if nothing would be lost.
func (k *Kernel) sessionContents() string {
	var names []string
	for _, v := range k.session.Vars() {
		if !strings.HasSuffix(v.Name, "__") { // names that end in __ are the kernel's own
			names = append(names, v.Name)
		}
	}
	var what []string
	switch n := len(names); {
	case n == 1:
		what = append(what, "the variable "+names[0])
	case n > 3:
		what = append(what, fmt.Sprintf("the variables %s and %d more", strings.Join(names[:2], ", "), n-2))
	case n > 1:
		what = append(what, "the variables "+strings.Join(names[:n-1], ", ")+" and "+names[n-1])
	}
	if len(k.session.Goroutines()) > 0 {
		what = append(what, "goroutines")
	}
	if k.commands.Programs() > 0 {
		what = append(what, "functions of %%native cells")
	}
	if m := comm.Current(); m != nil {
		for range m.Info("") {
			what = append(what, "widgets")
			break
		}
	}
	return strings.Join(what, " and ")
}

// Versions says which go.mod or go.work file determines the versions of the notebook's modules. The results are those
// of the method Versions of modules.Env. Completion and inspection use them. Versions may be called at any time, even
// while a cell runs, and returns at once.
func (k *Kernel) Versions() (file, mod string, rules bool) { return k.versions.ask() }

// suggest returns advice for a cell that uses a package of the given name but neither imports it nor can import it. It
// returns "" if nothing is known about the package. It is called only while a cell is being checked, when nothing else
// uses k.modules.
func (k *Kernel) suggest(name string) string {
	if k.modules == nil {
		return ""
	}
	return k.modules.Hint(name)
}

// A versions asks the kernel's Modules where the versions of modules come from. Completion may need an answer before
// the first import has opened these Modules. In that case it opens Modules of its own, called the fallback. The
// fallback finds the same go.mod or go.work file.
type versions struct {
	open func(state []byte) (Modules, error) // nil if the kernel has no access to other modules

	mu       sync.Mutex
	opened   Modules // opened by the kernel
	fallback Modules // opened by ask
	failed   bool
}

// opening calls the function v.open and also stores the opened Modules in v.
func (v *versions) opening(state []byte) (Modules, error) {
	m, err := v.open(state)
	if err == nil {
		v.mu.Lock()
		v.opened = m
		v.mu.Unlock()
	}
	return m, err
}

func (v *versions) ask() (file, mod string, rules bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.opened
	if m == nil {
		if v.fallback == nil && v.open != nil && !v.failed {
			var err error
			v.fallback, err = v.open(nil)
			v.failed = err != nil
		}
		m = v.fallback
	}
	if m != nil {
		return m.Versions()
	}
	return "", "", true // the kernel has no access to other modules, or they cannot be opened
}

// close closes the fallback, if the method ask has opened it.
func (v *versions) close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.fallback == nil {
		return nil
	}
	err := v.fallback.Close()
	v.fallback, v.failed = nil, true
	return err
}
