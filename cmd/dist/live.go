package main

import (
	"context"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// liveFolder is the folder in which the program looks for the kernel for browsers. It is next to the program.
const liveFolder = "live"

// liveKernel builds the kernel for browsers, so that users of a release can export live pages without Go.
// This takes some minutes, unless fast is set or the kernel is in the cache. fast shortens the compression, which
// makes the kernel a fifth larger.
func liveKernel(ctx context.Context, root string, fast bool) ([]entry, error) {
	dir, err := os.MkdirTemp("", "overcomplete-dist-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	version, err := versionTag(ctx, root)
	if err != nil {
		return nil, err
	}
	args := []string{"run", "-trimpath", "-tags=packed", "./cmd/overcomplete", "live-kernel", dir, version}
	if fast {
		args = append(args, "fast")
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stderr = root, os.Stderr // the command reports its progress
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		return nil, err
	}
	var list []entry
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		list = append(list, entry{name: path.Join(liveFolder, filepath.Base(filepath.Dir(name)), filepath.Base(name)), data: data})
	}
	return list, nil
}

// versionTag returns the tag of the commit, or "dev" if it has none.
func versionTag(ctx context.Context, root string) (string, error) {
	out, err := command(ctx, root, os.Environ(), "git", "tag", "--points-at", "HEAD", "--list", "v*")
	tag, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if tag == "" {
		tag = "dev"
	}
	return tag, err
}
