package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/build/constraint"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"overcomplete/kernel/internal/apidoc"
	"overcomplete/kernel/internal/tablegen"
	"overcomplete/kernel/toolchain"
)

// Where versions of Go differ in what a package exports, its table is written once for
// each distinct text, in files such as bytes_go126_bind.go and bytes_go127_bind.go, with
// constraints that leave no gap: the first file also serves older versions, the last newer
// ones. Most packages have one file. The first archive, api.zip, is that of the oldest
// version; api_go127.zip has the members in which go1.27 differs from it.

// A snapshot is what one version of Go exports.
type snapshot struct {
	// Files has the tables by path; it is nil for a package that could not be
	// loaded.
	Files map[string][]byte
	// Members has the archives' members by folder, as this version needs them. It is nil if
	// only some packages are asked for.
	Members map[string]map[string][]byte
}

// take makes the snapshot of the version of Go that this program was built with. The snapshot
// may be incomplete if the error is not nil.
func take(root string, words []string) (*snapshot, error) {
	files, errs := generate(root, words)
	if len(files) == 0 {
		return nil, errors.Join(errs...)
	}
	s := &snapshot{Files: map[string][]byte{}}
	for _, f := range files {
		s.Files[f.name] = f.text
	}
	if len(words) == 0 {
		var err error
		if s.Members, err = description(root, files); err != nil {
			errs = append(errs, err)
		}
	}
	return s, errors.Join(errs...)
}

// takeWith runs gen with another version of Go and returns the snapshot that it
// makes.
func takeWith(version, root string, words []string) (*snapshot, error) {
	args := append([]string{"run", "./kernel/bind/gen", "-emit", "-only=" + strconv.FormatBool(len(words) > 0)}, words...)
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOTOOLCHAIN="+version)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	s := &snapshot{}
	if e := json.Unmarshal(out.Bytes(), s); e != nil || len(s.Files) == 0 {
		return nil, fmt.Errorf("gen: with %s: %w\n%s", version, errors.Join(err, e), said.Bytes())
	}
	if err != nil {
		err = fmt.Errorf("gen: with %s: %w\n%s", version, err, said.Bytes())
	}
	return s, err
}

// A result is what the folders should contain.
type result struct {
	files    map[string][]byte
	archives map[string]map[string][]byte
	bases    map[string]bool // names of files without versions
	failed   map[string]bool // the bases whose files must stay as they are
}

// merged merges the snapshots of the tried versions, in their order.
func merged(snaps []*snapshot) *result {
	r := &result{files: map[string][]byte{}, archives: map[string]map[string][]byte{}, bases: map[string]bool{}, failed: map[string]bool{}}
	var minors []int
	for _, v := range toolchain.Tried() {
		minors = append(minors, toolchain.Minor(v))
	}
	for _, s := range snaps {
		for base, text := range s.Files {
			r.bases[base] = true
			r.failed[base] = r.failed[base] || text == nil
		}
	}
	for base := range r.bases {
		if r.failed[base] {
			continue
		}
		for from := 0; from < len(snaps); {
			text, to := snaps[from].Files[base], from+1
			for to < len(snaps) && bytes.Equal(snaps[to].Files[base], text) {
				to++
			}
			if text != nil {
				name, text := constrained(base, text, minors, from, to)
				r.files[name] = text
			}
			from = to
		}
	}
	for i, s := range snaps {
		for folder, members := range s.Members {
			if i == 0 {
				r.archives[path.Join(folder, apidoc.ArchiveName(0))] = members
				continue
			}
			differ := map[string][]byte{}
			for name, data := range members {
				if other, ok := snaps[0].Members[folder][name]; !ok || !bytes.Equal(other, data) {
					differ[name] = data
				}
			}
			if len(differ) > 0 {
				r.archives[path.Join(folder, apidoc.ArchiveName(minors[i]))] = differ
			}
		}
	}
	return r
}

// constrained returns the file name and text of a table for the versions
// minors[from] up to, but not including, minors[to].
func constrained(base string, text []byte, minors []int, from, to int) (string, []byte) {
	var bounds []string
	if from > 0 {
		bounds = append(bounds, fmt.Sprintf("go1.%d", minors[from]))
	}
	if to < len(minors) {
		bounds = append(bounds, fmt.Sprintf("!go1.%d", minors[to]))
	}
	if len(bounds) == 0 {
		return base, text
	}
	name := fmt.Sprintf("%s_go1%d_bind.go", strings.TrimSuffix(base, "_bind.go"), minors[from])
	line := "//go:build " + strings.Join(bounds, " && ") + "\n\n"
	return name, []byte(tablegen.Generated + line + strings.TrimPrefix(string(text), tablegen.Generated))
}

var versioned = regexp.MustCompile(`_go1(\d+)_bind\.go$`)

// versionOf splits a file's name into its base and its minor version, 0 if it
// has none.
func versionOf(name string) (base string, minor int) {
	m := versioned.FindStringSubmatch(name)
	if m == nil {
		return name, 0
	}
	minor, _ = strconv.Atoi(m[1])
	return strings.TrimSuffix(name, m[0]) + "_bind.go", minor
}

// compiled returns the tables that go1.minor compiles, without their constraints, by their
// names without a version.
func compiled(root string, minor int) (map[string][]byte, error) {
	names, err := tables(root)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		base, _ := versionOf(name)
		rest := strings.TrimPrefix(string(text), tablegen.Generated)
		if line, after, _ := strings.Cut(rest, "\n\n"); constraint.IsGoBuild(line) {
			x, err := constraint.Parse(line)
			if err != nil {
				return nil, fmt.Errorf("gen: %s: %w", name, err)
			}
			if !x.Eval(func(tag string) bool { return toolchain.Minor(tag) <= minor }) {
				continue
			}
			text = []byte(tablegen.Generated + after)
		}
		if _, twice := out[base]; twice {
			return nil, fmt.Errorf("gen: two tables of %s for go1.%d", base, minor)
		}
		out[base] = text
	}
	return out, nil
}

// archived returns the members that the archives in dir have for go1.minor.
func archived(dir string, minor int) (map[string][]byte, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.zip"))
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		names[i] = filepath.Base(name)
	}
	out := map[string][]byte{}
	for _, name := range slices.Backward(apidoc.Archives(names, minor)) {
		members, err := tablegen.ReadZip(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		for member, data := range members {
			out[member] = data
		}
	}
	return out, nil
}
