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

// A notebookRun records the dependencies of the last run of a whole notebook, and the files that the run wrote.
// While none of them change, the notebook need not run: all its cells would show the same outputs again.
type notebookRun struct {
	From  string              `json:"from"`  // checksum of the program, the notebook, the parameters and the record
	Used  []record.Dependency `json:"used"`  // data sets and files
	Files map[string]string   `json:"files"` // SHA-256 of the written files, by the path from the root
	Made  string              `json:"made"`  // RFC 3339, UTC
}

func (s store) notebookRunFile(paper string) string {
	return filepath.Join(s.folder, paper, "whole.json")
}

// Unchanged reports whether a notebook need not run, because the result would be the same as in its last run: the
// program, the notebook, the parameters, the record and the data are the same, and the files that the run wrote still
// have the same content. made is the time of that run. ok is false if the run was not stored (see NoteRun), or if opt
// asks for a fresh or partial run.
func (s *Suite) Unchanged(path string, set []headless.Assignment, opt Options) (made time.Time, ok bool) {
	if opt.Fresh || len(opt.Only) > 0 {
		return time.Time{}, false
	}
	b, err := os.ReadFile(s.store.notebookRunFile(PaperOf(path)))
	if err != nil {
		return time.Time{}, false
	}
	var w notebookRun
	if json.Unmarshal(b, &w) != nil || len(w.Files) == 0 {
		return time.Time{}, false
	}
	made, err = time.Parse(time.RFC3339, w.Made)
	from, e := s.dependenciesSum(path, set, opt)
	if err != nil || e != nil || w.From != from || len(usedChanges(s.root, w.Used)) > 0 {
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

// NoteRun stores a run's dependencies and files for Unchanged. Call it after a run without failures; written is the
// path of the written notebook. NoteRun stores nothing if a cell failed, if only part of the notebook ran, or if cells
// may have observed something outside the program that the run has not recorded.
func (m *Memory) NoteRun(path, written string, set []headless.Assignment) error {
	s := m.suite
	name := s.store.notebookRunFile(m.paper)
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
	if why := findOutside(nb); why != "" {
		return nil
	}
	w := notebookRun{Used: m.used, Files: map[string]string{}, Made: time.Now().UTC().Format(time.RFC3339)}
	if w.From, err = s.dependenciesSum(path, set, m.opt); err != nil {
		return err
	}
	for _, st := range m.plan.Steps { // add the dependencies of kept results
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
			return err // a file was written outside the project
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
	// A notebook without experiments has no folder yet.
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return atomicfile.Write(name, b, 0o644)
}

// dependenciesSum returns a checksum of the dependencies that are known before a notebook runs.
func (s *Suite) dependenciesSum(path string, set []headless.Assignment, opt Options) (string, error) {
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

// ProgramSum returns the checksum of this program, which covers all code that it runs.
var ProgramSum = sync.OnceValues(func() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(exe)
	return sum(b), err
})

// insiders lists standard-library packages through which a cell cannot observe anything outside the program,
// except the clock.
var insiders = []string{"bytes", "cmp", "context", "encoding/base64", "encoding/binary", "encoding/hex", "encoding/json", "errors",
	"fmt", "hash", "iter", "maps", "math", "math/big", "math/bits", "math/cmplx", "math/rand", "math/rand/v2", "regexp", "slices",
	"sort", "strconv", "strings", "sync", "sync/atomic", "text/tabwriter", "time", "unicode", "unicode/utf8"}

// findOutside names something through which a cell of a notebook may observe the outside world, or returns "". It
// errs on the safe side: it has a list of harmless packages, not a list of packages that are known to read files.
func findOutside(nb *notebook.Notebook) string {
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
