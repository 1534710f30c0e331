// Package signature records which outputs were made on this computer, so that pages run scripts only in these outputs.
//
// Jupyter signs whole notebooks. This package signs each output, for two reasons: the kernel sees outputs, not
// the file that a front end writes, and a notebook of unknown origin does not become harmless because one of
// its cells has run on this computer. A signature is the HMAC-SHA256 of one representation of an output, with a
// key that only this user can read. Nobody can make a signature without the key. Signatures are stored next to
// the key, not in the notebook.
//
// Only active content is signed: HTML, Markdown (which may contain HTML) and JavaScript.
//
// The output of a cell is signed no matter who wrote the cell, because running a cell requires more trust than
// showing a page. If that is not true, for example because submissions are graded in a sandbox, make pages
// without this package (overcomplete export --clean).
package signature

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"overcomplete/internal/atomicfile"
	"overcomplete/kernel/notebook"
)

// Variable is the name of the environment variable that gives the folder for the key and the signatures. If the
// environment variable is "off", nothing is signed or trusted.
const Variable = "OVERCOMPLETE_TRUST"

const (
	keyFile        = "key"
	signaturesFile = "signatures"
	keySize        = 32
	// most is the number of signatures to keep; the oldest are dropped. The file is shortened when it has twice
	// as many.
	most = 20000
)

// active lists the MIME types of the representations that are signed.
var active = []string{"text/html", "text/markdown", "application/javascript"}

// A Store is a key with the signatures made with it. Its methods may be called by several goroutines, and
// several processes may use one folder.
type Store struct {
	dir string // "" if nothing is signed or trusted

	mu    sync.Mutex
	read  bool
	err   error // the error that occurred when the key or the signatures were read
	key   []byte
	known map[string]bool
	torn  bool // the file's last line is incomplete, because the disk was full
}

// ForUser returns the user's store. It is in the folder that the environment variable OVERCOMPLETE_TRUST names, or
// else in the user's configuration directory. If the variable is "off", or there is no such directory, the store signs
// and trusts nothing.
func ForUser() *Store {
	dir := os.Getenv(Variable)
	switch dir {
	case "off":
		return &Store{}
	case "":
		config, err := os.UserConfigDir()
		if err != nil {
			return &Store{}
		}
		dir = filepath.Join(config, "overcomplete", "trust")
	}
	return In(dir)
}

// In returns the store in the folder dir. The folder is created when something is signed for the first time.
func In(dir string) *Store { return &Store{dir: dir} }

// Sign signs the active representations of outputs and stores the signatures.
func (s *Store) Sign(outputs ...notebook.Output) error {
	var errs []error
	for _, o := range outputs {
		data, _ := o["data"].(map[string]any)
		errs = append(errs, s.SignData(data))
	}
	return errors.Join(errs...)
}

// SignData is like Sign for one output. The keys of data are the MIME types of the output's representations.
func (s *Store) SignData(data map[string]any) error {
	forms := formsOf(data)
	if s.dir == "" || len(forms) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(true); err != nil {
		return fmt.Errorf("signature: %w", err)
	}
	var lines strings.Builder
	for _, f := range forms {
		if sum := s.signature(f); !s.known[sum] {
			s.known[sum] = true
			lines.WriteString(sum + "\n")
		}
	}
	if lines.Len() == 0 {
		return nil
	}
	// Append all lines in one write, because other processes may append too.
	f, err := os.OpenFile(filepath.Join(s.dir, signaturesFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("signature: %w", err)
	}
	text := lines.String()
	if s.torn {
		text = "\n" + text
	}
	if _, err = f.WriteString(text); err != nil {
		s.read = false // read the file again next time, to get the lines of other processes
	}
	return errors.Join(err, f.Close())
}

// Signed reports whether an output has active representations and all of them were signed on this computer.
func (s *Store) Signed(o notebook.Output) bool {
	data, _ := o["data"].(map[string]any)
	forms := formsOf(data)
	if s.dir == "" || len(forms) == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.load(false) != nil {
		return false
	}
	return !slices.ContainsFunc(forms, func(f string) bool { return !s.known[s.signature(f)] })
}

// formsOf returns the texts to sign for one output: each active representation in data, preceded by its MIME type.
func formsOf(data map[string]any) (list []string) {
	for _, mime := range active {
		if text, _ := data[mime].(string); text != "" {
			list = append(list, mime+"\x00"+text)
		}
	}
	return list
}

func (s *Store) signature(form string) string {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte(form))
	return hex.EncodeToString(h.Sum(nil))
}

