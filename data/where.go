package data

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Variable is the environment variable that names the folder with the data sets.
const Variable = "OVERCOMPLETE_DATA"

// ErrAbsent means that a data set is not on this machine. An error that wraps ErrAbsent says how to get the
// set.
var ErrAbsent = errors.New("the data set is not on this machine")

// ErrDamaged means that a file is present but has the wrong content.
var ErrDamaged = errors.New("the file is damaged, or is a different file")

// Folders returns the folders in which package data looks for sets, in order. The first is the folder named by the
// environment variable OVERCOMPLETE_DATA, if that is set. The next is overcomplete/data in the user's cache folder, if
// there is a cache folder. The folders need not exist. If the list would be empty, the error wraps ErrAbsent. The
// error also wraps ErrAbsent if the variable is set to the empty string.
func Folders() ([]string, error) {
	dir, set := os.LookupEnv(Variable)
	if set && dir == "" {
		return nil, fmt.Errorf("data: %w: %s is set to an empty string, which means no real data; set it to a folder, or unset it", ErrAbsent, Variable)
	}
	var list []string
	if set {
		list = append(list, dir)
	}
	cache, err := os.UserCacheDir()
	if err == nil {
		list = append(list, filepath.Join(cache, "overcomplete", "data"))
	} else if !set {
		return nil, fmt.Errorf("data: %w: there is no cache folder (%v): set %s to a folder", ErrAbsent, err, Variable)
	}
	return list, nil
}

// Folder returns the first of [Folders], to which Get downloads.
func Folder() (string, error) {
	list, err := Folders()
	if err != nil {
		return "", err
	}
	return list[0], nil
}

// Path returns the path of a set's file. If file is "", it means the set's first file. Path does not check
// the content. If the file is missing, the error wraps ErrAbsent and says how to get it.
func Path(set, file string) (string, error) {
	s, f, err := find(set, file)
	if err != nil {
		return "", err
	}
	return path(s, f)
}

// Open opens a set's file, positioned at its beginning, after checking its content. If file is "", it means the set's
// first file. The error wraps ErrAbsent if the file is missing and ErrDamaged if the file fails the check. The file may
// have the name File.Name or one of the names in File.Also. These names can stand for different formats, such as zip
// and tar. The name and first bytes of the returned file show its format.
func Open(set, file string) (*os.File, error) {
	s, f, err := find(set, file)
	if err != nil {
		return nil, err
	}
	notifyWatchers(s.Name, f.Name)
	p, err := path(s, f)
	if err != nil {
		return nil, err
	}
	return openChecked(p, f)
}

func find(set, file string) (Set, File, error) {
	s, err := Find(set)
	if err != nil {
		return Set{}, File{}, err
	}
	f, err := s.file(file)
	return s, f, err
}

// path returns the path of f, found under any of its names in any of the folders that Folders returns. If there is no
// such file, the error wraps ErrAbsent and says how to get it.
func path(s Set, f File) (string, error) {
	dirs, err := Folders()
	if err != nil {
		return "", err
	}
	for _, dir := range dirs {
		if p, err := lookIn(dir, f); err != nil || p != "" {
			return p, err
		}
	}
	return "", absentError(s, f, dirs)
}

// lookIn returns the path of the file f in dir, or "" if dir has no file with any of f's names.
func lookIn(dir string, f File) (string, error) {
	for _, name := range f.names() {
		p := filepath.Join(dir, name)
		info, err := os.Stat(p)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", fmt.Errorf("data: %w", err)
		case info.Mode().IsRegular():
			return p, nil
		default:
			return "", fmt.Errorf("data: %s is not a file", p)
		}
	}
	return "", nil
}

// absentError returns an error that says how to get a file that is in none of dirs.
func absentError(s Set, f File, dirs []string) error {
	ways := []string{fmt.Sprintf("set %s to a folder that contains it", Variable)}
	if s.ByHand == "" {
		ways = append(ways, "run 'overcomplete data get "+s.Name+"'")
	}
	if len(f.URLs) > 0 {
		ways = append(ways, fmt.Sprintf("download %s to %s", f.URLs[0], filepath.Join(dirs[0], f.Name)))
	} else {
		ways = append(ways, fmt.Sprintf("put it into %s by hand: %s", dirs[0], s.ByHand))
	}
	return fmt.Errorf("data: %s: %w: there is no %s in %s; to get it, %s", s.Name, ErrAbsent,
		strings.Join(f.names(), " or "), strings.Join(dirs, " or "), strings.Join(ways, "; or "))
}
