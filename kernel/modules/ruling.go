package modules

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"overcomplete/internal/module"
)

type rulingKind int

const (
	none rulingKind = iota
	goMod
	goWork
)

// A ruling is the user's go.mod or go.work file that gives the versions.
type ruling struct {
	kind rulingKind
	file string // absolute path
	dir  string // folder of file
}

// findRuling looks for a go.work or go.mod in dir and above, as the go command does. The parameter goWorkEnv is the
// value of GOWORK. findRuling ignores this project's own go.mod: the project's packages are compiled in, and this
// go.mod should not affect the other imports of notebooks in a checkout. It also ignores the go.mod in the project's
// notebooks folder, which only keeps the notebooks out of the project's module.
func findRuling(dir, goWorkEnv string) ruling {
	switch goWorkEnv {
	case "":
		if file := above(dir, "go.work"); file != "" {
			return newRuling(goWork, file)
		}
	case "off":
	default:
		if filepath.IsAbs(goWorkEnv) {
			return newRuling(goWork, goWorkEnv)
		}
	}
	file := above(dir, "go.mod")
	if file == "" {
		return ruling{}
	}
	if text, err := os.ReadFile(file); err == nil {
		switch modfile.ModulePath(text) {
		case module.Path, module.Package("notebooks"):
			return ruling{}
		}
	}
	return newRuling(goMod, file)
}

// above looks for a file with the given name in dir and in the folders above it, and returns the path of the nearest
// one. It returns "" if there is none.
func above(dir, name string) string {
	for {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			return file
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

func newRuling(kind rulingKind, file string) ruling {
	return ruling{kind: kind, file: file, dir: filepath.Dir(file)}
}

// paths lists the modules with local source. It reads the ruling file each time.
func (r ruling) paths() (list []string) {
	q, err := r.requirement("")
	if err != nil {
		return nil // the go command will report the error
	}
	for path := range q.local {
		list = append(list, path)
	}
	return list
}

// local reports whether a package belongs to a module whose source is in one of the user's folders.
func (r ruling) local(path string) bool {
	for _, p := range r.paths() {
		if within(path, p) {
			return true
		}
	}
	return false
}

// within reports whether a package can be part of a module.
func within(pkg, mod string) bool {
	rest, ok := strings.CutPrefix(pkg, mod)
	return ok && (rest == "" || rest[0] == '/')
}

// longest returns the longest module path in byPath that can contain a package. ok is false if there is none.
func longest[V any](byPath map[string]V, pkg string) (path string, ok bool) {
	for p := range byPath {
		if within(pkg, p) && len(p) > len(path) {
			path, ok = p, true
		}
	}
	return path, ok
}
