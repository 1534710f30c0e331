package lecturesparse

import "overcomplete/paper/lab"

// Experiments declares the experiments, in the order in which the notebook calls them.
func Experiments() lab.Paper {
	return lab.Paper{Notebook: Paper, New: New, Data: []any{(*Lab).Patches}, Experiments: []lab.Experiment{
		{Name: "rates", Method: (*Lab).Rates},
		{Name: "coherence", Method: (*Lab).Coherence},
		{Name: "transition", Method: (*Lab).Transition, Slow: true},
		{Name: "gabors", Method: (*Lab).Gabors, Slow: true},
		{Name: "unrolled", Method: (*Lab).Unrolled, Slow: true},
		{Name: "features", Method: (*Lab).Features, Slow: true},
		{Name: "superposition", Method: (*Lab).Superposition, Slow: true},
		{Name: "phases", Method: (*Lab).Phases},
	}}
}
