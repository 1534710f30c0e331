package modules

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/filelock"
)

// KnownTool returns the path of the program with the given name if Tool has already built it from this version of the
// source, and "" otherwise.
func KnownTool(name string) string {
	if file, err := toolFile(name); err == nil && trusted(file) == nil {
		return file
	}
	return ""
}

// toolFile returns the path of a program's file in the cache. The program is built from the folder cmd/name, and the
// path depends on the version of the source. The file need not exist.
func toolFile(name string) (string, error) {
	key, err := kernelSource.Key()
	if err != nil {
		return "", fmt.Errorf("%s cannot be built: %w; build this program with make", name, err)
	}
	cache, _, err := (&Env{}).folders()
	if err != nil {
		return "", err
	}
	file := filepath.Join(cache, "tools", name+"-"+key)
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	return file, nil
}

// Tool returns the path of another program of this project, whose source is in the folder cmd/name. If the cache does
// not have the program, Tool builds it from the source that is inside this program. The go command downloads modules
// that are missing, unless OVERCOMPLETE_MODULES is off.
func Tool(ctx context.Context, name string) (string, error) {
	if file := KnownTool(name); file != "" {
		return file, nil
	}
	file, err := toolFile(name)
	if err != nil {
		return "", err
	}
	g, err := FindGo(ctx)
	if err != nil {
		return "", err
	}
	tools := filepath.Dir(file)
	b := &buildPlan{cache: filepath.Dir(tools)}
	if err := private(b.cache); err != nil {
		return "", err
	}
	unlock, err := filelock.Lock(ctx, filepath.Join(b.cache, "build.lock"), nil)
	if err != nil {
		return "", err
	}
	defer unlock()
	if KnownTool(name) != "" { // another kernel has built it meanwhile
		return file, nil
	}
	if err := b.extract(); err != nil {
		return "", err
	}
	if err := os.MkdirAll(tools, 0o700); err != nil {
		return "", cacheFault(b.cache, err)
	}
	atomicfile.RemoveOld(tools, "", 30*24*time.Hour) // Tool builds them again if they are needed later
	made := filepath.Join(tools, ".new-"+filepath.Base(file))
	defer os.Remove(made)
	env := append(g.Env, "CGO_ENABLED=0", "GOFLAGS=", "GOOS=", "GOARCH=")
	if switchedOff() {
		env = append(env, "GOPROXY=off")
	}
	_, said, err := execute(ctx, g.Path, b.source, env, "build", "-trimpath", "-buildvcs=false", "-tags="+g.Tags, "-ldflags=-s -w", "-o", made, "./cmd/"+name)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", diskFull(fmt.Errorf("cannot build %s: %s", name, cmp.Or(strings.TrimSpace(said), err.Error())))
	}
	if err := os.Chmod(made, 0o700); err != nil {
		return "", err
	}
	return file, os.Rename(made, file)
}
