package selfsource

import (
	"bufio"
	"bytes"
	"fmt"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"overcomplete/internal/module"
)

// roots holds the folders of the program, of the packages that the generated code of a larger program
// imports, of the kernel for browsers, and of the driver of devices.
var roots = []string{"cmd/overcomplete", "kernel/bind", "kernel/modules", "cmd/overcomplete-live", "cmd/overcomplete-gpu"}

// always lists files that are needed though no package mentions them.
var always = []string{"go.mod", "go.sum", "LICENSE"}

// Needed returns a sorted list of the files that are needed to compile the packages in the given folders on any system.
// root is the root folder of the module, as a file system. The list has the source files, except tests, of these
// packages and of the packages of the module that they import. Indirect imports count too, and so do imports under any
// build constraint. The list also has the files that the packages embed, and go.mod, go.sum and LICENSE.
func Needed(root fs.FS, folders []string) ([]string, error) {
	c := &collector{root: root, files: map[string]bool{}, seen: map[string]bool{}}
	for _, name := range always {
		if _, err := fs.Stat(root, name); err == nil {
			c.files[name] = true
		}
	}
	for _, dir := range folders {
		if err := c.folder(dir); err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(c.files)), nil
}

type collector struct {
	root  fs.FS
	files map[string]bool
	seen  map[string]bool // folders that have been added
}

// folder adds the files of the package in dir and of all packages of the module that this package imports, directly or
// indirectly.
func (c *collector) folder(dir string) error {
	if c.seen[dir] {
		return nil
	}
	c.seen[dir] = true
	entries, err := fs.ReadDir(c.root, dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case e.IsDir() || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_"):
		case path.Ext(name) == ".go":
			if err := c.goFile(dir, name); err != nil {
				return err
			}
		case path.Ext(name) == ".s" || path.Ext(name) == ".h":
			c.files[name] = true
		}
	}
	return nil
}

func (c *collector) goFile(dir, name string) error {
	text, err := fs.ReadFile(c.root, name)
	if err != nil {
		return err
	}
	if ignored(text) {
		return nil
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
	if err != nil {
		return err
	}
	c.files[name] = true
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if folder, ok := module.Folder(p); ok {
			if err := c.folder(folder); err != nil {
				return err
			}
		}
	}
	patterns, err := embeds(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, p := range patterns {
		if dir == own && p == archive {
			continue // the archive must not contain itself
		}
		if err := c.embed(dir, p); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// ignored reports whether a file's build constraint excludes it from every program.
func ignored(text []byte) bool {
	head, _, _ := bytes.Cut(text, []byte("\npackage "))
	for line := range strings.Lines(string(head)) {
		if line = strings.TrimSpace(line); constraint.IsGoBuild(line) {
			x, err := constraint.Parse(line)
			// Without the tag ignore, the constraint is never satisfied, whatever other tags are set.
			return err == nil && !x.Eval(func(tag string) bool { return tag != "ignore" }) && x.Eval(func(string) bool { return true })
		}
	}
	return false
}

// embeds returns the patterns of a file's go:embed directives.
func embeds(text []byte) ([]string, error) {
	if !bytes.Contains(text, []byte("//go:embed")) {
		return nil, nil
	}
	var list []string
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		rest, ok := strings.CutPrefix(lines.Text(), "//go:embed ")
		for rest = strings.TrimSpace(rest); ok && rest != ""; rest = strings.TrimSpace(rest) {
			if rest[0] != '"' && rest[0] != '`' {
				var p string
				p, rest, _ = strings.Cut(rest, " ")
				list = append(list, p)
				continue
			}
			q, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, fmt.Errorf("go:embed %s: %w", rest, err)
			}
			p, _ := strconv.Unquote(q)
			list, rest = append(list, p), rest[len(q):]
		}
	}
	return list, lines.Err()
}

// embed adds the files that a pattern of a go:embed directive matches.
func (c *collector) embed(dir, pattern string) error {
	pattern, all := strings.CutPrefix(pattern, "all:")
	matches, err := fs.Glob(c.root, path.Join(dir, pattern))
	if err != nil {
		return err
	}
	for _, m := range matches {
		err := fs.WalkDir(c.root, m, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if base := path.Base(name); name != m && !all && (base[0] == '.' || base[0] == '_') {
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if !d.IsDir() {
				c.files[name] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
