package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// A Result is a row of a table. A figure that was not measured is 0.
type Result struct {
	Name string
	Unit string // unit of all figures
	Size int    `json:",omitempty"`

	Cell      float64
	CellFirst float64 `json:",omitempty"` // time of the first turn
	Python    float64 `json:",omitempty"`
	Go        float64 `json:",omitempty"`
	GoNB      float64 `json:",omitempty"`
	GoNBFirst float64 `json:",omitempty"`
	Before    float64 `json:",omitempty"`

	Checksum string `json:",omitempty"`
	Fault    string `json:",omitempty"` // why the figures do not count

	goal goal
}

// Results are the rows of both tables, and what the report says about the run.
type Results struct {
	Date     string
	Machine  string
	Versions []string
	Missing  []string `json:",omitempty"` // peers that are not available
	Command  string
	Quick    bool `json:",omitempty"`
	Before   string
	Load     string `json:",omitempty"`
	Took     string

	Programs []Result
	Others   []Result
}

func (r *Results) write(file string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o666)
}

func readResults(file string) (*Results, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := new(Results)
	return r, json.Unmarshal(text, r)
}

// A goal is the target of a row. The zero goal requires nothing.
type goal struct {
	timesGo     float64 // at most this multiple of compiled Go's time
	timesPython float64 // at most this multiple of CPython's time
	most        float64 // at most this value, in the row's unit
	noWorse     bool    // no slower or larger than before
}

var (
	numeric     = goal{timesGo: 4}
	called      = goal{timesGo: 20} // methods of cells that compiled code calls
	likePython  = goal{timesPython: 1}
	twicePython = goal{timesPython: 2} // CPython does most of the work in C
	noWorse     = goal{noWorse: true}
)

// hardest is a weaker limit, as a multiple of compiled Go's time. The table says whether a row that misses its goal
// (timesGo) at least stays within this limit.
const hardest = 10

// noise is the largest ratio of two medians of the same kernel, measured by comparing the kernel with itself
// (-before) on a busy machine.
const noise = 1.25

func (g goal) String() string {
	switch {
	case g.timesGo > 0:
		return fmt.Sprintf("≤ %g × Go", g.timesGo)
	case g.timesPython == 1:
		return "≤ CPython"
	case g.timesPython > 0:
		return fmt.Sprintf("≤ %g × CPython", g.timesPython)
	case g.most > 0:
		return fmt.Sprintf("≤ %g", g.most)
	case g.noWorse:
		return "no worse"
	}
	return ""
}

// met returns the text for the table's column "met?": "yes", a string with "no", "not measured", or "" for a row
// without a goal.
func (g goal) met(r Result) string {
	yes := func(ok bool) string {
		if ok {
			return "yes"
		}
		return "**no**"
	}
	switch {
	case g == (goal{}):
		return ""
	case r.Cell == 0:
		return "**no**"
	case g.timesGo > 0 && r.Go > 0:
		if x := r.Cell / r.Go; x > g.timesGo && x <= hardest {
			return fmt.Sprintf("no, ≤ %d ×", hardest)
		}
		return yes(r.Cell <= g.timesGo*r.Go)
	case g.timesPython > 0 && r.Python > 0:
		limit := g.timesPython * r.Python
		if r.Cell > limit && r.Go > limit {
			return "**no**, nor does compiled Go"
		}
		return yes(r.Cell <= limit)
	case g.most > 0:
		return yes(r.Cell <= g.most)
	case g.noWorse && r.Before > 0:
		return yes(r.Cell <= noise*r.Before)
	}
	return "not measured"
}
