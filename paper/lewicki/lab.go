package lewicki

import (
	"overcomplete/paper/lab"
)

// Paper is the name of the notebook and of the folder of results.
const Paper = "lewicki-sejnowski"

// blog is the post that the notebook quotes, experiment by experiment.
const blog = lab.Source("the post, %s")

// A Lab runs the experiments of one notebook run (see package lab).
type Lab struct {
	lab.Lab
}

// New begins a run at a size (smoke, lecture or full) with a seed.
func New(size string, seed uint64) (*Lab, error) {
	base, err := lab.Open(Paper, size, seed)
	if err != nil {
		return nil, err
	}
	return &Lab{base}, nil
}
