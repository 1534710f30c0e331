package report

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"overcomplete/internal/module"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
	"overcomplete/suite/regress"
)

// A measuring is what the script measure.js needs to have the claims of a paper measured in the
// reader's browser: addresses from the paper's page, and what it is compared with.
type measuring struct {
	Module   string `json:"module"`
	Package  string `json:"package"` // of the paper
	Size     string `json:"size"`
	Seed     uint64 `json:"seed"`
	Expected string `json:"expected"` // the earlier run at this size
	Kernel   string `json:"kernel"`
	Worker   string `json:"worker"`
	Brotli   string `json:"brotli"`
	BR       string `json:"br,omitempty"`
	GZ       string `json:"gz,omitempty"`
	Script   string `json:"-"`

	names map[string]string // of the paper's experiments, by what rows have as their origin
}

// measuring writes what the claims of a paper are compared with, and returns nil if they cannot be
// measured in a browser: the site is not live, or nobody has looked at a run of this size.
func (w *writer) measuring(p *paper) (*measuring, error) {
	l := w.options.Live
	if l == nil || l.Files.Measure == "" {
		return nil, nil
	}
	for _, paper := range l.Papers {
		if paper.Notebook != p.name {
			continue
		}
		e, err := regress.Read(regress.Path(w.root, record.Smoke, p.name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		text, err := e.Results.Bytes()
		if err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		m := &measuring{
			Module: module.Path, Package: paper.Package(), Size: e.Results.Size, Seed: e.Results.Seed, Expected: path.Join("expected", p.name+".json"),
			Kernel: l.Root + l.Files.Kernel, Worker: l.Root + l.Files.Worker, Brotli: l.Root + l.Files.Brotli, BR: l.Files.BrotliSum, GZ: l.Files.GzipSum,
			Script: l.Root + l.Files.Measure, names: experimentNames(paper),
		}
		return m, w.folder.write(m.Expected, text)
	}
	return nil, nil
}

// experimentNames are the names of a paper's experiments by what rows have as their origin.
func experimentNames(p lab.Paper) map[string]string {
	folder, _ := module.Folder(p.Package())
	names := map[string]string{}
	for _, e := range p.Experiments {
		names[folder+".Lab."+e.Func()] = e.Name
	}
	return names
}
