package suite

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"overcomplete/data"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
)

const absent = data.Absent

// An entry is what is kept of one experiment: a folder with a file entry.json, a
// notebook with the cell alone, and the files of the figures.
type entry struct {
	Form    string            `json:"form"`
	Target  string            `json:"target"`
	Inputs  Inputs            `json:"inputs"`
	Used    []record.Used     `json:"used,omitempty"`
	Made    record.Making     `json:"made"`
	Seconds float64           `json:"seconds"`
	Events  []record.Event    `json:"events,omitempty"`
	Files   map[string]string `json:"files,omitempty"` // SHA-256 by name

	folder string
}

// outputs reads what the cell showed.
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

// The form of entry.json. An entry of another form does not count.
const (
	form      = "overcomplete/kept/1"
	entryName = "entry.json"
	cellName  = "cell.ipynb"
)

// most is how many results of an experiment with the same parameters are kept: those of
// a few states of the code, between which one goes to and fro.
const most = 3

// A store is a folder with entries: PAPER/TARGET/PARAMETERS/INPUTS.
type store struct{ folder string }

// place is the folder with the entries of a target for the parameters.
func (s store) place(paper, target string, parameters map[string]string) string {
	return filepath.Join(s.folder, paper, target, hash(parameters))
}

// entries reads those at a place, the one that was used last first. What
// cannot be read does not count.
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

// verify tells whether the files are as they were written.
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
	os.Chtimes(filepath.Join(e.folder, entryName), now, now) // at worst it goes sooner
}

// write keeps an entry, with what its cell shows and the files of its figures from the run's folder, and drops
// the oldest if there are too many. A reader finds all of it or nothing.
func (s store) write(place string, e *entry, c *notebook.Cell, from string) (err error) {
	if err := os.MkdirAll(place, 0o777); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(place, ".new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
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
			for _, name := range record.FigureFiles(ev.Figure.Name) {
				if err := keep(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
			}
		case ev.File != "":
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
	to := filepath.Join(place, hash(e.Inputs, e.Used))
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.Rename(tmp, to); err != nil {
		return err
	}
	s.prune(place)
	return nil
}

// prune drops what was used longest ago, what cannot be read, and what was begun and never
// finished. If it fails, that costs space only.
func (s store) prune(place string) {
	good := s.entries(place)
	good = good[:min(most, len(good))]
	list, _ := os.ReadDir(place)
	for _, f := range list {
		folder := filepath.Join(place, f.Name())
		if slices.ContainsFunc(good, func(e *entry) bool { return e.folder == folder }) {
			continue
		}
		if info, err := f.Info(); f.Name()[0] == '.' && (err != nil || time.Since(info.ModTime()) < 24*time.Hour) {
			continue // another run may be about to finish it
		}
		os.RemoveAll(folder)
	}
}
