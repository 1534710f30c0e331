package modules

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A Program is a kernel with additional packages compiled in.
type Program struct {
	Path     string   // of the executable file
	Packages []string // compiled in, sorted
	Known    bool     // it was in the cache
	WithoutC []string // packages passed to Compile that lack their C code; only set for a new program

	manifest *manifest
}

// A manifest describes a program in the cache.
type manifest struct {
	Base     string            `json:"base"`     // the hash of everything but requires, packages and local
	Requires map[string]string `json:"requires"` // versions by module, as requested
	Packages []string          `json:"packages"` // sorted
	Modules  []Module          `json:"modules"`
	Linked   []string          `json:"linked"` // all packages
	Local    []localPackage    `json:"local,omitempty"`
	Sums     map[string]string `json:"sums"` // of the modules, by path and version, as in go.sum
	Go       string            `json:"go"`
	Size     int64             `json:"size"`
	SHA256   string            `json:"sha256"`
	Built    time.Time         `json:"built"`
}

const manifestFile = "manifest.json"

// executable returns the name of the executable file.
func executable() string {
	if runtime.GOOS == "windows" {
		return "overcomplete.exe"
	}
	return "overcomplete"
}

// readProgram reads a folder of the cache. It returns nil if the folder contains no complete program.
func readProgram(dir string) *Program {
	text, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		return nil
	}
	m := &manifest{}
	if json.Unmarshal(text, m) != nil {
		return nil
	}
	p := &Program{Path: filepath.Join(dir, executable()), Packages: m.Packages, Known: true, manifest: m}
	if info, err := os.Stat(p.Path); err != nil || info.Size() != m.Size {
		return nil
	}
	return p
}

// programs returns the folder with the programs of a cache.
func programs(cache string) string { return filepath.Join(cache, "programs") }

// readPrograms lists the programs in a cache, most recently used first.
func readPrograms(cache string) []*Program {
	entries, err := os.ReadDir(programs(cache))
	if err != nil {
		return nil
	}
	type used struct {
		p *Program
		t time.Time
	}
	var list []used
	for _, d := range entries {
		if d.Name()[0] == '.' {
			continue
		}
		dir := filepath.Join(programs(cache), d.Name())
		if p := readProgram(dir); p != nil {
			list = append(list, used{p, lastUsed(dir)})
		}
	}
	slices.SortFunc(list, func(a, b used) int { return b.t.Compare(a.t) })
	var out []*Program
	for _, u := range list {
		out = append(out, u.p)
	}
	return out
}

// lastUsed returns when the program in dir was made or last used: the time of its manifest.
func lastUsed(dir string) time.Time {
	info, err := os.Stat(filepath.Join(dir, manifestFile))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// touch records that a program is in use.
func (p *Program) touch() {
	now := time.Now()
	os.Chtimes(filepath.Join(filepath.Dir(p.Path), manifestFile), now, now)
}

// serves reports whether the program satisfies a spec.
func (m *manifest) serves(w *programSpec) bool {
	if m.Base != w.base || !contains(m.Packages, w.packages) || len(m.Requires) != len(w.requires) {
		return false
	}
	for path, version := range w.requires {
		if m.Requires[path] != version {
			return false
		}
	}
	return m.unchanged() && m.agrees(w.sum)
}

// agrees reports whether no line of a go.sum contradicts the checksum of a module in the program.
func (m *manifest) agrees(sum string) bool {
	for key, hash := range parseSums(sum) {
		if was := m.Sums[key]; was != "" && was != hash {
			return false
		}
	}
	return true
}

// parseSums returns the checksums of modules in a go.sum, without those of go.mod files.
func parseSums(sum string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(sum) {
		if w := strings.Fields(line); len(w) == 3 && !strings.HasSuffix(w[1], "/go.mod") {
			out[w[0]+" "+w[1]] = w[2]
		}
	}
	return out
}

// unchanged reports whether all local packages are as they were when compiled.
func (m *manifest) unchanged() bool {
	for _, l := range m.Local {
		if !l.current() {
			return false
		}
	}
	return true
}

// contains reports whether the sorted list contains all of some.
func contains(list, some []string) bool {
	for _, s := range some {
		if _, ok := slices.BinarySearch(list, s); !ok {
			return false
		}
	}
	return true
}
