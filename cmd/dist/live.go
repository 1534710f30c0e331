package main

import (
	"context"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// liveFolder is where the program looks for the kernel for browsers, beside itself.
const liveFolder = "live"

// liveKernel makes the kernel for browsers, so that users of a release need no Go to export live
// pages. It takes some minutes, unless fast is set or it is in the cache already.
func liveKernel(ctx context.Context, root string, fast bool) ([]entry, error) {
	dir, err := os.MkdirTemp("", "overcomplete-dist-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	version, err := described(ctx, root)
	if err != nil {
		return nil, err
	}
	args := []string{"run", "-trimpath", "-tags=packed", "./cmd/overcomplete", "live-kernel", dir, version}
	if fast {
		args = append(args, "fast")
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stderr = root, os.Stderr // it says what takes long
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

// described is the tag of the commit, "dev" if it has none.
func described(ctx context.Context, root string) (string, error) {
	out, err := command(ctx, root, os.Environ(), "git", "tag", "--points-at", "HEAD", "--list", "v*")
	tag, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if tag == "" {
		tag = "dev"
	}
	return tag, err
}
