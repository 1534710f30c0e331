package iconframework

import "overcomplete/paper/lab"

// Experiments declares the experiments, in the order in which the notebook calls them.
func Experiments() lab.Paper {
	return lab.Paper{Notebook: Paper, New: New, Data: []any{(*Lab).Digits}, Experiments: []lab.Experiment{
		{Name: "neighbours", Method: (*Lab).Neighbours},
		{Name: "loss", Method: (*Lab).Loss},
		{Name: "methods", Method: (*Lab).Methods},
		{Name: "instances", Method: (*Lab).Instances},
		{Name: "embeddings", Method: (*Lab).Embeddings, Slow: true},
		{Name: "matrices", Method: (*Lab).Matrices, Slow: true},
		{Name: "k-means-loss", Method: (*Lab).KMeansLoss},
		{Name: "k-means", Method: (*Lab).KMeans, Slow: true},
		{Name: "clusters", Method: (*Lab).Clusters, Slow: true},
		{Name: "augmentations", Method: (*Lab).Augmentations},
		{Name: "contrast", Method: (*Lab).Contrast},
		{Name: "contrast-loss", Method: (*Lab).ContrastLoss},
		{Name: "collapse", Method: (*Lab).Collapse},
		{Name: "scale", Method: (*Lab).Scale, Slow: true},
		{Name: "map", Method: (*Lab).Map},
		{Name: "factorisations", Method: (*Lab).Factorisations},
	}}
}
