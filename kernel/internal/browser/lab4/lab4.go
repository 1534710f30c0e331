// Package lab4 puts JupyterLab 4, Notebook 7 and ipywidgets 8 together for the kernel's browser
// test, of their npm packages and without PyPI: package.json has the exact versions, of all of
// which package-lock.json has the checksums, rspack bundles lab.js and notebook.js, and app.py
// serves them with Debian's jupyter_server.
//
// It needs npm, and the network or npm's cache: half a gigabyte of packages, some 20 seconds with
// a warm cache and 2 to 3 minutes with a cold one. What comes of it, 56 MB, is kept in the user's
// cache folder, under the checksum of what it was made of.
//
// Left out are terminals, the extension manager, and Notebook 7's list of files. The server is
// jupyter_server 1.23, not 2, so that pages ask in vain for its events.
package lab4

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

//go:embed app.py lab.js notebook.js publicpath.js plugins-lab.json plugins-notebook.json
//go:embed package.json package-lock.json rspack.config.js templates
var source embed.FS

// ErrUnavailable is what Folder fails with where something is not on this machine that it needs:
// npm, or a network that has the packages.
var ErrUnavailable = errors.New("lab4: the front ends cannot be put together here")

// minutes is how long npm may take, over a slow network.
const minutes = 10

// Folder returns the folder that has app.py and what it serves. It makes it where it is not yet
// in the user's cache; a folder of a name is always whole.
func Folder(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum, err := checksum()
	if err != nil {
		return "", err
	}
	parent := filepath.Join(cache, "overcomplete", "lab4")
	folder := filepath.Join(parent, sum)
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	sweep(parent)
	tmp, err := os.MkdirTemp(parent, unfinished+"*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := assemble(ctx, tmp); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, folder); err != nil {
		if _, there := os.Stat(folder); there != nil { // else another process was faster
			return "", err
		}
	}
	return folder, nil
}

// unfinished begins the names of folders that are being made.
const unfinished = ".making-"

// sweep removes what was left by processes that were killed while they made a folder, half a gigabyte each.
func sweep(parent string) {
	list, _ := filepath.Glob(filepath.Join(parent, unfinished+"*"))
	for _, dir := range list {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			os.RemoveAll(dir)
		}
	}
}

// checksum is that of all files which what Folder makes depends on.
func checksum() (string, error) {
	h := sha256.New()
	err := fs.WalkDir(source, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := source.ReadFile(name)
		fmt.Fprintf(h, "%s %d\n%s", name, len(text), text)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), err
}

// assemble installs, bundles, and removes what was only needed for that.
func assemble(ctx context.Context, dir string) error {
	if err := os.CopyFS(dir, source); err != nil {
		return err
	}
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("%w: there is no %s", ErrUnavailable, name)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, minutes*time.Minute)
	defer cancel()
	// Not npm ci, which fails where the registry lacks rspack's programs for other systems. No
	// package's own scripts are run.
	if err := npm(ctx, dir, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if err := npm(ctx, dir, "run", "build"); err != nil {
		return fmt.Errorf("lab4: %w", err)
	}
	return os.RemoveAll(filepath.Join(dir, "node_modules"))
}

// npm runs it, and has the end of what it printed in its error.
func npm(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "npm", args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second // for what it started and did not end
	out, err := cmd.CombinedOutput()
	if err != nil {
		out = bytes.TrimSpace(out)
		return fmt.Errorf("npm %s: %w\n%s", args[0], err, out[max(0, len(out)-2000):])
	}
	return nil
}
