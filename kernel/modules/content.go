package modules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A localPackage is a package whose source may change without a change of version.
type localPackage struct {
	Path   string   `json:"path"`
	Dir    string   `json:"dir"`
	Embeds []string `json:"embeds,omitempty"` // embedded files, relative to Dir
	Hash   string   `json:"hash"`
}

// compiledExtensions lists the extensions of files that the go command compiles.
var compiledExtensions = []string{".go", ".s", ".S", ".h", ".c", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".m", ".f", ".F", ".for", ".f90", ".syso", ".swig", ".swigcxx", ".sx"}

// content hashes the names and contents of a package's files, except tests. In folders with embedded files the
// names of all files are hashed, because a new file may be embedded too.
func content(dir string, embeds []string) (string, error) {
	h := sha256.New()
	add := func(name string) error {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintf(h, "\n%q\n", filepath.ToSlash(name))
		_, err = io.Copy(h, f)
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, d := range entries {
		if name := d.Name(); !d.IsDir() && slices.Contains(compiledExtensions, filepath.Ext(name)) && !strings.HasSuffix(name, "_test.go") {
			if err := add(name); err != nil {
				return "", err
			}
		}
	}
	folders := map[string]bool{}
	for _, name := range embeds {
		if err := add(name); err != nil {
			return "", err
		}
		if folder := filepath.Dir(name); !folders[folder] {
			folders[folder] = true
			entries, err := os.ReadDir(filepath.Join(dir, folder))
			if err != nil {
				return "", err
			}
			for _, d := range entries {
				fmt.Fprintf(h, "\n%q", d.Name())
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// locals returns the local packages among the given packages, with the hashes of their files. It leaves out the
// kernel's own packages, because the kernel's source has its own hash.
func locals(all []*goPackage) ([]localPackage, error) {
	var out []localPackage
	for _, p := range all {
		if p.Standard || !p.local() || isOwn(p.Module.Path) {
			continue
		}
		l := localPackage{Path: p.ImportPath, Dir: p.Dir, Embeds: p.EmbedFiles}
		var err error
		if l.Hash, err = content(l.Dir, l.Embeds); err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// current reports whether the package's files still have the hash l.Hash.
func (l localPackage) current() bool {
	hash, err := content(l.Dir, l.Embeds)
	return err == nil && hash == l.Hash
}

// recordLocals records the present state of local packages. The caller holds e.mu.
func (e *Env) recordLocals(list []localPackage) {
	for _, l := range list {
		e.seen[l.Path] = l
	}
}

// Changed returns the given paths whose packages are local and have changed. It compares the files of a package with
// the files that Sources last saw or, if Sources has not seen the package, with the files compiled into this program.
func (e *Env) Changed(paths []string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var changed []string
	for _, path := range paths {
		if l, ok := e.seen[path]; ok && !l.current() {
			changed = append(changed, path)
		}
	}
	return changed
}
