package lecturesparse

import (
	"gonum.org/v1/gonum/mat"

	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Paper is the name of the notebook and of the folder of results.
const Paper = "lecture-sparse"

// A Lab runs the experiments of one notebook run (see package lab).
type Lab struct {
	lab.Lab
	patches *Patches // made on first use
}

// Patches are small squares cut from images at random places.
type Patches struct {
	X    *mat.Dense // Side²×N, one patch in each column; all values together have variance 1
	Side int
	Data record.Data
}

// New begins a run at a size (smoke, lecture or full) with a seed.
func New(size string, seed uint64) (*Lab, error) {
	base, err := lab.Open(Paper, size, seed)
	if err != nil {
		return nil, err
	}
	return &Lab{Lab: base}, nil
}
