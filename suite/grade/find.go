package grade

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overcomplete/internal/exercise"
)

// A Submission is the work handed in by one student.
type Submission struct {
	Student  string
	Notebook string // its path
	// Folder is the student's own folder, with the files that the notebook may read; "" if there is
	// none.
	Folder string
	// Fault says why there is no notebook to run, or is "".
	Fault string
}

// Find lists the submissions in a folder, sorted by student. Each notebook in the folder is a submission, and its file
// name is the student's name. Each subfolder is a submission too, and its name is the student's name. The argument
// notebook is the name of the notebook with the exercises. If a subfolder has several notebooks, the one with this name
// is the submission. A submission that cannot be run is listed with its Fault.
func Find(folder, notebook string) ([]Submission, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var list []Submission
	for _, e := range entries {
		name, path := e.Name(), filepath.Join(folder, e.Name())
		switch {
		case strings.HasPrefix(name, "."):
		case e.IsDir():
			if strings.HasPrefix(name, "_") { // __MACOSX, __pycache__
				continue
			}
			list = append(list, findInFolder(path, name, notebook))
		case filepath.Ext(name) != ".ipynb":
			// A link to a folder, or a broken link, is reported as a submission, because the student probably
			// meant it as one.
			if info, err := os.Stat(path); e.Type() == fs.ModeSymlink && (err != nil || info.IsDir()) {
				list = append(list, Submission{Student: name, Fault: fileFault("folder", e)})
			}
		case !e.Type().IsRegular():
			list = append(list, Submission{Student: strings.TrimSuffix(name, ".ipynb"), Fault: fileFault("file", e)})
		default:
			list = append(list, Submission{Student: strings.TrimSuffix(name, ".ipynb"), Notebook: path})
		}
	}
	if !slices.ContainsFunc(list, func(s Submission) bool { return s.Fault != noNotebook }) {
		return nil, fmt.Errorf("%s has no notebooks, and no folders with notebooks", folder)
	}
	slices.SortFunc(list, func(a, b Submission) int { return strings.Compare(a.Student, b.Student) })
	return list, nil
}

// fileFault returns the Fault of a submission e that is a link or another special file. The argument wanted says what
// is needed instead: a regular "file" or a "folder". Links are not followed, because they could lead to any of the
// lecturer's files.
func fileFault(wanted string, e fs.DirEntry) string {
	kind := "a device"
	switch t := e.Type(); {
	case t&fs.ModeSymlink != 0:
		kind = "a link"
	case t&fs.ModeNamedPipe != 0:
		kind = "a FIFO"
	case t&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return "it is " + kind + ", not a regular " + wanted + ": nothing was run"
}

const noNotebook = "there is no notebook in its folder"

// findInFolder finds the notebook in one student's folder. If there is no notebook, the submission's Fault says
// so.
func findInFolder(path, name, notebook string) Submission {
	s := Submission{Student: name, Folder: path}
	entries, err := os.ReadDir(path)
	if err != nil {
		s.Fault = "cannot read its folder: " + err.Error()
		return s
	}
	var found []string
	instead := ""
	for _, e := range entries {
		switch {
		case filepath.Ext(e.Name()) != ".ipynb", strings.HasPrefix(e.Name(), "."):
		case e.Type().IsRegular():
			found = append(found, e.Name())
		case !e.IsDir():
			instead = "its notebook: " + fileFault("file", e)
		}
	}
	switch {
	case len(found) == 0 && instead != "":
		s.Fault = instead
	case len(found) == 0:
		s.Fault = noNotebook
	case slices.Contains(found, notebook+".ipynb"):
		s.Notebook = filepath.Join(path, notebook+".ipynb")
	case len(found) == 1:
		s.Notebook = filepath.Join(path, found[0])
	default:
		s.Fault = fmt.Sprintf("there are %d notebooks, but none is named %s.ipynb: nothing was run", len(found), notebook)
	}
	return s
}

// Notebooks lists the notebooks that have exercises.
func Notebooks() []string {
	var names []string
	for _, t := range exercise.TasksOf("") {
		if !slices.Contains(names, t.Notebook) {
			names = append(names, t.Notebook)
		}
	}
	slices.Sort(names)
	return names
}

// FindNotebook finds the name of the notebook with the exercises by looking at the names of the notebooks in the
// students' folders. Exactly one of the names listed by Notebooks must occur in these folders; otherwise FindNotebook
// returns an error.
func FindNotebook(folder string) (string, error) {
	var found []string
	for _, name := range Notebooks() {
		if m, err := filepath.Glob(filepath.Join(escape(folder), "*", name+".ipynb")); err == nil && len(m) > 0 {
			found = append(found, name)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return "", errors.New("name the notebook of these exercises with --notebook: " + strings.Join(Notebooks(), ", "))
}

// escape returns a glob pattern that matches only the path.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
