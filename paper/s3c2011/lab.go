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

// A Lab runs the experiments of one notebook run (see package lab), and the pipeline's stages on which the
// experiments depend.
type Lab struct {
	lab.Lab
	// Recorder receives the progress of stages. It may be nil.
	Recorder progress.Recorder
	// Dense computes features by the whole E step instead of the E step that skips units.
	Dense bool
	// Long allows long full-size stages to start. Without it they fail with a NotMade error, so that no cell
	// of a notebook starts hours of work. The command "overcomplete s3c" sets it.
	Long bool
	// All makes ChooseRecipe train the chosen recipe with all labels, if no kept result exists.
	All bool

	store *lab.Store
	// The following are created on first use.
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

// kept is the version-controlled folder with the model and numbers of the full-size run.
const kept = "paper/s3c2011/trained"

// folder returns the folder for large stages: features, and the state of training. At the small sizes it
// returns "", because nothing outlives the program.
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

// keptFile returns the path of a version-controlled file.
func (l *Lab) keptFile(name string) string {
	path := filepath.Join(l.Root, filepath.FromSlash(kept), name)
	lab.Check(l.UseFile(path))
	return path
}
