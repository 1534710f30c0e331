package reach

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"
)

// bindings are folders of generated code that mentions all packages a cell may import, and so most of the module. Only
// the kernel and the command import these folders. Reach does not follow the code in them.
var bindings = []string{"kernel/internal/bindings", "cmd/overcomplete/bindings"}

// A Code holds the source of a module as it was when Scan read it. Its methods may
// be called from several goroutines.
type Code struct {
	tree    fs.FS
	module  string                            // its path
	modules map[string]string                 // a line for each module that this one requires, by path
	folders map[string]*folder                // by import path
	linked  map[qualifiedName][]qualifiedName // by target of a //go:linkname directive: the local names

	mu       sync.Mutex // guards the fields below, including the results of parsing and type-checking that the map folders holds
	set      *token.FileSet
	declared map[types.Object][]*declaration
}

// Scan reads the Go and assembler files of the module whose go.mod is in root,
// without tests, testdata, vendor, nested modules, and folders whose names begin with
// a dot or an underscore. A package is parsed and
// type-checked when Reach first needs it.
func Scan(root string) (*Code, error) { return scan(os.DirFS(root)) }

func scan(tree fs.FS) (*Code, error) {
	text, err := fs.ReadFile(tree, "go.mod")
	if err != nil {
		return nil, fmt.Errorf("reach: not the root of a module: %w", err)
	}
	sums, err := fs.ReadFile(tree, "go.sum")
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("reach: %w", err)
	}
	c := &Code{tree: tree, folders: map[string]*folder{}, linked: map[qualifiedName][]qualifiedName{},
		set: token.NewFileSet(), declared: map[types.Object][]*declaration{}}
	if c.module, c.modules, err = readModfile(text, sums); err != nil {
		return nil, err
	}
	if err := c.enter("."); err != nil {
		return nil, fmt.Errorf("reach: %w", err)
	}
	return c, nil
}

// enter reads the files of a folder and of its subfolders.
func (c *Code) enter(dir string) error {
	entries, err := fs.ReadDir(c.tree, dir)
	if err != nil {
		return err
	}
	if dir != "." {
		for _, e := range entries {
			if e.Name() == "go.mod" {
				return nil // another module
			}
		}
	}
	fo := &folder{dir: dir, path: path.Join(c.module, dir), links: map[string][]qualifiedName{}}
	for _, e := range entries {
		name := e.Name()
		if name[0] == '.' || name[0] == '_' {
			continue
		}
		full := path.Join(dir, name)
		if e.IsDir() {
			if name == "testdata" || name == "vendor" || slices.Contains(bindings, full) {
				continue
			}
			if err := c.enter(full); err != nil {
				return err
			}
			continue
		}
		ext := path.Ext(name)
		switch {
		case ext != ".go" && ext != ".s" && ext != ".h" && ext != ".inc", strings.HasSuffix(name, "_test.go"):
			continue
		case e.Type()&fs.ModeSymlink != 0: // links to files count, as for the go command
			if info, err := fs.Stat(c.tree, full); err != nil || info.IsDir() {
				continue
			}
		}
		src, err := fs.ReadFile(c.tree, full)
		if err != nil {
			return err
		}
		if ext != ".go" {
			fo.assembler = append(fo.assembler, &assembly{name: full, src: src})
			continue
		}
		f := &file{folder: fo, name: full, src: src}
		fo.files = append(fo.files, f)
		c.linknames(fo, src)
	}
	if len(fo.files) > 0 {
		c.folders[fo.path] = fo
	}
	return nil
}

// isInside reports whether an import path belongs to this module.
func (c *Code) isInside(importPath string) bool {
	rest, ok := strings.CutPrefix(importPath, c.module)
	return ok && (rest == "" || rest[0] == '/')
}

// isFollowed reports whether an import path belongs to this module and its code is followed.
func (c *Code) isFollowed(importPath string) bool {
	folder := strings.TrimPrefix(strings.TrimPrefix(importPath, c.module), "/")
	return c.isInside(importPath) && !slices.ContainsFunc(bindings, func(b string) bool {
		return folder == b || strings.HasPrefix(folder, b+"/")
	})
}

// readModfile returns the path of the module that go.mod declares, and a line "path version sum" for each module that
// it requires, by that module's path. For a module that go.mod replaces, the line names the replacement, too. text and
// sums are the contents of go.mod and go.sum.
func readModfile(text, sums []byte) (module string, lines map[string]string, err error) {
	f, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return "", nil, fmt.Errorf("reach: %w", err)
	}
	if f.Module == nil {
		return "", nil, errors.New("reach: go.mod has no module line")
	}
	sum := map[string]string{}
	for line := range strings.Lines(string(sums)) {
		if words := strings.Fields(line); len(words) == 3 {
			sum[words[0]+" "+words[1]] = " " + words[2]
		}
	}
	lines = map[string]string{}
	for _, required := range f.Require {
		m := required.Mod
		id, by := m.Path+" "+m.Version, ""
		for _, r := range f.Replace {
			if r.Old == m || r.Old.Path == m.Path && r.Old.Version == "" && by == "" {
				id, by = strings.TrimSpace(r.New.Path+" "+r.New.Version), m.Path+" => "
			}
		}
		lines[m.Path] = by + id + sum[id]
	}
	return f.Module.Mod.Path, lines, nil
}

// moduleLine returns the line of the module that provides an import path (see readModfile). It returns "" for the
// standard library.
func (c *Code) moduleLine(importPath string) string {
	for p := importPath; p != "." && p != "/"; p = path.Dir(p) {
		if line := c.modules[p]; line != "" {
			return line
		}
	}
	if first, _, _ := strings.Cut(importPath, "/"); !strings.Contains(first, ".") {
		return ""
	}
	return importPath + " (not in go.mod)"
}
