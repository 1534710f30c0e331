// Rename gives the module another import path:
//
//	make rename MODULE=github.com/you/overcomplete
//
// It changes go.mod, each import, the notebooks' cells and the texts that show imports. It does not change
// the generated bindings, because make runs their generator afterwards. Nothing else in the project contains
// the path; see [overcomplete/internal/module].
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/modfile"
	gomodule "golang.org/x/mod/module"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/floors"
	"overcomplete/internal/module"
)

func main() {
	root := flag.String("root", ".", "the folder with the module's go.mod")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "usage: make rename MODULE=github.com/you/overcomplete\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	changed, err := rename(*root, module.Path, flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "rename:", err)
		os.Exit(1)
	}
	fmt.Printf("%d files have %s instead of %s\n", changed, flag.Arg(0), module.Path)
}

// skipped lists folders that are not changed, because make writes their content.
var skipped = []string{".git", "bin", "dist", "figures/run", "notebooks/run"}

// records is the folder with the records of runs. Records describe the past, so only the go.mod in this
// folder is changed.
const records = "figures/"

// rename changes the path of the module in root and returns how many files it has changed. It writes nothing
// before it has read and checked all files.
func rename(root, from, to string) (int, error) {
	if err := gomodule.CheckImportPath(to); err != nil {
		return 0, err
	}
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return 0, err
	}
	if have := modfile.ModulePath(text); have != from {
		return 0, fmt.Errorf("go.mod has module %s, and this program was built of %s: run it once more", have, from)
	}
	type change struct {
		name string
		mode fs.FileMode
		text []byte
	}
	var changes []change
	path := mentionPattern(from)
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, name)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if slices.Contains(skipped, filepath.ToSlash(rel)) {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular(), strings.HasPrefix(filepath.ToSlash(rel), records) && d.Name() != "go.mod":
			return nil
		}
		old, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if bytes.IndexByte(old, 0) >= 0 || !utf8.Valid(old) {
			return nil // a binary file, such as an archive or a picture
		}
		var now []byte
		if filepath.Base(name) == "go.mod" {
			now = renameInGoMod(old, from, to)
		} else {
			now = path.ReplaceAll(old, []byte("${1}"+to+"${2}"))
		}
		if filepath.ToSlash(rel) == remembering {
			now = remember(now, from)
		}
		if bytes.Equal(now, old) {
			return nil
		}
		if strings.HasSuffix(name, ".go") {
			// Formatting sorts the imports by path.
			if now, err = format.Source(now); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		changes = append(changes, change{name, info.Mode().Perm(), now})
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, c := range changes {
		if err := atomicfile.Write(c.name, c.text, c.mode); err != nil {
			return 0, err
		}
	}
	return len(changes), nil
}

// mentionPattern returns an expression that matches the beginning of the import paths of the module's packages: the
// module's path, a slash, and a top folder. The expression does not match another module whose path merely ends with
// this path.
func mentionPattern(path string) *regexp.Regexp {
	var rooms []string
	for _, r := range floors.Rooms {
		rooms = append(rooms, regexp.QuoteMeta(r.Name))
	}
	return regexp.MustCompile(`(^|[^A-Za-z0-9_./-])` + regexp.QuoteMeta(path) + `(/(?:` + strings.Join(rooms, "|") + `)\b)`)
}

// remembering is the file that lists the module's former paths, which cells may still import.
const remembering = "cmd/overcomplete/bindings/moved.go"

// remember adds path to the list of the module's former paths. text is the Go file with this list.
func remember(text []byte, path string) []byte {
	const list = "var formerly = []string{"
	return bytes.Replace(text, []byte(list), fmt.Appendf(nil, "%s%q, ", list, path), 1)
}

// renameInGoMod replaces the module's path in the text of a go.mod, including where the path of a nested module begins
// with it.
func renameInGoMod(text []byte, from, to string) []byte {
	word := regexp.MustCompile(`(?m)(^|[\s"])` + regexp.QuoteMeta(from) + `([\s"/]|$)`)
	return word.ReplaceAll(text, []byte("${1}"+to+"${2}"))
}
