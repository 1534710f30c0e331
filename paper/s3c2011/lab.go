package s3c2011

import (
	"os"
	"path/filepath"

	"overcomplete/kernel-helpers/gpu"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
	"overcomplete/ui/progress"
)

// Paper is the name of the notebook and of the folder of results.
const Paper = "s3c"

// A Lab holds the experiments of one run of the notebook (see package lab), and the pipeline's stages on which the
// experiments depend.
//
// The fields control the stages: Recorder receives their progress, Dense selects the full E step for features, Device
// moves the computation of features to a graphics card, Long allows long full-size stages to start, and All is described
// below.
type Lab struct {
	pipeline
	// All makes ChooseRecipe train the chosen recipe with all labels if no kept result exists.
	All bool
}

// A sharedLab holds what all experiments use: the run, its photographs, and the stages that are kept.
type sharedLab struct {
	lab.Lab
	// Recorder receives the progress of stages. It may be nil.
	Recorder progress.Recorder
	// Dense computes features by the whole E step instead of the E step that skips units.
	Dense bool
	// Device trains S3C, computes its features by the whole E step, and computes the products of the support vector
	// machines on these features, on a device such as a graphics card. Everything that depends on the device is
	// kept separate from what processors have computed, because the last bits differ. nil means the processor.
	Device gpu.Device
	// Long allows long full-size stages to start. Without it they fail with a NotMade error, so that no cell
	// of a notebook starts hours of work. The command "overcomplete s3c" sets it.
	Long bool

	store       *lab.Store
	photographs *Photographs // created on first use
}

// New begins a run of the given size (smoke, lecture, medium or full) with the given seed.
func New(size string, seed uint64) (*Lab, error) {
	base, err := lab.Open(Paper, size, seed)
	if err != nil {
		return nil, err
	}
	base.About, base.Instead = "CIFAR-10, which is not on this machine ('overcomplete data get cifar10')", "generated images"
	return newLab(base, base.Stages(kept)), nil
}

func newLab(base lab.Lab, store *lab.Store) *Lab {
	return &Lab{pipeline: pipeline{learner: learner{sharedLab: sharedLab{Lab: base, store: store}, dictionary: map[Kind]*vision.Dictionary{}}}}
}

// kept is the version-controlled folder with the model and numbers of the full-size run.
const kept = "paper/s3c2011/trained"

// folder returns the folder of stages, StageFolder, after creating it. It is for large results: features, and the
// state of training. folder returns "" at the small sizes, which keep nothing on disk.
func (s *sharedLab) folder() string {
	if f := s.store.Folder; f != "" {
		lab.Check(os.MkdirAll(f, 0o777))
		return f
	}
	return ""
}

// StageFolder returns the folder of the stages on this machine, or "" if this size keeps nothing on disk.
func (s *sharedLab) StageFolder() string { return s.store.Folder }

// keptFile returns the path of a version-controlled file, and records that this run depends on it.
func (s *sharedLab) keptFile(name string) string {
	path := filepath.Join(s.Root, filepath.FromSlash(kept), name)
	lab.Check(s.UseFile(path))
	return path
}

// find returns the path of a stage's file and its state: "kept" (under version control), "done" (in the folder of
// stages) or missing. If the file is missing, path is where to write it, or "" if this size keeps nothing on disk.
func (s *sharedLab) find(name string) (path, state string) {
	if path = s.keptFile(name); exists(path) {
		return path, "kept"
	}
	f := s.folder()
	if f == "" {
		return "", missing
	}
	if path = filepath.Join(f, name); exists(path) {
		return path, "done"
	}
	return path, missing
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Settings holds the numbers of a run at one size. At full size they are the paper's numbers.
type Settings struct {
	Units       int // N, for S3C and for the dictionaries with which S3C is compared
	Steps       int // batches of 100 patches for S3C
	Whiten      int // patches for the whitening
	Quantised   int // patches for OMP-1, in Iterations iterations
	Iterations  int
	Coded       int // patches for sparse coding, in Alternation alternations
	Alternation int
	Train, Test int // images from which features are computed
	PerClass    []int
	Draws       int // draws of labeled images for each number of labels
}

// Settings returns the settings of the run's size.
func (s *sharedLab) Settings() Settings {
	switch s.Size {
	case record.Smoke:
		return Settings{Units: 40, Steps: 100, Whiten: 2000, Quantised: 2000, Iterations: 5, Coded: 300, Alternation: 2,
			Train: 150, Test: 60, PerClass: []int{3, 6}, Draws: 2}
	case record.Lecture:
		return Settings{Units: 200, Steps: 2000, Whiten: 50_000, Quantised: 50_000, Iterations: 20, Coded: 5_000, Alternation: 5,
			Train: 2_000, Test: 2_000, PerClass: []int{5, 10, 30}, Draws: 3}
	case record.Medium:
		return Settings{Units: 400, Steps: 8620, Whiten: 400_000, Quantised: 400_000, Iterations: 50, Coded: 20_000, Alternation: 10,
			Train: 10_000, Test: 10_000, PerClass: []int{50, 100, 200, 400}, Draws: 5}
	}
	return Settings{Units: 1600, Steps: 8620, Whiten: 2_000_000, Quantised: 400_000, Iterations: 50, Coded: 100_000, Alternation: 10,
		Train: 50_000, Test: 10_000, PerClass: []int{50, 100, 200, 400, 1000}, Draws: 5}
}

const (
	side = 6 // pixels along a patch
	// The constants added to the eigenvalues and to the variance of a patch (pixels of 0 to 255) are the
	// defaults of package vision, 0.1 and 10, as in the published experiment.
)
