package provision

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"overcomplete/internal/atomicfile"
	"overcomplete/kernel/modules"
)

// A record holds the packages and versions that were last compiled for a notebook. They determine the program
// with which its kernel starts next time.
type record struct {
	Env      []byte           `json:"env"` // result of the Env's method State
	Packages []string         `json:"packages"`
	Pinned   []modules.Module `json:"pinned,omitempty"`
}

// maxRecords is the maximum number of recorded notebooks.
const maxRecords = 200

// record returns the record for a program with the given packages.
func (p *Provider) record(packages []string) record {
	return record{Packages: packages, Pinned: slices.Clone(p.pinned)}
}

// remember writes the record r, to which it adds the current versions. It ignores errors: an earlier record then
// remains. If there is none, the kernel next starts with the plain program, which has no packages compiled in for the
// notebook.
func (p *Provider) remember(env Env, r record) {
	if p.opt.Record == "" {
		return
	}
	var err error
	if r.Env, err = env.State(); err != nil {
		return
	}
	text, err := json.Marshal(r)
	if err != nil {
		return
	}
	if old, err := os.ReadFile(p.opt.Record); err == nil && bytes.Equal(old, text) {
		return
	}
	dir := filepath.Dir(p.opt.Record)
	if os.MkdirAll(dir, 0o700) == nil && atomicfile.Write(p.opt.Record, text, 0o600) == nil {
		forget(dir)
	}
}

// forget removes the oldest records if there are too many.
func forget(dir string) {
	type file struct {
		name string
		time time.Time
	}
	var files []file
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), ".json") {
			files = append(files, file{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return b.time.Compare(a.time) })
	for _, f := range files[min(len(files), maxRecords):] {
		os.Remove(filepath.Join(dir, f.name))
	}
}

// readRecord reads a record. It returns nil if there is no readable record.
func readRecord(file string) *record {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	r := new(record)
	if json.Unmarshal(text, r) != nil || len(r.Packages) == 0 {
		return nil
	}
	return r
}

// Waiting returns the program with which the kernel of a notebook should start, according to its record in the given
// file. It returns nil if this is the plain program, which has no packages compiled in for the notebook, or if there is
// no usable program in the cache. Nothing is compiled. If there is no record, open is not called.
func Waiting(file string, open func(state []byte) (Env, error)) *modules.Program {
	return waiting(file, open, (*modules.Program).Check)
}

func waiting(file string, open func(state []byte) (Env, error), check func(*modules.Program) error) *modules.Program {
	r := readRecord(file)
	if r == nil {
		return nil
	}
	env, err := open(r.Env)
	if err != nil {
		return nil
	}
	defer env.Close()
	prog := env.Known(r.Packages)
	if prog == nil || check(prog) != nil {
		return nil
	}
	return prog
}

// recall opens the Env of the notebook's record if this program was started because of that record, and
// otherwise returns nil.
func (p *Provider) recall() Env {
	if p.opt.Record == "" || len(p.opt.Packages) == 0 {
		return nil
	}
	r := readRecord(p.opt.Record)
	if r == nil || slices.ContainsFunc(r.Packages, func(path string) bool { return !slices.Contains(p.opt.Packages, path) }) {
		return nil
	}
	env, err := p.opt.Open(r.Env)
	if err != nil {
		return nil
	}
	p.pinned = r.Pinned
	return env
}
