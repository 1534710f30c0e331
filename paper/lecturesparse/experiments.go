package lecturesparse

import "overcomplete/paper/lab"

// Experiments declares the experiments, in the order in which the notebook calls them.
func Experiments() lab.Paper {
	return lab.Paper{Notebook: Paper, New: New, Experiments: []lab.Experiment{
		{Name: "rates", Method: (*Lab).Rates},
		{Name: "coherence", Method: (*Lab).Coherence},
		{Name: "transition", Method: (*Lab).Transition},
		{Name: "gabors", Method: (*Lab).Gabors},
		{Name: "unrolled", Method: (*Lab).Unrolled},
		{Name: "features", Method: (*Lab).Features},
		{Name: "superposition", Method: (*Lab).Superposition},
		{Name: "phases", Method: (*Lab).Phases},
	}}
}
