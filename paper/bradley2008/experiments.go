package bradley2008

import "overcomplete/paper/lab"

// Experiments declares the experiments, in the order in which the notebook calls them.
func Experiments() lab.Paper {
	return lab.Paper{Notebook: Paper, New: New, Experiments: []lab.Experiment{
		{Name: "atoms", Method: (*Lab).Atoms},
		{Name: "decomposition", Method: (*Lab).Decomposition, Arguments: []any{3}},
		{Name: "jumps", Method: (*Lab).Jumps},
		{Name: "figure3", Method: (*Lab).Figure3},
		{Name: "figure1", Method: (*Lab).Figure1, Slow: true},
		{Name: "inference", Method: (*Lab).Inference},
		{Name: "table1", Method: (*Lab).Table1},
		{Name: "stability-curves", Method: (*Lab).StabilityCurves},
		{Name: "gradients", Method: (*Lab).Gradients},
		{Name: "search-table", Method: (*Lab).SearchTable},
		{Name: "table2", Method: (*Lab).Table2, Slow: true},
		{Name: "figure2", Method: (*Lab).Figure2, Slow: true},
		{Name: "table3", Method: (*Lab).Table3, Slow: true},
		{Name: "table4", Method: (*Lab).Table4},
		{Name: "letter-pictures", Method: (*Lab).LetterPictures},
		{Name: "letter-search", Method: (*Lab).LetterSearch, Arguments: []any{1000}},
		{Name: "table5", Method: (*Lab).Table5, Slow: true},
		{Name: "table6", Method: (*Lab).Table6, Slow: true},
		{Name: "table7", Method: (*Lab).Table7},
		{Name: "music-spectra", Method: (*Lab).MusicSpectra},
		{Name: "generated-music", Method: (*Lab).GeneratedMusic, Slow: true},
	}}
}
