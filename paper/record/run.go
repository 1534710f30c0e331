package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/inside"
	"overcomplete/internal/module"
)

// A Run collects the rows and the figures of one run of a paper's experiments.
// Its methods may be called from several goroutines.
type Run struct {
	Root  string // the project's root; outside the project, the working directory
	Paper string
	Size  string
	Seed  uint64

	mu       sync.Mutex
	rows     []Row
	figures  []FigureFile
	files    []string
	sheets   []Layout
	rejected []error
	made     []Making                // the first is the Making of this run
	declared map[string]declaredRule // rules declared in the paper's protocol
	started  time.Time
	part     bool // only some of the experiments run
	fresh    bool // see Fresh
}

// Root returns the project's root, which is the folder with this module's go.mod, if the working directory is inside
// the project. Otherwise it returns the working directory itself.
func Root() (string, error) {
	wd, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("record: %w", err)
	}
	return rootFrom(wd), nil
}

// Project returns the root of the project that contains the given folder. ok is false if the folder is in no project.
func Project(folder string) (root string, ok bool, err error) {
	folder, err = filepath.Abs(folder)
	if err != nil {
		return "", false, fmt.Errorf("record: %w", err)
	}
	root = rootFrom(folder)
	return root, isProject(root), nil
}

func rootFrom(wd string) string {
	for dir := wd; ; {
		if isProject(dir) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return wd
		}
		dir = up
	}
}

// isProject reports whether a folder contains the project's go.mod.
func isProject(dir string) bool {
	b, err := inside.ReadFile(dir, filepath.Join(dir, "go.mod"), 1<<20) // refuses a pipe, which would never end
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(b)) {
		line, _, _ = strings.Cut(line, "//")
		if f := strings.Fields(line); len(f) == 2 && f[0] == "module" && strings.Trim(f[1], `"`) == module.Path {
			return true
		}
	}
	return false
}

// Start begins a run of a paper's experiments at a size (smoke, lecture, medium or full), in the project that contains
// the working directory. It creates the folder figures/run/PAPER if necessary, and removes nothing from it. The
// results.json of an earlier run remains there until Finish replaces it.
func Start(paper, size string, seed uint64) (*Run, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	return StartIn(root, paper, size, seed)
}

// StartIn is like Start, but takes the project's root as an argument.
func StartIn(root, paper, size string, seed uint64) (*Run, error) {
	if err := checkPaper(paper); err != nil {
		return nil, err
	}
	if sizeRank(size) < 0 {
		return nil, fmt.Errorf("record: the size is %q; it must be one of %v", size, sizes)
	}
	declared, err := declaredRules(root, paper)
	if err != nil {
		return nil, err
	}
	r := &Run{Root: root, Paper: paper, Size: size, Seed: seed, made: []Making{newMaking()}, declared: declared, started: time.Now(), part: os.Getenv(PartVariable) != "", fresh: os.Getenv(FreshVariable) != ""}
	if err := inside.MkdirAll(root, r.Dir(), 0o755); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	tell(Event{Run: r})
	return r, nil
}

func runDir(root, paper string) string    { return filepath.Join(root, "figures", "run", paper) }
func recordDir(root, paper string) string { return filepath.Join(root, "figures", paper) }

// Dir returns the folder to which the run writes: figures/run/PAPER.
func (r *Run) Dir() string { return runDir(r.Root, r.Paper) }

// RecordDir returns the folder of the record: figures/PAPER. A run never writes
// there; Promote does.
func (r *Run) RecordDir() string { return recordDir(r.Root, r.Paper) }

// Full reports whether the run has full size, which is the paper's own size.
func (r *Run) Full() bool { return r.Size == Full }

// Pick returns the argument that belongs to the run's size. At medium size, it returns lecture.
func (r *Run) Pick(smoke, lecture, full int) int {
	return [...]int{smoke, lecture, lecture, full}[sizeRank(r.Size)]
}

