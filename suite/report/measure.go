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

// A measureInput is the input of the script measure.js, which measures the claims of a paper in the reader's
// browser: addresses relative to the paper's page, and the results to compare with.
type measureInput struct {
	Module   string `json:"module"`
	Package  string `json:"package"` // of the paper
	Size     string `json:"size"`
	Seed     uint64 `json:"seed"`
	Expected string `json:"expected"` // results of an earlier run at this size
	Kernel   string `json:"kernel"`
	Worker   string `json:"worker"`
	Brotli   string `json:"brotli"`
	BR       string `json:"br,omitempty"`
	GZ       string `json:"gz,omitempty"`
	Script   string `json:"-"`

	names map[string]string // of the paper's experiments, by the origin of their rows
}

// measureInput returns the input of measure.js for the page of p. It also writes the file of expected results that this
// input names. It returns nil if readers cannot measure the claims of p in the browser. Measuring them needs a site
// with Options.Live and its script measure.js, the paper in Live.Papers, and expected results of smoke size.
func (w *writer) measureInput(p *paper) (*measureInput, error) {
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
		m := &measureInput{
			Module: module.Path, Package: paper.Package(), Size: e.Results.Size, Seed: e.Results.Seed, Expected: path.Join("expected", p.name+".json"),
			Kernel: l.Root + l.Files.Kernel, Worker: l.Root + l.Files.Worker, Brotli: l.Root + l.Files.Brotli, BR: l.Files.BrotliSum, GZ: l.Files.GzipSum,
			Script: l.Root + l.Files.Measure, names: experimentNames(paper),
		}
		return m, w.folder.write(m.Expected, text)
	}
	return nil, nil
}

// experimentNames maps the origin of a row, such as "paper/bradley2008.Lab.Table2", to the name of its experiment, for
// the experiments of one paper.
func experimentNames(p lab.Paper) map[string]string {
	folder, _ := module.Folder(p.Package())
	names := map[string]string{}
	for _, e := range p.Experiments {
		names[folder+".Lab."+e.Func()] = e.Name
	}
	return names
}
