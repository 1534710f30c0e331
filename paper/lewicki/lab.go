package lewicki

import (
	"fmt"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/record"
)

// Paper is the name of the folder of results and of the notebook.
const Paper = "lewicki-sejnowski"

// A Lab runs the experiments of one notebook run. Its methods add their rows to
// the run and save their figures, so that a cell of the notebook is one call,
// whose value is shown. They panic where an experiment cannot be run; a cell
// shows that as its error.
type Lab struct {
	*record.Run
}

// New begins a run at a size (smoke, lecture or full) with a seed.
func New(size string, seed uint64) (*Lab, error) {
	run, err := record.Start(Paper, size, seed)
	if err != nil {
		return nil, err
	}
	return &Lab{run}, nil
}

// saver is a figure or a grid of figures.
type saver interface{ Save(path string) error }

// save writes a figure under the name by which rows refer to it.
func (l *Lab) save(name, caption string, f saver) {
	maker := ""
	switch f := f.(type) {
	case *figure.Figure:
		maker = f.Note(caption).Maker
	case *figure.Grid:
		maker = f.Note(caption).Maker
	}
	check(f.Save(l.Figure(name, caption+" Made by "+maker+".")))
}

// add adds a row to the run.
func (l *Lab) add(row record.Row) { check(l.Add(row)) }

func check(err error) {
	if err != nil {
		panic(fmt.Sprintf("lewicki: %v", err))
	}
}