// Add adds a row. It fills in the run's size and seed if the row has none, and computes the verdict. It checks that
// the row is valid and has the rule declared in the paper's protocol. The row takes the place of an earlier row with
// the same ID, so that a cell of the notebook can be run again. If the row is refused, Add returns an error, and
// Finish returns the same error again, so that no row is lost silently. Adding a valid row with the same ID withdraws
// the error.
func (r *Run) Add(row Row) error {
	if row.Size == "" {
		row.Size = r.Size
	}
	if len(row.Seeds) == 0 {
		row.Seeds = []uint64{r.Seed}
	} else {
		row.Seeds = slices.Clone(row.Seeds)
	}
	if row.Reason == "" {
		row.Reason = row.Rule.Why
	}
	row.Origin, row.Made = origin(), 0
	v, err := row.Rule.Judge(row.Published, row.Measured)
	if err == nil {
		row.Verdict = v
		if err = row.Validate(); err == nil {
			err = checkDeclared(r.declared, row)
		}
	} else {
		err = fmt.Errorf("record: row %q: %w", row.ID, err)
	}
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.rejected = append(r.rejected, err)
		return err
	}
	r.put(row)
	tell(Event{Row: &row})
	return nil
}

// put adds a valid row, or replaces the row with the same ID. It forgets earlier errors of Add for this ID.
func (r *Run) put(row Row) {
	r.mu.Lock()
	defer r.mu.Unlock()
	// If a cell was fixed and run again, its earlier error is withdrawn.
	prefix := fmt.Sprintf("record: row %q:", row.ID)
	r.rejected = slices.DeleteFunc(r.rejected, func(e error) bool { return strings.HasPrefix(e.Error(), prefix) })
	r.rows = place(r.rows, row, func(old Row) bool { return old.ID == row.ID })
}

// place stores x in list, replacing the first element for which the given function returns true. If there is no such
// element, place appends x. It returns the resulting list.
func place[T any](list []T, x T, same func(old T) bool) []T {
	if i := slices.IndexFunc(list, same); i >= 0 {
		list[i] = x
		return list
	}
	return append(list, x)
}

// Rows returns the rows added so far.
func (r *Run) Rows() []Row {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.rows)
}

// Table returns a table of the rows added so far.
func (r *Run) Table() Table {
	return Table{Title: fmt.Sprintf("%s, %s size", r.Paper, r.Size), Rows: r.Rows()}
}

// Figure registers a figure and returns the path to write it to, without extension: figure.Save adds .svg and .png.
// The caption describes the figure. Figure panics if the name contains characters other than lower-case letters,
// digits and hyphens, or is "results".
func (r *Run) Figure(name, caption string) string {
	if err := checkFigure(name); err != nil {
		panic(err.Error())
	}
	f := FigureFile{Name: name, Caption: caption, Origin: origin()}
	r.putFigure(f)
	tell(Event{Figure: &f})
	return filepath.Join(r.Dir(), name)
}

// Timed marks a figure that shows times on this machine and therefore differs from run to run. A figure is marked
// automatically if a row of times names it. Timed panics if there is no such figure.
func (r *Run) Timed(name string) {
	r.mark("Timed", name, func(f *FigureFile) { f.Timed = true })
}

// Rounded marks a figure that depends on rounding, because it shows rounding errors or the result of a search that
// amplifies them. Details of the figure differ between processors that sum in different orders (AVX2, AVX-512, NEON).
// Rounded panics if there is no such figure.
func (r *Run) Rounded(name string) {
	r.mark("Rounded", name, func(f *FigureFile) { f.Rounded = true })
}

func (r *Run) mark(method, name string, set func(*FigureFile)) {
	r.mu.Lock()
	i := slices.IndexFunc(r.figures, func(f FigureFile) bool { return f.Name == name })
	if i < 0 {
		r.mu.Unlock()
		panic(fmt.Sprintf("record: %s: there is no figure %q", method, name))
	}
	set(&r.figures[i])
	f := r.figures[i]
	r.mu.Unlock()
	tell(Event{Figure: &f})
}

func checkFigure(name string) error {
	if !slug.MatchString(name) || name == "results" {
		return fmt.Errorf("record: the figure's name %q is not made of lower-case letters, digits and hyphens, or is \"results\"", name)
	}
	return nil
}

func (r *Run) putFigure(f FigureFile) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.figures = place(r.figures, f, func(old FigureFile) bool { return old.Name == f.Name })
}

