package lab

import (
	"fmt"
	"slices"
	"strings"

	"overcomplete/paper/record"
)

// A MeasuredClaim is a claim that Measure has measured.
type MeasuredClaim struct {
	ID      string `json:"id"`
	What    string `json:"what"`
	Value   string `json:"value"`   // measured value
	Verdict string `json:"verdict"` // by the claim's rule, in words
	Class   string `json:"class"`   // see record.Verdict.Class
	Reason  string `json:"reason,omitempty"`
	// Before is the value that the earlier run measured, or "" if that run does not have the claim. The field Again
	// reports whether this run agrees with Before within the claim's Repeat; if not, Differs describes the difference.
	// Expected is set if agreement is not required, as for times.
	Before   string `json:"before,omitempty"`
	Repeat   string `json:"repeat,omitempty"` // how much a number may differ
	Again    bool   `json:"again"`
	Differs  string `json:"differs,omitempty"`
	Expected bool   `json:"expected,omitempty"`
}

// Measure runs one of a paper's experiments at a size and with a seed, and judges each of its claims by the
// claim's rule. If before is not nil, it is an earlier run of the same size and seed, and Measure compares
// the results with it. On another processor or in a browser the last digits differ; each claim's Repeat
// limits that difference.
func Measure(p Paper, experiment, size string, seed uint64, before *record.Results) ([]MeasuredClaim, error) {
	i := slices.IndexFunc(p.Experiments, func(e Experiment) bool { return e.Name == experiment })
	if i < 0 {
		return nil, fmt.Errorf("lab: %s has no experiment %q", p.Notebook, experiment)
	}
	l, err := p.Open(size, seed)
	if err != nil {
		return nil, err
	}
	p.Experiments[i].Run(l)
	return judge(l.Rows(), before), nil
}

// judge returns the verdict on each row, and the row's comparison with the earlier run.
func judge(rows []record.Row, before *record.Results) []MeasuredClaim {
	differences := map[string]record.Difference{}
	if before != nil {
		for _, d := range record.Compare(&record.Results{Rows: rows}, before) {
			if _, ok := differences[d.ID]; !ok { // the first difference is the most important
				differences[d.ID] = d
			}
		}
	}
	list := []MeasuredClaim{}
	for _, r := range rows {
		j := MeasuredClaim{ID: r.ID, What: r.What, Value: r.Measured.String(), Verdict: r.Called(), Class: r.Verdict.Class(), Reason: r.Reason}
		if before != nil {
			if old, ok := before.Row(r.ID); ok {
				d, differs := differences[r.ID]
				j.Before, j.Again = old.Measured.String(), !differs
				if old.Measured.Kind == record.KindNumber && old.Repeat > 0 {
					j.Repeat = record.Number(old.Repeat, "").String()
				}
				if differs {
					j.Differs, j.Expected = strings.TrimPrefix(d.String(), d.ID+": "), d.Expected
				}
			}
		}
		list = append(list, j)
	}
	return list
}
