package reach

import (
	"errors"
	"strconv"
	"strings"
)

// A modfile holds the versions in a go.mod and its go.sum.
type modfile struct {
	module   string
	versions map[string]string // of the required modules, by path
	replaced map[string]string // "path" or "path version" to "path version" or a folder
	sums     map[string]string // "path version" to h1:...
}

func readModfile(text, sums string) (*modfile, error) {
	m := &modfile{versions: map[string]string{}, replaced: map[string]string{}, sums: map[string]string{}}
	block := ""
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		for i, w := range words {
			if s, err := strconv.Unquote(w); err == nil {
				words[i] = s
			}
		}
		switch {
		case len(words) == 0:
			continue
		case words[0] == ")":
			block = ""
			continue
		case len(words) == 2 && words[1] == "(":
			block = words[0]
			continue
		case block != "":
			words = append([]string{block}, words...)
		}
		switch {
		case words[0] == "module" && len(words) == 2:
			m.module = words[1]
		case words[0] == "require" && len(words) == 3:
			m.versions[words[1]] = words[2]
		case words[0] == "replace":
			old, new, ok := strings.Cut(strings.Join(words[1:], " "), " => ")
			if ok {
				m.replaced[old] = new
			}
		}
	}
	if m.module == "" {
		return nil, errors.New("reach: go.mod names no module")
	}
	for line := range strings.Lines(sums) {
		if words := strings.Fields(line); len(words) == 3 {
			m.sums[words[0]+" "+words[1]] = words[2]
		}
	}
	return m, nil
}

// line returns "path version sum" for the module that provides an import path, and "" for the
// standard library.
func (m *modfile) line(importPath string) string {
	for p := importPath; ; {
		if version, ok := m.versions[p]; ok {
			return m.describe(p, version)
		}
		slash := strings.LastIndexByte(p, '/')
		if slash < 0 {
			break
		}
		p = p[:slash]
	}
	first, _, _ := strings.Cut(importPath, "/")
	if !strings.Contains(first, ".") {
		return ""
	}
	return importPath + " (not in go.mod)"
}

func (m *modfile) describe(p, version string) string {
	line, id := p, p+" "+version
	by, ok := m.replaced[id]
	if !ok {
		by, ok = m.replaced[p]
	}
	if ok {
		line, id = p+" => "+by, by
	} else {
		line = id
	}
	if sum := m.sums[id]; sum != "" {
		line += " " + sum
	}
	return line
}
