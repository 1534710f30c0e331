package s3c2011

import (
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/paper/internal/labtest"
)

// Every experiment ends soon after an interrupt, and can be run again.
func TestStops(t *testing.T) {
	labtest.NoData(t)
	without := map[string]string{
		"AllLabels": "Accuracies is this for all kinds of features",
		"Choose":    "CrossValidation is this for all kinds of features",
		"FewLabels": "LearningCurve is this for all kinds of features",
		"Transfer":  "TransferChallenge is this for all kinds of features",
		"ChosenAll": "ChooseRecipe has its parts, and its test runs it",
		"Again":     "ChooseRecipe has its parts, and its test runs it",
		"Extract":   "it writes to a folder that both laboratories would share",
		"Merge":     "it copies files",
	}
	if !patience.All() {
		without["ChooseRecipe"] = "it takes as long as all others together"
	}
	labtest.Stops(t, testLab, map[string][]any{
		"Dictionary": {SparseCoding},
		"Encoder":    {S3C},
		"Features":   {S3C, Train},
		"HeldOut":    {100},
		"Patches":    {100},
		"Pooling":    {0},
	}, without)
}
