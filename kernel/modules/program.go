package modules

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A Program is a kernel with additional packages compiled in.
type Program struct {
	Path     string   // path of the executable file
	Packages []string // compiled in, sorted
	Known    bool     // the program was already in the cache
	WithoutC []string // those of the packages passed to Compile that were compiled without their C code; only set for a newly built program

	manifest *manifest
}

// A manifest describes a program in the cache.
type manifest struct {
	Base     string            `json:"base"`     // hash of everything except requires, packages and local
	Requires map[string]string `json:"requires"` // versions by module, as requested
	Packages []string          `json:"packages"` // sorted
	Modules  []Module          `json:"modules"`
	Linked   []string          `json:"linked"` // all linked packages
	Local    []localPackage    `json:"local,omitempty"`
	Sums     map[string]string `json:"sums"` // checksums of modules by path and version, as in go.sum
	Go       string            `json:"go"`
	Size     int64             `json:"size"`
	SHA256   string            `json:"sha256"`
	Built    time.Time         `json:"built"`
}

const manifestFile = "manifest.json"

// executable returns the file name of a program.
func executable() string {
	if runtime.GOOS == "windows" {
		return "overcomplete.exe"
	}
	return "overcomplete"
}

// readProgram reads a program's folder in the cache. It returns nil if the folder contains no complete program.
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

// lastUsed returns the time at which the program in dir was built or last used. This is the time of its
// manifest.
func lastUsed(dir string) time.Time {
	info, err := os.Stat(filepath.Join(dir, manifestFile))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// touch records that the program has been used.
func (p *Program) touch() {
	now := time.Now()
	os.Chtimes(filepath.Join(filepath.Dir(p.Path), manifestFile), now, now)
}

// serves reports whether the program has everything that a programSpec asks for.
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

// agrees reports whether the module checksums in a go.sum are consistent with those of the program.
func (m *manifest) agrees(sum string) bool {
	for key, hash := range parseSums(sum) {
		if was := m.Sums[key]; was != "" && was != hash {
			return false
		}
	}
	return true
}

// parseSums returns the checksums of modules in a go.sum. It leaves out checksums of go.mod files.
func parseSums(sum string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(sum) {
		if w := strings.Fields(line); len(w) == 3 && !strings.HasSuffix(w[1], "/go.mod") {
			out[w[0]+" "+w[1]] = w[2]
		}
	}
	return out
}

// unchanged reports whether all local packages are unchanged since they were compiled.
func (m *manifest) unchanged() bool {
	for _, l := range m.Local {
		if !l.current() {
			return false
		}
	}
	return true
}

// contains reports whether the first list contains all elements of the second. Both lists are sorted.
func contains(list, items []string) bool {
	for _, s := range items {
		if _, ok := slices.BinarySearch(list, s); !ok {
			return false
		}
	}
	return true
}

// Check verifies that the program's file is unchanged since it was compiled, and that only the user could have
// written it. Call it before starting the program.
func (p *Program) Check() error {
	dir := filepath.Dir(p.Path)
	for _, name := range []string{filepath.Dir(filepath.Dir(dir)), filepath.Dir(dir), dir, p.Path} {
		if err := trusted(name); err != nil {
			return p.bad(err)
		}
	}
	if readStamp(dir, p.Path) {
		p.touch()
		return nil
	}
	size, sum, err := hash(p.Path)
	if err != nil {
		return p.bad(err)
	}
	if size != p.manifest.Size || sum != p.manifest.SHA256 {
		// The file is useless. Without a manifest it will be compiled again.
		os.Remove(filepath.Join(dir, manifestFile))
		return p.bad(fmt.Errorf("%s is not the program that was compiled", p.Path))
	}
	writeStamp(dir, p.Path)
	p.touch()
	return nil
}

func (p *Program) bad(err error) error {
	return &Error{Kind: Failed, What: p.Path, Text: "the compiled program is not safe to start: " + err.Error(), Advice: "run the cell again, which recompiles the program"}
}

// stampFile is the name of a file that records the state of the program's file at the last verification of its
// checksum. Computing the checksum takes up to a quarter of a second. It is unnecessary while inode, size and all times
// of the file are the same: every write sets a file's change time (ctime), and only the superuser can reset the change
// time.
const stampFile = "checked"

// readStamp reports whether the checksum of a file has been verified since the file last changed.
func readStamp(dir, file string) bool {
	now := stamp(file)
	was, err := os.ReadFile(filepath.Join(dir, stampFile))
	return err == nil && now != "" && strings.TrimSpace(string(was)) == now && trusted(filepath.Join(dir, stampFile)) == nil
}

// writeStamp records that the checksum of a file has been verified. Without this record the checksum is
// computed again.
func writeStamp(dir, file string) {
	if now := stamp(file); now != "" {
		os.WriteFile(filepath.Join(dir, stampFile), []byte(now+"\n"), 0o600)
	}
}
