package jupyterlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"overcomplete/internal/atomicfile"
)

// ErrUnavailable is the error of App if npm is missing on this machine, or the packages cannot be downloaded.
var ErrUnavailable = errors.New("jupyterlite: cannot build the application on this machine")

// patience is how long npm may run, in case the network is slow.
const patience = 10 * time.Minute

// App returns the folder with the application: static, schemas and themes. The folder also has the rebuilt extension
// and the extension's test. If the folder is not in the user's cache, App builds it from half a gigabyte of packages.
// That takes a minute with a warm npm cache, and a few minutes with a cold one. The built folder takes 25 MB. App puts
// the folder into the cache only when it is complete.
func App(ctx context.Context) (string, error) {
	folder, err := cached()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	parent := filepath.Dir(folder)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	atomicfile.RemoveOld(parent, unfinished, 24*time.Hour) // each takes half a gigabyte
	tmp, err := os.MkdirTemp(parent, unfinished+"*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := build(ctx, tmp); err != nil {
		return "", err
	}
	if err := os.Rename(filepath.Join(tmp, "app", "build"), folder); err != nil {
		if _, there := os.Stat(folder); there != nil { // if the folder exists now, another process has built it
			return "", err
		}
	}
	return folder, nil
}

// cached returns the name of the folder that App returns.
func cached() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	files, err := source()
	if err != nil {
		return "", err
	}
	sum, err := checksum(files)
	return filepath.Join(cache, "overcomplete", "jupyterlite", sum), err
}

// unfinished is the prefix of folders under construction.
const unfinished = ".making-"

// checksum returns one checksum of all files together.
func checksum(files fs.FS) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		fmt.Fprintf(h, "%s %d\n%s", name, len(text), text)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), err
}

// build copies the source to dir, installs its packages and bundles them into app/build.
func build(ctx context.Context, dir string) error {
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("%w: %s is not installed", ErrUnavailable, name)
		}
	}
	files, err := source()
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, files); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	app := filepath.Join(dir, "app")
	// Do not use npm ci, which fails if the registry lacks rspack's programs for other systems. With
	// --ignore-scripts the packages' own scripts do not run.
	if err := npm(ctx, app, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if err := npm(ctx, app, "run", "build"); err != nil {
		return fmt.Errorf("jupyterlite: %w", err)
	}
	return os.Rename(filepath.Join(dir, "labextension"), filepath.Join(app, "build", "labextension"))
}

// npm runs npm in the folder dir. If npm fails, the error includes the end of npm's output.
func npm(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "npm", args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second // in case child processes have not ended
	out, err := cmd.CombinedOutput()
	if err != nil {
		out = bytes.TrimSpace(out)
		return fmt.Errorf("npm %s: %w\n%s", args[0], err, out[max(0, len(out)-2000):])
	}
	return nil
}
