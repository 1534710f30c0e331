package s3c2011

import "overcomplete/paper/lab"

// Experiments declares the experiments, in the order in which the notebook calls them.
func Experiments() lab.Paper {
	return lab.Paper{Notebook: Paper, New: New, Experiments: []lab.Experiment{
		{Name: "toy", Method: (*Lab).Toy},
		{Name: "explaining", Method: (*Lab).Explaining},
		{Name: "algorithm1", Method: (*Lab).Algorithm1},
		{Name: "alike", Method: (*Lab).Alike},
		{Name: "damping", Method: (*Lab).Damping, Slow: true},
		{Name: "guarantees", Method: (*Lab).Guarantees, Slow: true},
		{Name: "r-operator", Method: (*Lab).ROperator},
		{Name: "settings-table", Method: (*Lab).SettingsTable},
		{Name: "training", Method: (*Lab).Training},
		{Name: "scaling", Method: (*Lab).Scaling},
		{Name: "filters", Method: (*Lab).Filters},
		{Name: "codes", Method: (*Lab).Codes},
		{Name: "figure1-left", Method: (*Lab).Figure1Left},
		{Name: "reconstructions", Method: (*Lab).Reconstructions},
		{Name: "reconstructed-images", Method: (*Lab).ReconstructedImages},
		{Name: "denoise", Method: (*Lab).Denoise},
		{Name: "samples", Method: (*Lab).Samples},
		{Name: "patch-steps", Method: (*Lab).PatchSteps},
		{Name: "pooling", Method: (*Lab).Pooling, Arguments: []any{7}},
		{Name: "stages", Method: (*Lab).Stages},
		{Name: "cross-validation", Method: (*Lab).CrossValidation, Slow: true},
		{Name: "accuracies", Method: (*Lab).Accuracies, Slow: true},
		{Name: "learning-curve", Method: (*Lab).LearningCurve, Slow: true},
		{Name: "skipping", Method: (*Lab).Skipping, Slow: true},
		{Name: "storage", Method: (*Lab).Storage},
		{Name: "transfer-challenge", Method: (*Lab).TransferChallenge, Slow: true},
		{Name: "other-classes", Method: (*Lab).OtherClasses, Slow: true},
		{Name: "choose-recipe", Method: (*Lab).ChooseRecipe, Slow: true},
	}}
}
