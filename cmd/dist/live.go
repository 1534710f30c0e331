package main

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// liveFolder is the folder in which the program looks for the kernel for browsers. It is next to the program.
const liveFolder = "live"

// liveKernel builds the kernel for browsers, so that users of a release can export live pages without Go.
// This takes some minutes, unless fast is set or the kernel is in the cache.
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

// liteTarget is the name that stands, in a list of systems, for the wheel with the extension of JupyterLite. That wheel
// serves all systems.
const liteTarget = "jupyterlite"

// lite writes the wheel with the JupyterLite extension into the output folder, and returns the wheel's name. The
// extension includes the kernel for browsers. To make the extension, lite builds the main program for this machine and
// runs it. This takes some minutes, unless fast is set or the kernel is in the cache.
func lite(ctx context.Context, root, out string, fast bool) (string, error) {
	tmp, err := os.MkdirTemp("", "overcomplete-dist-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	here := target{runtime.GOOS, runtime.GOARCH}
	program, err := build(ctx, root, tmp, here)
	if err != nil {
		return "", err
	}
	notices, err := notices(ctx, root, here)
	if err != nil {
		return "", err
	}
	license, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		return "", err
	}
	extensions := filepath.Join(tmp, "labextensions")
	args := []string{"lite", "-extension", extensions}
	if fast {
		args = []string{"lite", "-extension", "-fast", extensions}
	}
	if _, err := command(ctx, root, append(os.Environ(), "GOFLAGS="), program.path, args...); err != nil {
		return "", err
	}
	name, files, err := liteFiles(extensions, program.version, program.time, license, notices)
	if err != nil {
		return "", err
	}
	return name, writeArchive(filepath.Join(out, name), "", files, program.time)
}

// liteFiles returns the name of the wheel with the JupyterLite extension, and the files in the wheel. The extension is
// in the folder called extensions.
func liteFiles(extensions, version string, at time.Time, license, notices []byte) (string, []entry, error) {
	p := project{
		name: "overcomplete_jupyterlite", version: wheelVersion(version, at), summary: "A kernel for Go that runs in the browser, for JupyterLite",
		fields: `Classifier: Framework :: Jupyter :: JupyterLab :: 4
Classifier: Framework :: Jupyter :: JupyterLab :: Extensions
Classifier: Framework :: Jupyter :: JupyterLab :: Extensions :: Prebuilt
Requires-Dist: jupyterlab_widgets>=3
`, // jupyterlab_widgets draws sliders and other controls
		description: "# overcomplete for JupyterLite\n\n" +
			"A kernel for [Go](https://go.dev) that runs in the reader's browser, for sites of [JupyterLite](https://jupyterlite.readthedocs.io):\n\n" +
			"```\npip install jupyterlite-core overcomplete_jupyterlite\njupyter lite build --contents notebooks\n```\n\n" +
			"The site has the kernel **Go (overcomplete)**. Any server of files can publish it.\n",
	}
	var files []entry
	err := fs.WalkDir(os.DirFS(extensions), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			to := p.name + "-" + p.version + ".data/data/share/jupyter/labextensions/" + name
			files = append(files, entry{name: to, path: filepath.Join(extensions, filepath.FromSlash(name))})
		}
		return err
	})
	if err != nil {
		return "", nil, err
	}
	return seal(p, []string{"any"}, files, license, notices)
}
