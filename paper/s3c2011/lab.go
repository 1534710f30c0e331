package s3c2011

import (
	"os"
	"path/filepath"

	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/lab"
	"overcomplete/ui/progress"
)

// Paper is the name of the notebook and of the folder of results.
const Paper = "s3c"

// A Lab runs the experiments of one notebook run (see package lab), and the stages of
// the pipeline that they depend on.
type Lab struct {
	lab.Lab
	// Recorder receives the progress of stages. It may be nil.
	Recorder progress.Recorder
	// Dense makes the features by the whole E step instead of the one that skips units.
	Dense bool
	// Long allows long stages of the full size to begin. Without it they fail with a NotMade error,
	// so that no cell of a notebook begins hours of work. The command "overcomplete s3c" sets it.
	Long bool
	// All makes ChooseRecipe train the chosen recipe with all labels, if that is not kept.
	All bool

	store *lab.Store
	// Made on first use.
	photographs *Photographs
	whitening   *vision.Whitening
	state       *s3c.State
	dictionary  map[Kind]*vision.Dictionary
	held        map[string]l2svm.Points // requested features, see Features
}

// New begins a run at a size (smoke, lecture, medium or full) with a seed.
func New(size string, seed uint64) (*Lab, error) {
	base, err := lab.Open(Paper, size, seed)
	if err != nil {
		return nil, err
	}
	base.About, base.Instead = "CIFAR-10, which is not on this machine ('overcomplete data get cifar10')", "generated images"
	return &Lab{Lab: base, store: base.Stages(kept), dictionary: map[Kind]*vision.Dictionary{}}, nil
}

// kept is the folder of the full run's model and numbers, under version control.
const kept = "paper/s3c2011/trained"

// folder returns the folder of large stages: features, and the state of training. At the small
// sizes it is "": nothing outlives the program.
func (l *Lab) folder() string {
	if f := l.store.Folder; f != "" {
		lab.Check(os.MkdirAll(f, 0o777))
		return f
	}
	return ""
}

// StageFolder returns the folder of the stages on this machine, or "" if nothing is
// kept.
func (l *Lab) StageFolder() string { return l.store.Folder }

// keptFile returns the path of a file under version control.
func (l *Lab) keptFile(name string) string {
	path := filepath.Join(l.Root, filepath.FromSlash(kept), name)
	lab.Check(l.UseFile(path))
	return path
}
