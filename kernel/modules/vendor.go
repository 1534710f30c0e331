package modules

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// A vendoredModule is a module in a vendor folder.
type vendoredModule struct {
	path, version string
	goes          string // language version, or "" if modules.txt has none
	dir           string
}

// vendoredModules lists the modules in the vendor folder next to the ruling go.mod. The list is empty if the
// go command would not use the folder.
func (e *Env) vendoredModules(c *toolchainChoice) ([]vendoredModule, error) {
	if e.ruling.kind != goMod || e.mod != "" || strings.Contains(c.flags, "-mod=mod") || strings.Contains(c.flags, "-mod=readonly") {
		return nil, nil
	}
	folder := filepath.Join(e.ruling.dir, "vendor")
	text, err := os.ReadFile(filepath.Join(folder, "modules.txt"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []vendoredModule
	for _, v := range parseVendored(text) {
		v.dir = filepath.Join(folder, filepath.FromSlash(v.path))
		if info, err := os.Stat(v.dir); err == nil && info.IsDir() {
			list = append(list, v)
		}
	}
	return list, nil
}

// parseVendored parses vendor/modules.txt. Each module with packages in the folder has several lines: "# path
// version", with any replacement after "=>"; "## explicit; go 1.21", where each part may be missing; and one line per
// package. At the end of the file are lines for other replacements. They are not followed by packages, and
// parseVendored ignores them.
func parseVendored(text []byte) []vendoredModule {
	var list []vendoredModule
	packages := false
	drop := func() {
		if len(list) > 0 && !packages {
			list = list[:len(list)-1]
		}
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		line := lines.Text()
		if notes, ok := strings.CutPrefix(line, "## "); ok {
			for n := range strings.SplitSeq(notes, ";") {
				if v, ok := strings.CutPrefix(strings.TrimSpace(n), "go "); ok && len(list) > 0 {
					list[len(list)-1].goes = v
				}
			}
			continue
		}
		if rest, ok := strings.CutPrefix(line, "# "); ok {
			drop()
			packages = false
			w := strings.Fields(rest)
			v := vendoredModule{}
			if len(w) > 0 {
				v.path = w[0]
			}
			if len(w) > 1 && w[1] != "=>" {
				v.version = w[1]
			}
			list = append(list, v)
			continue
		}
		packages = packages || strings.TrimSpace(line) != ""
	}
	drop()
	return list
}

// vendor makes the extended program take modules from the vendor folder. The modules in the folder have no
// go.mod files, so the overlay adds them. The kernel's own modules still come from the module cache, because a
// vendor folder has only some packages of a module.
func (b *buildPlan) vendor() error {
	for _, v := range b.vendored {
		if b.fresh.requires[v.path] != "" || v.version == "" {
			continue
		}
		text := "module " + v.path + "\n"
		if v.goes != "" {
			text += "\ngo " + v.goes + "\n"
		}
		if err := b.put(filepath.Join(v.dir, "go.mod"), []byte(text)); err != nil {
			return err
		}
		b.q.takeFrom(v.path, v.dir)
	}
	return b.writeOverlay()
}

// takeFrom replaces all versions of a module with a folder.
func (q *requirement) takeFrom(path, dir string) {
	for old := range q.replaces {
		if old.Path == path {
			delete(q.replaces, old)
		}
	}
	q.replaces[modVersion(path)] = modVersion(dir)
	q.local[path] = dir
	if q.requires[path] == "" {
		q.requires[path] = noVersion(path)
	}
}
