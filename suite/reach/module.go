package reach

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"golang.org/x/mod/modfile"
)

// readModfile returns the path of the module that go.mod declares, and a line "path version sum" for each module that
// it requires, by that module's path. For a module that go.mod replaces, the line names the replacement, too. The
// arguments are the contents of go.mod and go.sum.
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
