package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"gonum.org/v1/gonum/mat"

	"overcomplete/paper/record"
)

// A Store keeps matrices that take long to make, such as a learned basis or an
// error rate, under a key, so that a run that was stopped continues where it was.
// The key must name everything that the matrix depends on. A matrix in the folder
// Kept (which is under version control: small things that must last) is not made
// again; a matrix that is made is written to Folder. If Folder is empty, the
// Store keeps nothing on disk.
type Store struct {
	Kept, Folder string
	// Fresh ignores what is in Folder and makes it again, once. What is in Kept
	// stays.
	Fresh bool
	// Used is called with the path of each file that is read, written, or not found
	// in Kept. It may be nil.
	Used   func(path string)
	memory map[string]*mat.Dense
}

// FreshVariable is the environment variable that demands that stages be made anew.
// 'overcomplete run --fresh' sets it.
const FreshVariable = "OVERCOMPLETE_FRESH"

// Stages returns the store of a run: at medium and full size it is in the user's
// cache, otherwise in memory alone. kept is a folder below the project's root, or ""
// for none.
func (l Lab) Stages(kept string) *Store {
	s := &Store{Fresh: os.Getenv(FreshVariable) != "", Used: func(path string) { Check(l.UseFile(path)) }}
	if kept != "" {
		s.Kept = filepath.Join(l.Root, filepath.FromSlash(kept))
	}
	if l.Full() || l.Size == record.Medium {
		cache, err := os.UserCacheDir()
		Check(err)
		s.Folder = filepath.Join(cache, "overcomplete", "stages", l.Paper)
	}
	return s
}

var keys = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)

// Matrix returns the matrix with the given key (lower-case letters, digits,
// hyphens, points). If it is not kept anywhere yet, Matrix calls make. The
// caller must not modify the result.
func (s *Store) Matrix(key string, make func() *mat.Dense) *mat.Dense {
	if !keys.MatchString(key) {
		panic(fmt.Sprintf("lab: Store.Matrix: the key %q is not made of lower-case letters, digits, hyphens and points", key))
	}
	if m, ok := s.memory[key]; ok {
		return m
	}
	m := s.find(key)
	if m == nil {
		m = make()
		if s.Folder != "" {
			Check(os.MkdirAll(s.Folder, 0o777))
			path := filepath.Join(s.Folder, key+".mat")
			Check(WriteMatrix(path, m))
			s.used(path)
		}
	}
	if s.memory == nil {
		s.memory = map[string]*mat.Dense{}
	}
	s.memory[key] = m
	return m
}

// Numbers is like Matrix for a few numbers, such as an error rate and the
// settings that were chosen.
func (s *Store) Numbers(key string, make func() []float64) []float64 {
	return s.Matrix(key, func() *mat.Dense {
		x := make()
		return mat.NewDense(1, len(x), x)
	}).RawRowView(0)
}

// Has reports whether Matrix would find the key.
func (s *Store) Has(key string) bool {
	return s.memory[key] != nil || s.find(key) != nil
}

// find looks on disk; a broken file is an error and not made anew in silence.
func (s *Store) find(key string) *mat.Dense {
	for _, folder := range []string{s.Kept, s.Folder} {
		if folder == "" || folder == s.Folder && s.Fresh {
			continue
		}
		path := filepath.Join(folder, key+".mat")
		m, err := ReadMatrix(path)
		if errors.Is(err, fs.ErrNotExist) {
			if folder == s.Kept {
				s.used(path)
			}
			continue
		}
		Check(err)
		s.used(path)
		return m
	}
	return nil
}

func (s *Store) used(path string) {
	if s.Used != nil {
		s.Used(path)
	}
}
