// Package lab is what the laboratories of the papers have in common. A paper's
// Lab embeds this one and has one method for each experiment, which adds its rows
// to the run and saves its figures, so that a cell of the notebook is one call
// whose value is shown.
//
// Such methods panic where an experiment cannot be run: a cell shows that as its
// error. Hence Row and Check, which panic where a function of a library would
// return an error.
package lab

import (
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/paper/record"
)

// A Lab is one run of a paper's experiments.
type Lab struct {
	*record.Run
}

// Open begins a run of a paper's experiments at a size (smoke, lecture, medium or
// full) with a seed. It lets matrix products of the whole program be done by package
// gemm.
func Open(paper, size string, seed uint64) (Lab, error) {
	gemm.Use()
	run, err := record.Start(paper, size, seed)
	return Lab{run}, err
}

// Row adds a row to the run.
func (l Lab) Row(row record.Row) { Check(l.Add(row)) }

// Save writes a figure or a grid of figures under the name by which rows refer
// to it, with a caption that ends with its maker.
func (l Lab) Save(name, caption string, f interface{ Save(path string) error }) {
	maker := ""
	switch f := f.(type) {
	case *figure.Figure:
		maker = f.Note(caption).Maker
	case *figure.Grid:
		maker = f.Note(caption).Maker
	}
	if maker != "" {
		caption += " Made by " + maker + "."
	}
	Check(f.Save(l.Figure(name, caption)))
}

// Check panics with err unless it is nil.
func Check(err error) {
	if err != nil {
		panic(err)
	}
}
