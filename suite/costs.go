package suite

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/blas"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/cputime"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
)

// A CellCost records the cost of a cell when it last ran.
type CellCost struct {
	Cell   string `json:"cell"`             // the cell's ID
	Target string `json:"target,omitempty"` // the cell's experiment, empty for a plain cell
	// Seconds is the elapsed time, Processor the time of all processors together.
	Seconds   float64 `json:"seconds"`
	Processor float64 `json:"processor"`
	// Reference is the processor time of the reference product in the run that measured the cell, 0 if the product was
	// not measured.
	Reference float64 `json:"reference,omitempty"`
	// Earlier is set if the cell was not measured in the last run, because its result was
	// kept or it was left out.
	Earlier bool `json:"earlier,omitempty"`
}

// Multiple returns the processor time as a multiple of the time of the reference product (see Reference), or 0 if the
// time of the product is not known.
func (t CellCost) Multiple() float64 {
	if t.Reference <= 0 {
		return 0
	}
	return t.Processor / t.Reference
}

// Times records the costs of the cells of one notebook at one size.
type Times struct {
	Paper string     `json:"paper"`
	Size  string     `json:"size"`
	Cells []CellCost `json:"cells"`
}

// Earlier returns the number of experiments that were not measured in the last run. If it is not 0, the times come
// from several runs. Their sum then exceeds the cost of a single run, because each run charges shared work to the
// first experiment that runs.
func (t *Times) Earlier() int {
	n := 0
	for _, c := range t.Cells {
		if c.Earlier && c.Target != "" {
			n++
		}
	}
	return n
}

// Sum adds up the costs of all cells. The result multiple is 0 if the multiple of some cell is unknown, unless that
// cell took almost no processor time.
func (t *Times) Sum() (seconds, processor, multiple float64) {
	known := true
	for _, c := range t.Cells {
		seconds += c.Seconds
		processor += c.Processor
		multiple += c.Multiple()
		known = known && (c.Reference > 0 || c.Processor < 0.01)
	}
	if !known {
		multiple = 0
	}
	return seconds, processor, multiple
}

// Cell returns the cost of a cell, and reports whether it is known.
func (t *Times) Cell(cell string) (CellCost, bool) {
	i := slices.IndexFunc(t.Cells, func(c CellCost) bool { return c.Cell == cell })
	if i < 0 {
		return CellCost{}, false
	}
	return t.Cells[i], true
}

// times returns the path of the file with the times of a notebook at a size. The file is in a folder whose name begins
// with a dot, which distinguishes it from the folders of cells.
func (s store) times(paper, size string) string {
	return filepath.Join(s.folder, paper, ".times", size+".json")
}

// Times returns the times of a notebook's last runs at a size, or nil if the notebook has not run on this
// machine. It has times only for cells that ran without an error.
func (s *Suite) Times(paper, size string) (*Times, error) {
	b, err := os.ReadFile(s.store.times(paper, size))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t := &Times{}
	if err := json.Unmarshal(b, t); err != nil {
		return nil, fmt.Errorf("suite: cannot read %s (remove the file, and run the notebook): %w", s.store.times(paper, size), err)
	}
	return t, nil
}

// AllTimes returns, for one size, the times of all notebooks of the project that have times.
func (s *Suite) AllTimes(size string) ([]*Times, error) {
	paths, err := filepath.Glob(filepath.Join(s.root, "notebooks", "*.ipynb"))
	if err != nil {
		return nil, err
	}
	var all []*Times
	for _, p := range paths {
		t, err := s.Times(PaperOf(p), size)
		if err != nil {
			return nil, err
		}
		if t != nil {
			all = append(all, t)
		}
	}
	return all, nil
}

