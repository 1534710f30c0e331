package suite

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/module"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
)

// A whole says what the last run of a whole notebook depended on and what it wrote. While all of that is unchanged, the
// notebook need not be opened: not only its experiments, but its other cells too would show the same.
type whole struct {
	From  string            `json:"from"`  // checksum of the program, the notebook, the parameters and the record
	Used  []record.Used     `json:"used"`  // data sets and files
	Files map[string]string `json:"files"` // SHA-256 of what was written, by the path from the root
	Made  string            `json:"made"`  // RFC 3339, UTC
}

func (s store) whole(paper string) string { return filepath.Join(s.folder, paper, "whole.json") }

// Unchanged returns when a notebook was run with the same program, parameters, record and data, if it was, all its cells
// ran without an error, and what it wrote is still there.
func (s *Suite) Unchanged(path string, set []headless.Assignment, opt Options) (made time.Time, ok bool) {
	if opt.Fresh || len(opt.Only) > 0 {
		return time.Time{}, false
	}
	b, err := os.ReadFile(s.store.whole(PaperOf(path)))
	if err != nil {
		return time.Time{}, false
	}
	var w whole
	if json.Unmarshal(b, &w) != nil || len(w.Files) == 0 {
		return time.Time{}, false
	}
	made, err = time.Parse(time.RFC3339, w.Made)
	from, e := s.from(path, set, opt)
	if err != nil || e != nil || w.From != from || len(usedNow(s.root, w.Used)) > 0 {
		return time.Time{}, false
	}
	for name, want := range w.Files {
		b, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
		if err != nil || sum(b) != want {
			return time.Time{}, false
		}
	}
	return made, true
}

// NoteWhole keeps what a run depended on and wrote, for Unchanged. It is called after a run in which nothing failed.
// written is the notebook that was written.
func (m *Memory) NoteWhole(path, written string, set []headless.Assignment) error {
	s := m.suite
	name := s.store.whole(m.paper)
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if m.plan == nil || len(m.failed) > 0 || m.running != "" || len(m.opt.Only) > 0 {
		return nil
	}
	nb, err := notebook.Read(path)
	if err != nil {
		return err
	}
	if why := outsideOf(nb); why != "" {
		return nil
	}
	w := whole{Used: m.used, Files: map[string]string{}, Made: time.Now().UTC().Format(time.RFC3339)}
	if w.From, err = s.from(path, set, m.opt); err != nil {
		return err
	}
	for _, st := range m.plan.Steps { // what kept results depend on
		if st.entry != nil {
			w.Used = append(w.Used, st.entry.Used...)
		}
	}
	files := []string{written}
	list, err := filepath.Glob(filepath.Join(s.root, "figures", "run", m.paper, "*"))
	if err != nil {
		return err
	}
	for _, file := range append(files, list...) {
		rel, err := filepath.Rel(s.root, file)
		if err != nil || !filepath.IsLocal(rel) {
			return err // it was written elsewhere
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		w.Files[filepath.ToSlash(rel)] = sum(b)
	}
	b, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return atomicfile.Write(name, b, 0o644)
}

// from returns a checksum of what is known before a notebook runs.
func (s *Suite) from(path string, set []headless.Assignment, opt Options) (string, error) {
	program, err := ProgramSum()
	if err != nil {
		return "", err
	}
	nb, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	recorded := ""
	if opt.Recorded {
		b, err := os.ReadFile(filepath.Join(s.root, "figures", PaperOf(path), record.FileName))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		recorded = sum(b)
	}
	return hash(program, sum(nb), set, opt.Recorded, recorded, platform()), nil
}

// ProgramSum returns the checksum of this program, and so of all code that it runs.
var ProgramSum = sync.OnceValues(func() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(exe)
	return sum(b), err
})

// insiders are packages of the standard library through which a cell cannot see what is outside the program, but for the
// clock.
var insiders = []string{"bytes", "cmp", "context", "encoding/base64", "encoding/binary", "encoding/hex", "encoding/json", "errors",
	"fmt", "hash", "iter", "maps", "math", "math/big", "math/bits", "math/cmplx", "math/rand", "math/rand/v2", "regexp", "slices",
	"sort", "strconv", "strings", "sync", "sync/atomic", "text/tabwriter", "time", "unicode", "unicode/utf8"}

// outsideOf says through what a cell of a notebook may see the world outside, or "". Unlike the list of what is known to
// read files, it is wrong on the safe side.
func outsideOf(nb *notebook.Notebook) string {
	for _, c := range read(nb) {
		if c.opaque {
			return "the cell " + c.ID
		}
		used := maps.Clone(c.selected)
		for _, pkg := range c.imports {
			if used[pkg] == nil {
				used[pkg] = nil
			}
		}
		for pkg, names := range used {
			if slices.Contains(insiders, pkg) || strings.HasPrefix(pkg, "gonum.org/v1/gonum/") {
				continue
			}
			if !module.Has(pkg) {
				return "package " + pkg
			}
			for name := range names {
				for _, reads := range []string{"Read", "Open", "Load", "File"} {
					if strings.Contains(name, reads) {
						return path.Base(pkg) + "." + name
					}
				}
			}
		}
	}
	return ""
}
