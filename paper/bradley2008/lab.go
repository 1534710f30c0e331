package bradley2008

import (
	"overcomplete/paper/lab"
)

// Paper is the name of the notebook and of the folder of results.
const Paper = "differentiable-sparse-coding"

// A Lab runs the experiments of one notebook run (see package lab). Each table and figure has a type
// of its own, in the file that is named after it.
type Lab struct {
	sharedState
	digits   *Digits
	features map[string]*Features
}

// A sharedState is what all experiments use: the run, and the store of its intermediate results, which are called
// stages.
type sharedState struct {
	lab.Lab
	store *lab.Store
}

// New begins a run at a size (smoke, lecture or full) with a seed.
func New(size string, seed uint64) (*Lab, error) {
	base, err := lab.Open(Paper, size, seed)
	if err != nil {
		return nil, err
	}
	return &Lab{sharedState: sharedState{base, base.Stages("paper/bradley2008/trained")}, features: map[string]*Features{}}, nil
}
