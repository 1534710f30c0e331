package nmfimplicit

import "overcomplete/paper/lab"

// Experiments declares the experiments, in the order in which the notebook calls them.
func Experiments() lab.Paper {
	return lab.Paper{Notebook: Paper, New: New, Data: []any{(*Lab).Faces}, Experiments: []lab.Experiment{
		{Name: "sparseness", Method: (*Lab).Sparseness},
		{Name: "low-dimensional", Method: (*Lab).LowDimensional, Slow: true},
		{Name: "encoding", Method: (*Lab).Encoding},
		{Name: "clusters", Method: (*Lab).Clusters},
		{Name: "convexity", Method: (*Lab).Convexity},
		{Name: "saddles", Method: (*Lab).Saddles},
		{Name: "minima", Method: (*Lab).Minima},
		{Name: "splitting", Method: (*Lab).Splitting},
		{Name: "as-displayed", Method: (*Lab).AsDisplayed},
		{Name: "methods", Method: (*Lab).Methods},
		{Name: "optimality", Method: (*Lab).Optimality},
		{Name: "attempts", Method: (*Lab).Attempts},
		{Name: "jaxopt", Method: (*Lab).Jaxopt},
		{Name: "gradients", Method: (*Lab).Gradients},
		{Name: "kinks", Method: (*Lab).Kinks},
		{Name: "sensitivity", Method: (*Lab).Sensitivity, Arguments: []any{0}},
		{Name: "costs", Method: (*Lab).Costs},
		{Name: "network", Method: (*Lab).Network},
		{Name: "rank", Method: (*Lab).Rank},
		{Name: "topics", Method: (*Lab).Topics},
	}}
}
