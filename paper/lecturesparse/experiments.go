package lecturesparse

import "overcomplete/paper/lab"

// Experiments declares the experiments, in the order in which the notebook calls them.
func Experiments() lab.Paper {
	return lab.Paper{Notebook: Paper, New: New, Data: []any{(*Lab).Patches}, Experiments: []lab.Experiment{
		{Name: "rates", Method: (*Lab).Rates},
		{Name: "coherence", Method: (*Lab).Coherence},
		{Name: "transition", Method: (*Lab).Transition, Dear: true},
		{Name: "gabors", Method: (*Lab).Gabors, Dear: true},
		{Name: "unrolled", Method: (*Lab).Unrolled, Dear: true},
		{Name: "features", Method: (*Lab).Features, Dear: true},
		{Name: "superposition", Method: (*Lab).Superposition, Dear: true},
		{Name: "phases", Method: (*Lab).Phases},
	}}
}
