package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"overcomplete/data"
)

// An Event is one thing that a program added to one of its runs, or that a run used. A program that
// keeps results listens to events and replays them, so that experiments need not be repeated.
// Exactly one of the fields is set.
type Event struct {
	Row    *Row        `json:"row,omitempty"`
	Figure *FigureFile `json:"figure,omitempty"` // without its Files, which may not exist yet
	File   string      `json:"file,omitempty"`
	Sheet  *Layout     `json:"sheet,omitempty"`
	Used   *Dependency `json:"used,omitempty"`
	Run    *Run        `json:"-"` // a run that begins
}

// A Dependency is a data set or file outside the program on which results may depend.
type Dependency struct {
	Kind  string `json:"kind"`           // UsedData or UsedFile
	Name  string `json:"name"`           // the data set, or the path of the file (relative to the project's root if the file is in the project)
	File  string `json:"file,omitempty"` // the file of the data set
	State string `json:"state"`          // the file's checksum or other identification, or "absent"
}

// UsedData and UsedFile are the values of Dependency.Kind.
const (
	UsedData = "data"
	UsedFile = "file"
)

// Now returns a short string that identifies the present state of the data set or file, such as a checksum, or "absent"
// if it does not exist. root is the project's root; the path of a file in the project is relative to it.
func (u Dependency) Now(root string) (string, error) {
	if u.Kind == UsedData {
		return data.State(u.Name, u.File)
	}
	path := filepath.FromSlash(u.Name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return data.Absent, nil
	case err != nil:
		return "", fmt.Errorf("record: %w", err)
	}
	return fileState(path, info)
}

// wholeFile is the size in bytes up to which a file is identified by its content. A larger file, such as the
// features of a data set, is identified by its size and modification time: hashing the file would take
// minutes, and its readers check it anyway.
const wholeFile = 64 << 20

func fileState(path string, info fs.FileInfo) (string, error) {
	if !info.Mode().IsRegular() || info.Size() > wholeFile {
		return fmt.Sprintf("%d bytes of %s", info.Size(), info.ModTime().UTC().Format("2006-01-02T15:04:05.000000000Z")), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("record: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("record: %w", err)
	}
	return "sha256 " + hex.EncodeToString(h.Sum(nil))[:16], nil
}

// UseFile tells listeners that results may depend on the file with the given path, such as a basis learned earlier, or
// on the absence of that file.
func (r *Run) UseFile(path string) error {
	path, err := filepath.Abs(path) // absolute, because the working directory may be different when the path is used again
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	u := Dependency{Kind: UsedFile, Name: path}
	if rel, err := filepath.Rel(r.Root, path); err == nil && filepath.IsLocal(rel) {
		u.Name = filepath.ToSlash(rel)
	}
	if u.State, err = u.Now(r.Root); err != nil {
		return err
	}
	tell(Event{Used: &u})
	return nil
}

var listeners struct {
	sync.Mutex
	list []*func(Event)
}

// Listen calls fn with each event of this program's runs, and with an event for each data set that this program
// requests. The events arrive in order. Calling the returned function stops the calls to fn.
func Listen(fn func(Event)) (stop func()) {
	p := &fn
	listeners.Lock()
	listeners.list = append(listeners.list, p)
	listeners.Unlock()
	unwatch := data.Watch(func(set, file string) {
		state, err := data.State(set, file)
		if err != nil {
			state = err.Error()
		}
		fn(Event{Used: &Dependency{Kind: UsedData, Name: set, File: file, State: state}})
	})
	return func() {
		unwatch()
		listeners.Lock()
		defer listeners.Unlock()
		listeners.list = slices.DeleteFunc(listeners.list, func(q *func(Event)) bool { return q == p })
	}
}

func tell(e Event) {
	listeners.Lock()
	list := slices.Clone(listeners.list)
	listeners.Unlock()
	for _, do := range list {
		(*do)(e)
	}
}

// Replay adds the rows, figures, files and sheets of earlier events to the run, and skips all other events. The rows
// get the given Making. Figures and files are copied from folder. Replay does not notify listeners. It stops with
// an error at a row that is not valid or has a rule other than the declared one.
func (r *Run) Replay(events []Event, folder string, made Making) error {
	index := r.making(made)
	for _, e := range events {
		switch {
		case e.Row != nil:
			row := *e.Row
			row.Made = index
			if err := row.Validate(); err != nil {
				return err
			}
			if err := checkDeclared(r.declared, row); err != nil {
				return err
			}
			r.put(row)
		case e.Figure != nil:
			f := *e.Figure
			f.Files = nil
			if err := checkFigure(f.Name); err != nil {
				return err
			}
			if err := copyFigure(folder, r.Dir(), f.Name); err != nil {
				return err
			}
			r.putFigure(f)
		case e.File != "":
			if err := checkFile(e.File); err != nil {
				return err
			}
			if err := copyFile(folder, r.Dir(), e.File); err != nil {
				return err
			}
			r.putFile(e.File)
		case e.Sheet != nil:
			r.putSheet(*e.Sheet)
		}
	}
	return nil
}

// FigureFiles returns the names of the files that a figure may have.
func FigureFiles(name string) []string {
	return []string{name + ".csv", name + ".png", name + ".svg"}
}

func copyFigure(from, to, name string) error {
	found := false
	for _, file := range FigureFiles(name) {
		err := copyFile(from, to, file)
		if errors.Is(err, fs.ErrNotExist) {
			// Do not mistake a file of an earlier run for a file of this run.
			if err := os.Remove(filepath.Join(to, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("record: %w", err)
			}
			continue
		}
		if err != nil {
			return err
		}
		found = true
	}
	if !found {
		return fmt.Errorf("record: %s has no figure %s", from, name)
	}
	return nil
}

func copyFile(from, to, name string) error {
	b, err := os.ReadFile(filepath.Join(from, name))
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return writeFile(filepath.Join(to, name), b)
}

// making returns the index of m in r.made, and appends m if it is not there. The search ignores index 0, which belongs
// to what the run itself measures.
func (r *Run) making(m Making) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, old := range r.made {
		if i > 0 && old == m {
			return i
		}
	}
	r.made = append(r.made, m)
	return len(r.made) - 1
}
