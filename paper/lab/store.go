package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/atomicfile"
	"overcomplete/paper/record"
)

// A Store keeps matrices that take a long time to compute, such as a learned basis or an error rate, so that a stopped run
// can resume. Each matrix has a key, which must name everything on which the matrix depends. The folder Kept is under
// version control, for small matrices that must last. A matrix in Kept is never computed again; it is in a separate
// file or in an archive (see Pack). A new matrix is written to Folder, as a separate file with its key next to it. If
// Folder is empty, the Store keeps nothing on disk.
type Store struct {
	Kept, Folder string
	// Fresh says whether to compute each matrix anew, once, even if Folder contains it. Matrices in Kept are used
	// anyway. A nil Fresh means no.
	Fresh func() bool
	// Used is called with the path of each file that is read, written, or not found in Kept. For a matrix in
	// an archive it is called with the archive's path. Used may be nil.
	Used   func(path string)
	memory map[Key]*mat.Dense
}

// Stages returns the Store of a run. At medium and full size its Folder is in the user's cache; at other sizes it
// keeps new matrices only in memory. kept is the Store's folder Kept, relative to the project's root, or "" for none.
func (l Lab) Stages(kept string) *Store {
	s := &Store{Fresh: l.Fresh, Used: func(path string) { Check(l.UseFile(path)) }}
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

// Matrix returns the matrix with the given key. If it is not stored yet, Matrix calls fn to make it. The caller must
// not modify the result.
func (s *Store) Matrix(key Key, fn func() *mat.Dense) *mat.Dense {
	if k, err := parseKey(string(key)); err != nil || k != key {
		panic(fmt.Sprintf("lab: Store.Matrix: %q is no key, use NewKey", key))
	}
	if m, ok := s.memory[key]; ok {
		return m
	}
	m := s.find(key)
	if m == nil {
		m = fn()
		if s.Folder != "" {
			Check(os.MkdirAll(s.Folder, 0o777))
			path := filepath.Join(s.Folder, key.Name()+matrixSuffix)
			Check(writeSettings(path, key)) // the key is written first, so that no stage lacks its key
			Check(WriteMatrix(path, m))
			s.noteUse(path)
		}
	}
	if s.memory == nil {
		s.memory = map[Key]*mat.Dense{}
	}
	s.memory[key] = m
	return m
}

func writeSettings(path string, key Key) error {
	return atomicfile.Write(path+settingsSuffix, []byte(key+"\n"), 0o644)
}

// Numbers is like Matrix for a few numbers, such as an error rate and the chosen settings.
func (s *Store) Numbers(key Key, make func() []float64) []float64 {
	return s.Matrix(key, func() *mat.Dense {
		x := make()
		return mat.NewDense(1, len(x), x)
	}).RawRowView(0)
}

// Has reports whether Matrix would find the matrix with the given key without computing it.
func (s *Store) Has(key Key) bool {
	return s.memory[key] != nil || s.find(key) != nil
}

// HasKept reports whether the matrix with the given key is in the folder Kept.
func (s *Store) HasKept(key Key) bool { return s.findKept(key) != nil }

// find returns the matrix with the given key from disk, or nil if it is not there. It panics if a file is damaged, so
// that no matrix is silently computed again.
func (s *Store) find(key Key) *mat.Dense {
	if m := s.findKept(key); m != nil {
		return m
	}
	if s.Folder == "" || s.Fresh != nil && s.Fresh() {
		return nil
	}
	path := filepath.Join(s.Folder, key.Name()+matrixSuffix)
	m, err := ReadMatrix(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	Check(err)
	s.noteUse(path)
	if _, err := os.Stat(path + settingsSuffix); errors.Is(err, fs.ErrNotExist) {
		_ = writeSettings(path, key) // an older version did not write the key; only packing needs the key
	}
	return m
}

// findKept returns the matrix with the given key from the folder Kept, or nil if it is not there. If the matrix is
// both in a separate file and in an archive, findKept reads the separate file, which is newer and not packed yet.
func (s *Store) findKept(key Key) *mat.Dense {
	if s.Kept == "" {
		return nil
	}
	path := filepath.Join(s.Kept, key.Name()+matrixSuffix)
	archive := archiveOf(s.Kept, key.Name())
	m, err := ReadMatrix(path)
	s.noteUse(path)
	if errors.Is(err, fs.ErrNotExist) {
		m, err = readPacked(archive, filepath.Base(path))
		s.noteUse(archive)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	Check(err)
	return m
}

func (s *Store) noteUse(path string) {
	if s.Used != nil {
		s.Used(path)
	}
}

// Settings is an ordered list of names with values, such as "data=mnist atoms=512".
type Settings string

// A Key identifies a stage, a stored intermediate result of the experiments, and lists everything on which the stage
// depends. It is a word followed by settings, such as "table2-kl size=full data=mnist atoms=512". The index of a
// folder of stages contains one key per line.
type Key string

var (
	settingName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
	settingWord = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)
)

// NewSettings joins settings, given as alternating names and values, or as Settings. It converts values to
// lower case. Values become part of file names, so NewSettings panics if a value contains characters other
// than letters, digits, hyphens and points.
func NewSettings(settings ...any) Settings {
	var list []string
	for i := 0; i < len(settings); i++ {
		switch s := settings[i].(type) {
		case Settings:
			list = append(list, strings.Fields(string(s))...)
		case string:
			if i++; i == len(settings) {
				panic(fmt.Sprintf("lab: the setting %q has no value", s))
			}
			value := strings.ToLower(fmt.Sprint(settings[i]))
			if !settingName.MatchString(s) || !settingWord.MatchString(value) {
				panic(fmt.Sprintf("lab: the setting %s=%s: a value is made of letters, digits, hyphens and points, a name of small letters, digits and hyphens", s, value))
			}
			list = append(list, s+"="+value)
		default:
			panic(fmt.Sprintf("lab: the name of a setting is a string, not %v (%[1]T)", s))
		}
	}
	return Settings(strings.Join(list, " "))
}

// Name returns the values of the settings, joined by hyphens.
func (s Settings) Name() string {
	var values []string
	for setting := range strings.FieldsSeq(string(s)) {
		_, v, _ := strings.Cut(setting, "=")
		values = append(values, v)
	}
	return strings.Join(values, "-")
}

// NewKey returns a key; the settings are given as for NewSettings.
func NewKey(what string, settings ...any) Key {
	if !settingName.MatchString(what) {
		panic(fmt.Sprintf("lab: %q is not made of small letters, digits and hyphens", what))
	}
	return Key(what).With(settings...)
}

// With returns the key with further settings, which are given as for NewSettings.
func (k Key) With(settings ...any) Key {
	return Key(strings.TrimSpace(string(k) + " " + string(NewSettings(settings...))))
}

// Name returns the file name, without the ending, of the stage with this key: the key's word and the values of its
// settings, joined by hyphens.
func (k Key) Name() string {
	what, settings, some := strings.Cut(string(k), " ")
	if !some {
		return what
	}
	return what + "-" + Settings(settings).Name()
}

// parseKey parses a key.
func parseKey(line string) (Key, error) {
	fields := strings.Fields(line)
	if len(fields) == 0 || !settingName.MatchString(fields[0]) {
		return "", fmt.Errorf("%q does not begin with what the stage is", line)
	}
	for _, f := range fields[1:] {
		name, value, _ := strings.Cut(f, "=")
		if !settingName.MatchString(name) || !settingWord.MatchString(value) {
			return "", fmt.Errorf("%q: %q is no name=value", line, f)
		}
	}
	return Key(strings.Join(fields, " ")), nil
}
