package s3c2011

import (
	"sync"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/paper/internal/labtest"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// testLab returns a lab of the smallest size in a temporary folder. It uses photographs if they are on this
// machine. Call labtest.NoData first to hide them.
func testLab(t *testing.T) *Lab {
	t.Helper()
	return newLab(labtest.Smoke(t, Paper), &lab.Store{})
}

var (
	loadOnce   sync.Once
	loadedOnce *Photographs
)

// photographsLab returns a testLab with CIFAR-10, which is read once for all tests. Without CIFAR-10, or with
// -short, it skips the test.
func photographsLab(t *testing.T) *Lab {
	t.Helper()
	if testing.Short() {
		t.Skip("reads all of CIFAR-10")
	}
	l := testLab(t)
	loadOnce.Do(func() { loadedOnce = l.Photographs() })
	if loadedOnce == nil || loadedOnce.Data.Generated {
		t.Skip("CIFAR-10 is not on this machine: 'overcomplete data get cifar10'")
	}
	l.photographs = loadedOnce
	return l
}

func TestSmokeModel(t *testing.T) {
	labtest.NoData(t)
	l := testLab(t)
	if d, n := l.Model().Dims(); d != 3*side*side || n != l.Settings().Units {
		t.Errorf("the model is %d×%d", d, n)
	}
	if !l.Photographs().Data.Generated {
		t.Error("photographs, without a folder of data")
	}
}

// New does not affect other parts of the program.
func TestNewLeavesThreads(t *testing.T) {
	t.Chdir(t.TempDir()) // New makes a folder for the results
	defer gemm.SetWorkers(gemm.SetWorkers(3))
	if _, err := New(record.Smoke, 1); err != nil {
		t.Fatal(err)
	}
	if n := gemm.Workers(); n != 3 {
		t.Errorf("a product has %d threads after New, and had 3", n)
	}
}

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