// File registers another file (for example a table as CSV) and returns the path to write it to. It panics if
// name is not a plain file name.
func (r *Run) File(name string) string {
	if err := checkFile(name); err != nil {
		panic(err.Error())
	}
	r.putFile(name)
	tell(Event{File: name})
	return filepath.Join(r.Dir(), name)
}

func (r *Run) putFile(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.files, name) {
		r.files = append(r.files, name)
		slices.Sort(r.files)
	}
}

// Results returns the results of the run so far.
func (r *Run) Results() *Results {
	r.mu.Lock()
	defer r.mu.Unlock()
	res := &Results{Schema: Schema, Paper: r.Paper, Size: r.Size, Seed: r.Seed,
		Rows: slices.Clone(r.rows), Sheets: slices.Clone(r.sheets), Files: slices.Clone(r.files), Made: slices.Clone(r.made)}
	res.Made[0].Seconds = since(r.started)
	for i, l := range res.Sheets { // a run of only some experiments lacks some rows
		res.Sheets[i].IDs = make([][]string, len(l.IDs))
		for k, line := range l.IDs {
			res.Sheets[i].IDs[k] = slices.Clone(line)
			for j, id := range line {
				if _, ok := res.Row(id); !ok {
					res.Sheets[i].IDs[k][j] = ""
				}
			}
		}
	}
	if res.Rows == nil {
		res.Rows = []Row{}
	}
	for _, f := range r.figures {
		f.Timed = f.Timed || slices.ContainsFunc(r.rows, func(row Row) bool { return row.Figure == f.Name && row.Data.Timed() })
		f.Files = nil
		for _, name := range FigureFiles(f.Name) {
			if _, err := os.Stat(filepath.Join(r.Dir(), name)); err == nil {
				f.Files = append(f.Files, name)
			}
		}
		res.Figures = append(res.Figures, f)
	}
	return res
}

// PartVariable is an environment variable that 'overcomplete run --only' sets for the process that runs a notebook's
// cells. It means that only some of the experiments run.
const PartVariable = "OVERCOMPLETE_PART"

// SetPart records that the run includes only some of the paper's experiments. A run without rows is then not an error.
func (r *Run) SetPart() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.part = true
}

// FreshVariable is an environment variable that 'overcomplete run --fresh' sets for the process that runs a notebook's
// cells. It means that all stages are computed again.
const FreshVariable = "OVERCOMPLETE_FRESH"

// SetFresh makes the run compute all stages again, instead of reading those that an earlier run has left in the user's
// cache.
func (r *Run) SetFresh() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fresh = true
}

// Fresh reports whether the run computes all stages again, even those that an earlier run has left in the user's cache.
func (r *Run) Fresh() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fresh
}

// Finish writes results.json. If a row was rejected, or a registered figure or file does not exist, it writes nothing
// and returns an error. The same holds if no row was added, except after SetPart.
func (r *Run) Finish() error {
	r.mu.Lock()
	errs, part := slices.Clone(r.rejected), r.part
	r.mu.Unlock()
	res := r.Results()
	if len(res.Rows) == 0 && len(errs) == 0 && !part {
		errs = append(errs, fmt.Errorf("record: the run of %s has no rows", r.Paper))
	}
	for _, f := range res.Figures {
		if len(f.Files) == 0 {
			errs = append(errs, fmt.Errorf("record: the figure %q was announced and never written to %s", f.Name, r.Dir()))
		}
	}
	for _, f := range res.Files {
		if _, err := os.Stat(filepath.Join(r.Dir(), f)); err != nil {
			errs = append(errs, fmt.Errorf("record: the file %q was announced and never written: %w", f, err))
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	b, err := res.Bytes()
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(r.Dir(), FileName), b)
}

// Compare compares the run so far with the record. If there is no record, it returns no differences.
func (r *Run) Compare() ([]Difference, error) {
	old, err := Read(filepath.Join(r.RecordDir(), FileName))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return Compare(r.Results(), old), nil
}

// writeFile replaces a file atomically.
func writeFile(path string, b []byte) error {
	if err := atomicfile.Write(path, b, 0o644); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}
