package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/build/constraint"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"overcomplete/internal/tablefile"
	"overcomplete/kernel/internal/apidoc"
	"overcomplete/kernel/internal/tablegen"
	"overcomplete/kernel/toolchain"
)

// If versions of Go differ only in a package's exports, one table has the common exports, and a table in a file such as
// bytes_go127_bind.go, with a build constraint, has the additional exports of a version. If versions differ in more
// than their exports (maphash's generic names), each version has a whole table. The constraints leave no gap: the first
// version's table also serves older versions, and the last version's table serves newer versions. Most packages have
// one table. Without separate tables, a kernel that Go 1.27 has built would lack what is new in its packages. The first
// archive, api.zip, is for the oldest version; api_go127.zip has what differs in go1.27.

// A snapshot holds the tables and archive members for one version of Go.
type snapshot struct {
	// Files has the tables by path. The table of a package that could not be loaded is nil.
	Files map[string][]byte
	// Members has the archive members for this version, by folder and name. It is nil if gen runs for some packages
	// only.
	Members map[string]map[string][]byte
}

// take makes the snapshot for the version of Go that built this program. If words are given, the snapshot has only
// packages whose paths contain one of them. If the error is not nil, the snapshot is nil or may be incomplete.
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

// takeWith runs gen with another version of Go and returns the resulting snapshot.
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

// A result is what the folders for tables and archives should contain.
type result struct {
	files    map[string][]byte
	archives map[string]map[string][]byte
	bases    map[string]bool // file names without version suffixes
	failed   map[string]bool // base names of files that must stay unchanged
}

// merged returns what all folders should contain. The given list has one snapshot for each version of Go in
// toolchain.Tried, in the same order.
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
		var texts [][]byte
		for _, s := range snaps {
			texts = append(texts, s.Files[base])
		}
		if shared, more := differences(texts); shared != nil {
			r.files[base], texts = shared, more
		}
		for from := 0; from < len(texts); {
			text, to := texts[from], from+1
			for to < len(texts) && bytes.Equal(texts[to], text) {
				to++
			}
			if text != nil {
				name, text := constrainedTable(base, text, minors, from, to)
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
				switch other, ok := snaps[0].Members[folder][name]; {
				case !ok:
					differ[name] = data
				case !bytes.Equal(other, data):
					differ[name+apidoc.DeltaSuffix] = apidoc.Delta(other, data)
				}
			}
			if len(differ) > 0 {
				r.archives[path.Join(folder, apidoc.ArchiveName(minors[i]))] = differ
			}
		}
	}
	return r
}

// The lists in a table, in order.
var (
	listNames = []string{"Deps", "Types", "Aliases", "Vars", "Funcs", "Consts"}
	listText  = regexp.MustCompile(`(?m)^\t(\w+): (\[\]bind\.\w+)\{\n((?:\t\t.*\n)*)\t\},\n`)
	nameLine  = regexp.MustCompile(`(?m)^\tName: ".*",\n`)
	variable  = regexp.MustCompile(`bind\.Register\(&(pkg_\w+)\)`)
	noGeneric = regexp.MustCompile(`(?m)^\tGeneric: .*\n`)
	tableName = regexp.MustCompile(`(?m)^\tName: +"(.*)",$`)
)

// lists splits the text of a table into its lists (Types, Funcs and so on) and the remaining text. The map called of
// has the entries of each list by the list's name, for example "Types", and rest is the remaining text. lists also
// stores the Go type of each list in kinds, by the list's name.
func lists(text []byte, kinds map[string]string) (of map[string][]string, rest string) {
	of = map[string][]string{}
	for _, m := range listText.FindAllSubmatch(text, -1) {
		kinds[string(m[1])] = string(m[2])
		of[string(m[1])] = slices.Collect(strings.Lines(string(m[3])))
	}
	return of, string(listText.ReplaceAll(text, nil))
}

// table composes the text of a table from its lists and the remaining text. It is the inverse of lists().
func table(of map[string][]string, rest string, kinds map[string]string) []byte {
	var b strings.Builder
	for _, name := range listNames {
		if entries := of[name]; len(entries) > 0 {
			slices.Sort(entries)
			fmt.Fprintf(&b, "\t%s: %s{\n%s\t},\n", name, kinds[name], strings.Join(entries, ""))
		}
	}
	at := nameLine.FindStringIndex(rest)
	return []byte(rest[:at[1]] + b.String() + rest[at[1]:])
}

