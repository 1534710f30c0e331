package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"overcomplete/internal/atomicfile"
)

// licence matches the names of files that contain a module's license or list its authors, and of folders of such files.
var licence = regexp.MustCompile(`(?i)^((third[_-]party[_-])?licen[cs]es?|copying|notice|patents|copyright|authors)([-_.].*)?$`)

// A linkedModule is a module that is linked into the programs.
type linkedModule struct {
	path, version string
	dir           string
	packages      map[string]bool // their folders
}

// notices combines the licenses of all modules that are linked into the program, and of Go itself. A module
// without a license is an error, because such a module must not be distributed.
func notices(ctx context.Context, root string, t target) ([]byte, error) {
	modules, err := linkedModules(ctx, root, t)
	if err != nil {
		return nil, err
	}
	out, err := command(ctx, root, t.environ(), "go", "env", "GOROOT", "GOVERSION")
	if err != nil {
		return nil, err
	}
	goroot, version, ok := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if !ok {
		return nil, fmt.Errorf("go env says %q", out)
	}
	modules = append([]linkedModule{{path: "the Go standard library and runtime", version: strings.TrimSpace(version), dir: strings.TrimSpace(goroot)}}, modules...)
	var b bytes.Buffer
	b.WriteString("This program contains the work of others, under the terms below.\nIts own license is in the file LICENSE.\n")
	for _, m := range modules {
		files, err := m.licences()
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			text, err := os.ReadFile(filepath.Join(m.dir, filepath.FromSlash(f)))
			if err != nil {
				return nil, err
			}
			text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
			line := strings.Repeat("=", 80)
			fmt.Fprintf(&b, "\n%s\n%s %s: %s\n%s\n\n%s\n", line, m.path, m.version, f, line, bytes.TrimSpace(text))
		}
	}
	return b.Bytes(), nil
}

// writeNotices writes the notices for the programs of a system to a file.
func writeNotices(ctx context.Context, root, file, system string) error {
	t, err := parseTarget(system)
	if err != nil {
		return err
	}
	text, err := notices(ctx, root, t)
	if err != nil {
		return err
	}
	return atomicfile.Write(file, text, 0o644)
}

// linkedModules returns the third-party modules that are linked into the programs, sorted by path.
func linkedModules(ctx context.Context, root string, t target) ([]linkedModule, error) {
	out, err := command(ctx, root, t.environ(), "go", "list", "-deps", "-json=Dir,Module", "./cmd/overcomplete", "./cmd/overcomplete-gpu")
	if err != nil {
		return nil, err
	}
	modules := map[string]linkedModule{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir    string
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Module == nil || p.Module.Main {
			continue
		}
		m, ok := modules[p.Module.Path]
		if !ok {
			m = linkedModule{p.Module.Path, p.Module.Version, p.Module.Dir, map[string]bool{}}
			modules[m.path] = m
		}
		m.packages[p.Dir] = true
	}
	return slices.SortedFunc(maps.Values(modules), func(a, b linkedModule) int { return strings.Compare(a.path, b.path) }), nil
}

// licences returns the paths of the module's license files, relative to the module's root. It searches the root, the
// folder of each linked package, and all folders in between, because a package may contain third-party code with its
// own license. It returns an error if there is no license.
func (m linkedModule) licences() ([]string, error) {
	folders := map[string]bool{m.dir: true}
	for dir := range m.packages {
		for ; dir != m.dir && len(dir) > len(m.dir); dir = filepath.Dir(dir) {
			folders[dir] = true
		}
	}
	var files []string
	for dir := range folders {
		list, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if !licence.MatchString(e.Name()) {
				continue
			}
			err := filepath.WalkDir(filepath.Join(dir, e.Name()), func(p string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() || strings.HasSuffix(p, ".go") { // copyright.go is code
					return err
				}
				name, err := filepath.Rel(m.dir, p)
				files = append(files, filepath.ToSlash(name))
				return err
			})
			if err != nil {
				return nil, err
			}
		}
	}
	// Some files contain only the names of the authors, and no terms.
	if !slices.ContainsFunc(files, func(f string) bool { return !strings.Contains(strings.ToLower(f), "authors") }) {
		return nil, fmt.Errorf("%s %s has no license in %s, so it cannot be distributed with the program", m.path, m.version, m.dir)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}
