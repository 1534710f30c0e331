package modules

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
)

// A state holds everything that another program needs to continue with an Env.
type state struct {
	Options Options
	Off     bool
	Cgo     bool
	Base    string
	Mod     string
	Sum     string
	Pins    map[string]string
	Seen    map[string]localPackage
}

// State returns the state of this Env, for Resume in another program.
func (e *Env) State() ([]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return json.Marshal(state{e.opt, e.off, e.cgo, e.base, e.mod, e.sum, e.pins, e.seen})
}

// Resume returns an Env that continues from the given text, which is a result of State.
func Resume(text []byte) (*Env, error) {
	var s state
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	e, err := Open(s.Options)
	if err != nil {
		return nil, err
	}
	e.off, e.cgo, e.base, e.mod, e.sum = s.Off, s.Cgo, s.Base, s.Mod, s.Sum
	maps.Copy(e.pins, s.Pins)
	maps.Copy(e.seen, s.Seen)
	e.recordLocals(compiledIn.Local)
	return e, nil
}

// Command returns a command that runs go with the given arguments in dir, and uses the versions of this Env. It is for
// compiling native cells, whose Go code is compiled and not interpreted. The folder dir must be outside any module;
// Command writes a go.mod and a go.sum into it.
func (e *Env) Command(ctx context.Context, dir string, args ...string) (*exec.Cmd, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c, err := e.choose(ctx)
	if err != nil {
		return nil, err
	}
	if err := e.refresh(ctx); err != nil {
		return nil, err
	}
	q, err := e.ruling.requirement(e.mod)
	if err != nil {
		return nil, err
	}
	mod, err := merged([]byte(emptyMod()), q)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), mod, 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.sum"), []byte(e.allSums()), 0o600); err != nil {
		return nil, err
	}
	if len(args) > 0 {
		args = append([]string{args[0], "-mod=mod"}, args[1:]...)
	}
	cmd := exec.CommandContext(ctx, c.command, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "GOTOOLCHAIN="+c.toolchain, "GO111MODULE=on", "GOWORK=off", "CGO_ENABLED="+zeroOrOne(e.cgo))
	return cmd, nil
}
