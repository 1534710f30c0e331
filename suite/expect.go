package suite

import (
	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
)

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
