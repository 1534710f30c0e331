package suite

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"overcomplete/data"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
)

const absent = data.Absent

// An entry is the kept result of one experiment. It is a folder with the file entry.json, a notebook that contains
// only the experiment's cell, and the files of its figures.
type entry struct {
	Form    string              `json:"form"`
	Target  string              `json:"target"`
	Inputs  Inputs              `json:"inputs"`
	Used    []record.Dependency `json:"used,omitempty"`
	Made    record.Making       `json:"made"`
	Seconds float64             `json:"seconds"`
	// Processor is the processor time of the experiment, in seconds; 0 if not known.
	Processor float64 `json:"processor,omitempty"`
	// Reference is the processor time, in seconds, of the reference product (see the function Reference). It was
	// measured in the same run as the experiment; 0 if not known.
	Reference float64           `json:"reference,omitempty"`
	Events    []record.Event    `json:"events,omitempty"`
	Files     map[string]string `json:"files,omitempty"` // SHA-256 by name

	folder string
}

// newEntry returns an entry for an experiment that began at the given time. reference is the value of the field
// Reference. The entry is not stored yet.
func newEntry(target string, in Inputs, used []record.Dependency, begin time.Time, took headless.Cost, reference float64, events []record.Event) *entry {
	made := record.Program()
	made.Started = begin.UTC().Format(time.RFC3339)
	made.Seconds = seconds(took.Wall)
	return &entry{Target: target, Inputs: in, Used: used, Made: made, Seconds: made.Seconds, Processor: seconds(took.Processor), Reference: reference, Events: events}
}

// outputs reads the outputs of the experiment's cell from the entry's notebook.
func (e *entry) outputs() ([]notebook.Output, error) {
	nb, err := notebook.Read(filepath.Join(e.folder, cellName))
	if err != nil {
		return nil, err
	}
	if len(nb.Cells) != 1 {
		return nil, fmt.Errorf("%s has %d cells", cellName, len(nb.Cells))
	}
	return append([]notebook.Output{}, nb.Cells[0].Outputs...), nil
}

// The version covers the format of entry.json and the rules for keeping entries. Entries of another version
// are ignored.
const (
	form      = "overcomplete/kept/3"
	entryName = "entry.json"
	cellName  = "cell.ipynb"
)

// most is the maximum number of results that are kept for an experiment with given parameters. It is enough for an
// author who switches between a few versions of the code.
const most = 3

// A store is a folder that contains entries. Each entry is a folder PAPER/CELL/PARAMETERS/INPUTS-NUMBER, where
// PARAMETERS and INPUTS are hashes. The random NUMBER makes the name unique.
type store struct{ folder string }

// place returns the folder with the entries of a cell for the given parameters.
func (s store) place(paper, cell string, parameters map[string]string) string {
	return filepath.Join(s.folder, paper, cell, hash(parameters))
}

// entries reads the entries in the given folder, most recently used first. It ignores unreadable entries.
func (s store) entries(place string) []*entry {
	list, err := os.ReadDir(place)
	if err != nil {
		return nil
	}
	var all []*entry
	used := map[*entry]time.Time{}
	for _, f := range list {
		folder := filepath.Join(place, f.Name())
		info, err := os.Stat(filepath.Join(folder, entryName))
		if err != nil || f.Name()[0] == '.' {
			continue
		}
		b, err := os.ReadFile(filepath.Join(folder, entryName))
		if err != nil {
			continue
		}
		e := &entry{folder: folder}
		if json.Unmarshal(b, e) != nil || e.Form != form {
			continue
		}
		all = append(all, e)
		used[e] = info.ModTime()
	}
	slices.SortStableFunc(all, func(a, b *entry) int { return used[b].Compare(used[a]) })
	return all
}

// cost returns the wall-clock time and the processor time that the experiment took.
func (e *entry) cost() headless.Cost {
	return headless.Cost{Wall: duration(e.Seconds), Processor: duration(e.Processor)}
}