// load reads the key and the signatures once. If create is set, it creates a missing key.
func (s *Store) load(create bool) error {
	if s.read && (s.err == nil || !create) {
		return s.err
	}
	s.read = true
	s.key, s.err = s.readKey()
	if empty := errors.Is(s.err, errEmpty); create && (empty || errors.Is(s.err, fs.ErrNotExist)) {
		s.key, s.err = s.newKey(empty)
	}
	if s.err != nil {
		return s.err
	}
	text, err := os.ReadFile(filepath.Join(s.dir, signaturesFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.err = err
		return err
	}
	s.torn = len(text) > 0 && text[len(text)-1] != '\n'
	lines := bytes.Fields(text)
	if len(lines) > 2*most && create {
		lines = lines[len(lines)-most:]
		// Signatures that another process appends during this write are lost. Pages will then clean the
		// outputs that had these signatures.
		s.err = atomicfile.Write(filepath.Join(s.dir, signaturesFile), append(bytes.Join(lines, []byte("\n")), '\n'), 0o600)
		s.torn = s.torn && s.err != nil
	}
	s.known = make(map[string]bool, len(lines))
	for _, l := range lines {
		s.known[string(l)] = true
	}
	return s.err
}

// errEmpty is the error for an empty key. The program that created the key was killed, or the disk was full,
// before the key was written, so no output has been signed with it.
var errEmpty = errors.New("the file is empty")

func (s *Store) readKey() ([]byte, error) {
	file := filepath.Join(s.dir, keyFile)
	key, err := os.ReadFile(file)
	switch {
	case err == nil && len(key) == 0:
		return nil, fmt.Errorf("%s: %w", file, errEmpty)
	case err == nil && len(key) != keySize:
		return nil, fmt.Errorf("%s is damaged: remove it and the file %s beside it", file, signaturesFile)
	}
	return key, err
}

// newKey creates and returns the key. If another process has created a key first, newKey returns that one. If empty is
// true, a key file exists but has no content, and newKey overwrites it.
func (s *Store) newKey(empty bool) ([]byte, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	file, key := filepath.Join(s.dir, keyFile), make([]byte, keySize)
	rand.Read(key) // never fails
	write := atomicfile.Create
	if empty {
		write = atomicfile.Write
	}
	if err := write(file, key, 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return s.readKey()
}

// Condition returns the folder of the signatures, or "" if there is none. It returns an error if outputs cannot
// be signed or trusted. It changes nothing.
func (s *Store) Condition() (dir string, err error) {
	if s.dir == "" {
		return "", nil
	}
	_, err = s.readKey()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errEmpty) {
		return s.dir, nil // the folder is created when something is signed
	}
	if err == nil {
		err = private(filepath.Join(s.dir, keyFile))
	}
	if err == nil {
		var f *os.File
		switch f, err = os.OpenFile(filepath.Join(s.dir, signaturesFile), os.O_RDWR|os.O_APPEND, 0); {
		case err == nil:
			f.Close()
		case errors.Is(err, fs.ErrNotExist):
			err = nil
		}
	}
	return s.dir, err
}

// private returns an error if other users can access the key file.
func private(file string) error {
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return fmt.Errorf("other users can read the key %s and sign outputs in your name: remove it and the file %s beside it", file, signaturesFile)
}
