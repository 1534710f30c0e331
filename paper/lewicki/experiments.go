package lewicki

import "overcomplete/paper/lab"

// Experiments declares the experiments, in the order in which the notebook calls them.
func Experiments() lab.Paper {
	return lab.Paper{Notebook: Paper, New: New, Experiments: []lab.Experiment{
		{Name: "data-clouds", Method: (*Lab).DataClouds},
		{Name: "densities", Method: (*Lab).Densities},
		{Name: "solvers", Method: (*Lab).Solvers},
		{Name: "solver-paths", Method: (*Lab).SolverPaths},
		{Name: "gaussian-approximation", Method: (*Lab).GaussianApproximation},
		{Name: "learning-perturbed", Method: (*Lab).LearningPerturbed},
		{Name: "learning-random", Method: (*Lab).LearningRandom, Slow: true},
		{Name: "runaway", Method: (*Lab).Runaway},
		{Name: "equilibrium", Method: (*Lab).Equilibrium},
		{Name: "scale", Method: (*Lab).Scale},
		{Name: "no-re-lu", Method: (*Lab).NoReLU, Slow: true},
		{Name: "controls", Method: (*Lab).Controls, Slow: true},
		{Name: "recovery", Method: (*Lab).Recovery, Slow: true},
		{Name: "what-cannot-be-recovered", Method: (*Lab).WhatCannotBeRecovered, Slow: true},
		{Name: "noise", Method: (*Lab).Noise},
		{Name: "other-rules", Method: (*Lab).OtherRules, Slow: true},
		{Name: "coding-cost", Method: (*Lab).CodingCost, Slow: true},
		{Name: "k-hot", Method: (*Lab).KHot, Slow: true},
		{Name: "against-autoencoder", Method: (*Lab).AgainstAutoencoder, Slow: true},
	}}
}
