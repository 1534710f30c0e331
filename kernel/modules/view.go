package modules

import (
	"cmp"
	"context"
	gover "go/version"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"
)

// A view determines how to run the go command so that it uses the versions of an Env and never writes to the
// user's files.
type view struct {
	go_   *toolchainChoice
	dir   string
	env   []string
	flags []string // flags for go list, build and get
	own   bool     // dir has the Env's own go.mod
}

// ownModule is the module path of a notebook without a go.mod.
const ownModule = "notebook.invalid"

// view returns the view for the versions of this Env. It writes the go.mod, go.sum or go.work that the view needs into
// the Env's temporary folder. The caller holds e.mu.
func (e *Env) view(ctx context.Context) (*view, error) {
	c, err := e.choose(ctx)
	if err != nil {
		return nil, err
	}
	if err := e.refresh(ctx); err != nil {
		return nil, err
	}
	v := &view{go_: c, env: []string{"GOTOOLCHAIN=" + c.toolchain, "GO111MODULE=on", "CGO_ENABLED=" + zeroOrOne(e.cgo)}}
	switch e.ruling.kind {
	case none:
		v.dir, err = e.folder()
		if err != nil {
			return nil, err
		}
		v.own = true
		v.env = append(v.env, "GOWORK=off")
		v.flags = []string{"-mod=mod"}
		err = e.writeMod(v.dir, cmp.Or(e.mod, emptyMod()))
	case goMod:
		v.dir = e.ruling.dir
		v.env = append(v.env, "GOWORK=off")
		if e.mod == "" {
			// The go command chooses between readonly and vendor; with -mod=mod it would write.
			if strings.Contains(c.flags, "-mod=mod") {
				v.flags = []string{"-mod=readonly"}
			}
			break
		}
		var dir string
		if dir, err = e.folder(); err != nil {
			return nil, err
		}
		v.flags = []string{"-modfile=" + filepath.Join(dir, "go.mod"), "-mod=readonly"}
		err = e.writeMod(dir, e.mod)
	case goWork:
		v.dir = e.ruling.dir
		err = e.workspace(v)
	}
	return v, err
}

func zeroOrOne(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// emptyMod returns the go.mod of a notebook without requirements. If a module needs a newer language version than this
// go.mod gives, the go command changes the go.mod.
func emptyMod() string { return "module " + ownModule + "\n\ngo 1.21\n" }

// writeMod writes the Env's go.mod and go.sum into a folder.
func (e *Env) writeMod(dir, mod string) error {
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), []byte(e.sum), 0o666)
}

// readMod reads this Env's go.mod and go.sum back from dir, where the go command has changed them.
func (e *Env) readMod(dir string) error {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	e.mod, e.sum = string(mod), string(sum)
	return nil
}

// workspace writes a copy of the ruling go.work, with absolute paths, into the Env's temporary folder, and makes v use
// it. If the Env has a go.mod of its own, with pins, the copy also uses a module with this go.mod.
func (e *Env) workspace(v *view) error {
	dir, err := e.folder()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(e.ruling.file)
	if err != nil {
		return err
	}
	w, err := modfile.ParseWork(e.ruling.file, text, nil)
	if err != nil {
		return err
	}
	for _, use := range append([]*modfile.Use(nil), w.Use...) {
		path := use.Path
		w.DropUse(path)
		w.AddUse(filepath.ToSlash(absolute(e.ruling.dir, path)), use.ModulePath)
	}
	for _, r := range append([]*modfile.Replace(nil), w.Replace...) {
		if r.New.Version == "" {
			if err := w.AddReplace(r.Old.Path, r.Old.Version, absolute(e.ruling.dir, r.New.Path), ""); err != nil {
				return err
			}
		}
	}
	if e.mod != "" {
		pins := filepath.Join(dir, "pins")
		if err := os.MkdirAll(pins, 0o777); err != nil {
			return err
		}
		if err := e.writeMod(pins, e.mod); err != nil {
			return err
		}
		w.AddUse(filepath.ToSlash(pins), ownModule)
		f, err := modfile.Parse("go.mod", []byte(e.mod), nil)
		if err != nil {
			return err
		}
		if f.Go != nil && (w.Go == nil || gover.Compare("go"+f.Go.Version, "go"+w.Go.Version) > 0) {
			if err := w.AddGoStmt(f.Go.Version); err != nil {
				return err
			}
		}
	}
	w.Cleanup()
	if err := os.WriteFile(filepath.Join(dir, "go.work"), modfile.Format(w.Syntax), 0o666); err != nil {
		return err
	}
	sum, err := os.ReadFile(e.ruling.file + ".sum")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.work.sum"), sum, 0o666)
	}
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	v.env = append(v.env, "GOWORK="+filepath.Join(dir, "go.work"))
	if strings.Contains(v.go_.flags, "-mod=") { // a workspace allows only readonly and vendor
		v.flags = []string{"-mod=readonly"}
	}
	return nil
}

// run runs the go command. If the command fails, run returns an error about the path, or path@version, given by what;
// see classify.
func (v *view) run(ctx context.Context, what string, args ...string) ([]byte, error) {
	out, said, err := execute(ctx, v.go_.command, v.dir, v.env, args...)
	if err == nil || ctx.Err() != nil {
		return out, err
	}
	return out, classify(what, cmp.Or(strings.TrimSpace(said), err.Error()))
}

var tagsFlag = regexp.MustCompile(`(?:^|\s)'?--?tags=([^\s']*)`)

// tags returns the user's build tags, which apply to all builds, and the given tags.
func (c *toolchainChoice) tags(more ...string) string {
	if m := tagsFlag.FindAllStringSubmatch(c.flags, -1); m != nil {
		more = append(more, m[len(m)-1][1])
	}
	return strings.Trim(strings.Join(more, ","), ",")
}