// seconds returns d in seconds, truncated to milliseconds.
func seconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// verify returns an error if any of the entry's files has changed since it was written.
func (e *entry) verify() error {
	for name, want := range e.Files {
		b, err := os.ReadFile(filepath.Join(e.folder, name))
		if err != nil {
			return err
		}
		if sum(b) != want {
			return fmt.Errorf("%s is damaged", name)
		}
	}
	return nil
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// touch marks an entry as used now.
func (e *entry) touch() {
	now := time.Now()
	os.Chtimes(filepath.Join(e.folder, entryName), now, now) // if this fails, the entry is only dropped sooner
}

// write stores the entry e in a new subfolder of the folder place. There it also stores the cell c, its outputs, and
// the files that e's events name. It copies these files from the folder of the run.
//
// The argument before holds the marks of the run's folder, taken just before the cell ran. If a file has not changed
// since then, it belongs to another run, and write does not copy it. write returns an error if the cell announced a
// figure or a file but did not write it. Other processes see either the whole entry or nothing. Finally, write drops
// the oldest entries if there are too many.
func (s store) write(place string, e *entry, c *notebook.Cell, from string, before marks) (err error) {
	if err := os.MkdirAll(place, 0o777); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(place, ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		os.RemoveAll(tmp)
		if err != nil {
			os.Remove(place) // fails unless the folder is empty
		}
	}()
	e.Form, e.Files = form, map[string]string{}
	keep := func(name string) error {
		b, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		e.Files[name] = sum(b)
		return os.WriteFile(filepath.Join(tmp, name), b, 0o666)
	}
	for _, ev := range e.Events {
		switch {
		case ev.Figure != nil:
			found := false
			for _, name := range record.FigureFiles(ev.Figure.Name) {
				if !before.hasChanged(from, name) {
					continue
				}
				if err := keep(name); err != nil {
					return err
				}
				found = true
			}
			if !found {
				return fmt.Errorf("the cell announced the figure %s, but did not write it to %s", ev.Figure.Name, from)
			}
		case ev.File != "":
			if !before.hasChanged(from, ev.File) {
				return fmt.Errorf("the cell announced the file %s, but did not write it to %s", ev.File, from)
			}
			if err := keep(ev.File); err != nil {
				return err
			}
		}
	}
	alone := &notebook.Notebook{Cells: []*notebook.Cell{c}}
	if err := alone.Write(filepath.Join(tmp, cellName)); err != nil {
		return err
	}
	b, err := os.ReadFile(filepath.Join(tmp, cellName))
	if err != nil {
		return err
	}
	e.Files[cellName] = sum(b)
	if b, err = json.Marshal(e); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tmp, entryName), b, 0o666); err != nil {
		return err
	}
	// The name is unique to this entry, because a folder that another process may be reading or
	// writing cannot be replaced in one step.
	same := hash(e.Inputs, e.Used)
	to := filepath.Join(place, same+strings.Replace(filepath.Base(tmp), ".new", "", 1))
	if err := os.Rename(tmp, to); err != nil {
		return err
	}
	s.prune(place)
	return nil
}

// marks holds the size, time and identity of each file in a folder, by name, to detect later changes.
type marks map[string]fs.FileInfo

func marksOf(folder string) marks {
	m := marks{}
	list, _ := os.ReadDir(folder) // the folder may not exist yet
	for _, f := range list {
		if info, err := f.Info(); err == nil {
			m[f.Name()] = info
		}
	}
	return m
}

// hasChanged reports whether the file called name, in the given folder, is new or was written after the marks were
// taken. It does not rely on the time alone, because the clock of a file system may be coarse.
func (m marks) hasChanged(folder, name string) bool {
	now, err := os.Lstat(filepath.Join(folder, name))
	if err != nil {
		return false
	}
	old := m[name]
	return old == nil || !os.SameFile(old, now) || old.Size() != now.Size() || !old.ModTime().Equal(now.ModTime())
}

// prune deletes entries from the given folder. It keeps a few of the most recently used entries, at most one for the
// same inputs. It also deletes unreadable entries, and entries that were begun more than a day ago and never finished.
// A failure of prune only wastes space.
func (s store) prune(place string) {
	// Read the list first, so that entries added later by other processes are not touched.
	list, _ := os.ReadDir(place)
	var good []*entry
	seen := map[string]bool{}
	for _, e := range s.entries(place) {
		if same, _, _ := strings.Cut(filepath.Base(e.folder), "-"); !seen[same] && len(good) < most {
			seen[same] = true
			good = append(good, e)
		}
	}
	for _, f := range list {
		folder := filepath.Join(place, f.Name())
		if slices.ContainsFunc(good, func(e *entry) bool { return e.folder == folder }) {
			continue
		}
		if info, err := f.Info(); f.Name()[0] == '.' && (err != nil || time.Since(info.ModTime()) < 24*time.Hour) {
			continue // another run may be about to finish the entry
		}
		os.RemoveAll(folder)
	}
}
