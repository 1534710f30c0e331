package regress

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"overcomplete/internal/atomicfile"
	"overcomplete/paper/record"
	"overcomplete/suite/picture"
)

// A Snapshot holds the part of a run's results that this package compares. The run may be a fresh one, or the one that
// wrote the expected results.
type Snapshot struct {
	Results *record.Results              `json:"results"` // without the fields that may differ between equal runs
	Figures map[string]picture.Signature `json:"figures"` // by name; without figures that show times
}

// Path returns the path of the file with the expected results of a paper at a size. root is the project's folder.
func Path(root, size, paper string) string {
	return filepath.Join(root, "suite", "regress", "expected", size, paper+".json")
}

// Collect returns the snapshot of a run, given the folder with the run's results and figures.
func Collect(folder string) (*Snapshot, error) {
	e, err := CollectNumbers(folder)
	if err != nil {
		return nil, err
	}
	for name := range e.Figures {
		var files [2][]byte
		for i, ext := range []string{".svg", ".png"} {
			if files[i], err = os.ReadFile(filepath.Join(folder, name+ext)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("regress: %w", err)
			}
		}
		if e.Figures[name], err = picture.Sign(files[0], files[1]); err != nil {
			return nil, fmt.Errorf("regress: %s, figure %s: %w", e.Results.Paper, name, err)
		}
	}
	return e, nil
}

// CollectNumbers is like Collect, but leaves the signatures of figures empty. It is for runs that draw figures in
// another way, such as runs in a browser.
func CollectNumbers(folder string) (*Snapshot, error) {
	r, err := record.Read(filepath.Join(folder, record.FileName))
	if err != nil {
		return nil, err
	}
	e := &Snapshot{Results: comparedPart(r), Figures: map[string]picture.Signature{}}
	for _, f := range r.Figures {
		if !f.Timed {
			e.Figures[f.Name] = picture.Signature{}
		}
	}
	return e, nil
}

// comparedPart returns a copy of r without the fields that no comparison uses. It also removes the reasons
// for verdicts, because these contain numbers, unless the row's rule needs a reason.
func comparedPart(r *record.Results) *record.Results {
	p := *r
	p.Made = []record.Making{{}}
	p.Sheets, p.Files = nil, nil
	p.Rows, p.Figures = slices.Clone(p.Rows), slices.Clone(p.Figures)
	for i := range p.Rows {
		row := &p.Rows[i]
		row.Made, row.Origin = 0, record.Origin{}
		row.Spread, row.SpreadOf = 0, ""
		row.What, row.Look, row.Figure = row.ID, record.Look{}, ""
		if row.Rule.Why == "" {
			row.Reason = ""
		}
	}
	for i := range p.Figures {
		p.Figures[i].Origin, p.Figures[i].Caption, p.Figures[i].Files = record.Origin{}, "", nil
	}
	return &p
}

// A file is the form in which a Snapshot is stored.
type file struct {
	Results *record.Results              `json:"results"` // without the rows
	Rows    []record.Row                 `json:"rows"`    // without What, Size, Data and Seeds
	Figures map[string]picture.Signature `json:"figures"`
}

// Read reads expected results. The error wraps fs.ErrNotExist if there are
// none.
func Read(path string) (*Snapshot, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("regress: %w", err)
	}
	var f file
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if f.Results == nil {
		return nil, fmt.Errorf("%s contains no results", path)
	}
	for i := range f.Rows {
		r := &f.Rows[i]
		r.What, r.Size, r.Data.Name = r.ID, f.Results.Size, "not stored" // Validate requires data
	}
	f.Results.Rows = f.Rows
	if err := f.Results.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Snapshot{f.Results, f.Figures}, nil
}

// Write writes the expected results to a file. Each row and each figure is on its own line, so that a change
// to a row changes only that line.
func (e *Snapshot) Write(path string) error {
	head := *e.Results
	head.Rows = []record.Row{}
	var b bytes.Buffer
	var err error
	put := func(before string, v any) {
		b.WriteString(before)
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		err = errors.Join(err, enc.Encode(v))
		b.Truncate(max(b.Len()-1, 0)) // remove the final line break
	}
	put("{\"results\": ", head)
	b.WriteString(",\n\"rows\": [")
	for i, r := range e.Results.Rows {
		r.What, r.Size, r.Data, r.Seeds = "", "", record.Data{}, nil
		put(separator(i), r)
	}
	b.WriteString("\n],\n\"figures\": {")
	for i, name := range slices.Sorted(maps.Keys(e.Figures)) {
		put(fmt.Sprintf("%s%q: ", separator(i), name), e.Figures[name])
	}
	b.WriteString("\n}}\n")
	text := bytes.ReplaceAll(b.Bytes(), []byte(`"what":"",`), nil)
	text = bytes.ReplaceAll(text, []byte(`"size":"",`), nil)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o777)
	}
	if err == nil {
		err = atomicfile.Write(path, text, 0o644)
	}
	if err != nil {
		return fmt.Errorf("regress: %w", err)
	}
	return nil
}

// separator returns what Write writes before element i of a list: a line break, with a comma before it unless the
// element is the first.
func separator(i int) string {
	if i == 0 {
		return "\n"
	}
	return ",\n"
}