// plainSize returns the size of a run. ok is false if settings other than the size may affect the run's cost.
func plainSize(nb *notebook.Notebook, set []headless.Assignment) (size string, ok bool) {
	for _, c := range read(nb) {
		size = cmp.Or(size, c.values["size"])
	}
	if text, err := strconv.Unquote(size); err == nil {
		size = text
	}
	for _, a := range set {
		if a.Name != "size" {
			return "", false
		}
		size = a.Text
	}
	return size, size != "" && !strings.ContainsAny(size, `/\`)
}

// keepTimes writes the times of the cells of this run. The other cells keep their earlier times.
func (m *Memory) keepTimes() error {
	if m.size == "" || len(m.took) == 0 {
		return nil
	}
	old, err := m.suite.Times(m.paper, m.size)
	if err != nil || old == nil {
		old = &Times{} // an unreadable file is replaced
	}
	now := &Times{Paper: m.paper, Size: m.size}
	for _, st := range m.plan.Steps {
		t, ok := m.took[st.Cell]
		if !ok {
			if t, ok = old.Cell(st.Cell); !ok {
				continue
			}
			t.Earlier = true
		}
		t.Cell, t.Target = st.Cell, st.Target
		now.Cells = append(now.Cells, t)
	}
	return m.suite.store.writeTimes(now)
}

// noteTimes stores the given times, which are those of experiments that ran without their notebook. They replace the
// earlier times of these experiments. The times of all other cells are marked as earlier ones.
func (s *Suite) noteTimes(paper, size string, took []CellCost) error {
	t, err := s.Times(paper, size)
	if err != nil || len(took) == 0 {
		return err
	}
	if t == nil {
		t = &Times{Paper: paper, Size: size}
	}
	for i := range t.Cells {
		t.Cells[i].Earlier = true
	}
	for _, now := range took {
		i := slices.IndexFunc(t.Cells, func(c CellCost) bool { return c.Target == now.Target })
		if i < 0 {
			t.Cells = append(t.Cells, now)
			continue
		}
		now.Cell = t.Cells[i].Cell
		t.Cells[i] = now
	}
	return s.store.writeTimes(t)
}

func (s store) writeTimes(t *Times) error {
	b, err := json.MarshalIndent(t, "", " ")
	if err != nil {
		return err
	}
	path := s.times(t.Paper, t.Size)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return atomicfile.Write(path, b, 0o644)
}

// An ExpectedCost is the predicted cost of a notebook's run, computed from earlier costs of its cells.
type ExpectedCost struct {
	Cells map[string]float64 // elapsed seconds of each cell that will run
	// Known is false if this machine has no times of an earlier run of the notebook at this size.
	Known     bool
	Run, Kept int // numbers of experiments
}

// Seconds returns the sum of the predicted seconds of all cells.
func (e *ExpectedCost) Seconds() float64 {
	sum := 0.0
	for _, s := range e.Cells {
		sum += s
	}
	return sum
}

// Expect predicts the cost of a run.
func (s *Suite) Expect(path string, set []headless.Assignment, opt Options) (*ExpectedCost, error) {
	nb, err := notebook.Read(path)
	if err != nil {
		return nil, err
	}
	p, err := s.Plan(nb, PaperOf(path), set, opt)
	if p == nil {
		return nil, err
	}
	e := &ExpectedCost{Cells: map[string]float64{}}
	var times *Times
	if size, ok := plainSize(nb, set); ok {
		times, _ = s.Times(PaperOf(path), size) // an error only means that no times are known
	}
	unknown := 0
	for _, st := range p.Steps {
		switch {
		case st.Action == Keep:
			e.Kept++
			continue
		case st.Action == Leave, st.Action == Show:
			continue
		case st.Target != "":
			e.Run++
		}
		seconds := st.Seconds
		if times != nil {
			if t, ok := times.Cell(st.Cell); ok {
				seconds = t.Seconds
			}
		}
		if e.Cells[st.Cell] = seconds; seconds == 0 && st.Target != "" {
			unknown++
		}
	}
	// Tolerate some unknown experiments if most are known.
	e.Known = times != nil && (unknown == 0 || 2*unknown < e.Run)
	return e, nil
}

// The reference product is the unit in which the processor times of notebooks are measured: the product of
// two square float64 matrices, each too large for a second-level cache.
const (
	referenceSize    = 512
	referenceSamples = 21 // a quarter of a second in total: longer than a burst of another process
	referenceRepeats = 2  // products in a sample: a single product is too short for systems that measure time in steps of 16 ms
)

// ReferenceISA is the instruction set that the reference product uses, as a value for package gemm's
// environment variable. Wider instructions would speed up the product more than the notebooks.
const ReferenceISA = "avx2"

// Reference measures the reference product, a product of two square matrices, on one thread and returns its processor
// time in seconds: the median of several samples, or 0 if the system does not report processor times. It changes the
// number of threads of package gemm for the whole process, so it should run in a separate process.
func Reference() float64 {
	gemm.SetWorkers(1)
	const n = referenceSize
	a, b, c := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range a {
		a[i], b[i] = 1/float64(1+i%97), 1/float64(1+i%89)
	}
	product := func() {
		gemm.BLAS{}.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, a, n, b, n, 0, c, n)
	}
	product() // the first product runs with a cold cache
	var took []float64
	for range referenceSamples {
		before := cputime.Used()
		for range referenceRepeats {
			product()
		}
		took = append(took, (cputime.Used()-before).Seconds()/referenceRepeats)
	}
	slices.Sort(took)
	return took[len(took)/2]
}
