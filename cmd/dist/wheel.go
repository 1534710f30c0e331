package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcomplete/kernel/kernelspec"
)

// A wheel is the archive that pip installs: a zip with files and a description; here the program and the kernel's
// folder, or the extension of JupyterLite. The format follows PyPA's specifications "Binary distribution format", "Core
// metadata" and "Platform compatibility tags". No Python is needed to write one. The program goes into the
// environment's folder bin (Scripts on Windows), and the kernel's folder goes where Jupyter finds it.

// description is the text of the project's page on a package index.
//
//go:embed wheel.md
var description string

// An edition is one of the wheels for a target: its platform tags, and whether it contains the driver for devices such
// as graphics cards.
type edition struct {
	platforms []string
	driver    bool
}

// editions returns the wheels for a target. On Linux there are two: the main program is linked statically, but the
// driver needs glibc, so the wheel for systems with musl does not contain the driver. The tags name the oldest
// versions of glibc and musl for which pip has tags. macOS 13 is the oldest version that runs programs built with Go
// 1.27.
func (t target) editions() []edition {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[t.arch]
	switch t.os {
	case "linux":
		return []edition{{[]string{"manylinux_2_17_" + arch, "manylinux2014_" + arch}, true}, {[]string{"musllinux_1_1_" + arch}, false}}
	case "darwin":
		return []edition{{[]string{"macosx_13_0_" + map[string]string{"amd64": "x86_64", "arm64": "arm64"}[t.arch]}, true}}
	}
	return []edition{{[]string{"win_" + t.arch}, true}}
}

var (
	released  = regexp.MustCompile(`^v(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.?(\d+))?$`)
	shortName = map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}
)

// wheelVersion converts a version from Go's form to Python's. If the version does not come from a release tag, the
// result is 0.0.0.dev followed by the commit's time, which sorts before all releases.
func wheelVersion(version string, at time.Time) string {
	m := released.FindStringSubmatch(version)
	if m == nil {
		return "0.0.0.dev" + at.Format("20060102150405")
	}
	return m[1] + shortName[m[2]] + m[3]
}

// wheelFiles returns the name and the files of the wheel for edition e of the target t.
func wheelFiles(t target, e edition, program builtProgram, license, notices []byte) (string, []entry, error) {
	version := wheelVersion(program.version, program.time)
	stem := "overcomplete-" + version
	data := stem + ".data/"
	var files []entry
	add := func(name string, content []byte) { files = append(files, entry{name: name, data: content}) }

	files = append(files, entry{name: data + "scripts/" + t.program(), path: program.path, executable: true})
	if e.driver {
		files = append(files, entry{name: data + "scripts/" + t.driver(), path: program.driver, executable: true})
	}
	kernel, err := kernelspec.Files(kernelspec.NewInPrefix(t.os, kernelVersion(program.version)))
	if err != nil {
		return "", nil, err
	}
	for _, f := range kernel {
		add(data+"data/share/jupyter/kernels/"+kernelspec.Name+"/"+f.Name, f.Data)
	}
	return seal(project{
		name: "overcomplete", version: version, summary: "A Jupyter kernel for Go", description: description,
		fields: `Classifier: Framework :: Jupyter
Classifier: Operating System :: MacOS
Classifier: Operating System :: Microsoft :: Windows
Classifier: Operating System :: POSIX :: Linux
Provides-Extra: jupyter
Requires-Dist: jupyterlab>=4; extra == "jupyter"
`,
	}, e.platforms, files, license, notices)
}

// A project describes the package in a wheel. Further lines of core metadata are in the field called fields.
type project struct{ name, version, summary, fields, description string }

// seal completes a wheel. It returns the wheel's name and all its files: the given files, the licenses, the metadata,
// and finally the list of all other files (RECORD). The wheel's platform tags are in platforms; for a wheel without
// programs, this is just "any".
func seal(p project, platforms []string, files []entry, license, notices []byte) (string, []entry, error) {
	stem := p.name + "-" + p.version
	info := stem + ".dist-info/"
	add := func(name string, content []byte) { files = append(files, entry{name: name, data: content}) }
	add(info+"licenses/LICENSE", license)
	add(info+"licenses/NOTICES.txt", notices)
	add(info+"METADATA", []byte(p.metadata()))
	form := fmt.Sprintf("Wheel-Version: 1.0\nGenerator: overcomplete\nRoot-Is-Purelib: %v\n", platforms[0] == "any")
	for _, tag := range platforms {
		form += "Tag: py3-none-" + tag + "\n"
	}
	add(info+"WHEEL", []byte(form))
	slices.SortFunc(files, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	list, err := record(files, info+"RECORD")
	if err != nil {
		return "", nil, err
	}
	add(info+"RECORD", list)
	return stem + "-py3-none-" + strings.Join(platforms, ".") + ".whl", files, nil
}

// kernelVersion returns the version that the kernel reports: the version of the program, or 0.1.0-dev if the program
// has none ("dev").
func kernelVersion(version string) string {
	if version == "dev" {
		return "0.1.0-dev"
	}
	return version
}

// metadata returns the package's description in the format of Python's core metadata, version 2.4.
func (p project) metadata() string {
	return `Metadata-Version: 2.4
Name: ` + p.name + `
Version: ` + p.version + `
Summary: ` + p.summary + `
Keywords: jupyter,kernel,go,golang,notebook
License-Expression: BSD-3-Clause
License-File: LICENSE
License-File: NOTICES.txt
Classifier: Development Status :: 4 - Beta
Classifier: Intended Audience :: Education
Classifier: Intended Audience :: Science/Research
Classifier: Programming Language :: Go
Classifier: Topic :: Scientific/Engineering
Requires-Python: >=3.8
` + p.fields + `Description-Content-Type: text/markdown

` + p.description
}

// record returns the content of RECORD, which lists the name, checksum and size of each file of a wheel. The last line
// has only the name of RECORD itself, which is own.
func record(files []entry, own string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for _, f := range files {
		content, err := f.content()
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(content)
		if err := w.Write([]string{f.name, "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]), strconv.Itoa(len(content))}); err != nil {
			return nil, fmt.Errorf("RECORD: %w", err)
		}
	}
	if err := w.Write([]string{own, "", ""}); err != nil {
		return nil, fmt.Errorf("RECORD: %w", err)
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// liteTarget is the name that stands, in a list of systems, for the wheel with the extension of JupyterLite. That wheel
// serves all systems.
const liteTarget = "jupyterlite"

// lite writes the wheel with the JupyterLite extension into the output folder, and returns the wheel's name. The
// extension includes the kernel for browsers. To make the extension, lite builds the main program for this machine and
// runs it. This takes some minutes, unless fast is set (see liveKernel) or the kernel is in the cache.
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