// differences compares the texts of a package's table, one for each version of Go. shared is a table with the exports
// that all versions have. more contains, for each version, a file with the additional exports, or nil if there are
// none. Both results are nil if all tables are equal, or if they differ outside their lists.
func differences(texts [][]byte) (shared []byte, more [][]byte) {
	kinds, count := map[string]string{}, map[string]int{}
	var of []map[string][]string
	var rest string
	same := true
	for i, text := range texts {
		l, r := lists(text, kinds)
		if i > 0 && r != rest || !nameLine.MatchString(r) || !variable.MatchString(r) || !bytes.Equal(table(l, r, kinds), text) {
			return nil, nil
		}
		same = same && bytes.Equal(text, texts[0])
		rest, of = r, append(of, l)
		for name, entries := range l {
			for _, e := range entries {
				count[name+e]++
			}
		}
	}
	if same {
		return nil, nil
	}
	v := variable.FindStringSubmatch(rest)[1]
	adds := strings.NewReplacer("bind.Register(&"+v+")", "bind.Extend(&"+v+", &more_"+v[len("pkg_"):]+")", "var "+v+" ", "var more_"+v[len("pkg_"):]+" ").
		Replace(noGeneric.ReplaceAllString(rest, ""))
	all := map[string][]string{}
	for _, l := range of {
		own := map[string][]string{}
		for name, entries := range l {
			for _, e := range entries {
				if count[name+e] < len(texts) {
					own[name] = append(own[name], e)
				} else if len(more) == 0 {
					all[name] = append(all[name], e)
				}
			}
		}
		var text []byte
		if len(own) > 0 {
			text = nameImport(table(own, adds, kinds))
		}
		more = append(more, text)
	}
	return nameImport(table(all, rest, kinds)), more
}

// nameImport returns a table's text with the right name for the import of the table's own package: its alias, or _ if
// the table does not use the package.
func nameImport(text []byte) []byte {
	at := tablefile.Path(text)
	alias := tablegen.Alias(at, string(tableName.FindSubmatch(text)[1]))
	lines := []string{tablegen.ImportLine(at, "_"), tablegen.ImportLine(at, alias)}
	if !regexp.MustCompile(`(?m)^\t\t\{Name: .*\b` + alias + `\.`).Match(text) {
		slices.Reverse(lines)
	}
	return bytes.Replace(text, []byte(lines[0]), []byte(lines[1]), 1)
}

// withAdditions returns the complete table for one version of Go. It combines the table that all versions share with
// the file of this version's additional exports.
func withAdditions(text, other []byte) []byte {
	kinds := map[string]string{}
	of, rest := lists(text, kinds)
	more, _ := lists(other, kinds)
	for name, entries := range more {
		of[name] = append(of[name], entries...)
	}
	return nameImport(table(of, rest, kinds))
}

// constrainedTable returns the file name and the text of a table for the Go versions from minors[from] up to, but not
// including, minors[to]. It adds a build constraint unless the table is for all versions. The constraint has no lower
// bound if from is 0, and no upper bound if to is len(minors).
func constrainedTable(base string, text []byte, minors []int, from, to int) (string, []byte) {
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
	name := fmt.Sprintf("%s_go1%d_bind.go", strings.TrimSuffix(base, suffix), minors[from])
	line := "//go:build " + strings.Join(bounds, " && ") + "\n\n"
	return name, []byte(tablegen.Generated + line + strings.TrimPrefix(string(text), tablegen.Generated))
}

var versioned = regexp.MustCompile(`_go1(\d+)_bind\.go$`)

// versionOf returns a file name without its version of Go, and the minor version: x_go127_bind.go becomes x_bind.go
// and 27. A name without a version stays unchanged, with minor version 0.
func versionOf(name string) (base string, minor int) {
	m := versioned.FindStringSubmatch(name)
	if m == nil {
		return name, 0
	}
	minor, _ = strconv.Atoi(m[1])
	return strings.TrimSuffix(name, m[0]) + suffix, minor
}

// compiled returns the complete tables for Go 1.minor, by file name without a version. Build constraints are removed,
// and additional exports of that version are merged in.
func compiled(root string, minor int) (map[string][]byte, error) {
	all, err := tables(root)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text := all[name]
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
		switch old, more := out[base], bytes.Contains(text, []byte("bind.Extend(")); {
		case old == nil:
			out[base] = text
		case more && variable.Match(old):
			out[base] = withAdditions(old, text)
		default:
			return nil, fmt.Errorf("gen: two tables of %s for go1.%d", base, minor)
		}
	}
	return out, nil
}

// archiveMembers reads the archives in the folder dir and returns their members for Go 1.minor, by name.
func archiveMembers(dir string, minor int) (map[string][]byte, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.zip"))
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		names[i] = filepath.Base(name)
	}
	var archives [][]byte
	for _, name := range apidoc.Archives(names, minor) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		archives = append(archives, data)
	}
	return apidoc.Members(archives...)
}
