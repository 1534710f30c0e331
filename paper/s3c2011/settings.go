package s3c2011

import "overcomplete/paper/record"

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
