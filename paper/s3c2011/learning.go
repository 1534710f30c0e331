package s3c2011

import (
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/lab"
)

// A learner holds what is learned from patches without labels.
type learner struct {
	sharedLab
	// These are computed on first use.
	whitening  *vision.Whitening
	state      *s3c.State
	dictionary map[Kind]*vision.Dictionary
}

// Patches returns n random patches of the unlabeled images, before whitening.
func (l *learner) Patches(n int) *vision.Patches {
	return vision.NewPatches(l.Photographs().Unlabelled, side, n, l.Seed)
}

// HeldOut returns n whitened random patches of the test images, one per row (n×D). S3C, the dictionaries and the
// whitening did not learn from these images.
func (l *learner) HeldOut(n int) *mat.Dense {
	V, err := vision.Matrix(l.Whitening().Patches(vision.NewPatches(l.Photographs().Test, side, n, l.Seed+1)), 0, n)
	lab.Check(err)
	return V
}

// Whitening returns the normalization of contrast and the ZCA matrix. Both are fitted to the same random patches from
// which S3C is then learned.
func (l *learner) Whitening() *vision.Whitening {
	if l.whitening == nil {
		defer gemm.Serial()() // patches run in parallel
		w, err := vision.FitWhitening(l.Context(), l.Patches(l.Settings().Whiten), &vision.WhitenOptions{})
		lab.Check(err)
		l.whitening = w
	}
	return l.whitening
}

// Model returns the trained S3C. If there is a model under version control, it returns that model.
func (l *learner) Model() *s3c.Model { return l.Train().Model }

// Train trains S3C with the settings of the published experiment; the small sizes have fewer units
// and steps. At full size it resumes an earlier run that was stopped, and does nothing if the
// trained state is under version control.
func (l *learner) Train() *s3c.State {
	if l.state != nil {
		return l.state
	}
	s := l.Settings()
	opt := &s3c.Options{Units: s.Units, Steps: s.Steps, Device: l.Device, Recorder: l.Recorder}
	path, state := l.find(l.keys().model().Name() + ".state")
	if state != missing {
		st, err := s3c.LoadState(path)
		lab.Check(err)
		if state == "kept" || st.Step >= s.Steps { // training is complete
			l.state = st
			return st
		}
		opt.Resume = st
	}
	opt.Checkpoint = path
	l.begin(stageTrain, S3C)
	defer gemm.Serial()() // blocks of patches run in parallel
	r, err := s3c.Fit(l.Context(), vision.NewSource(l.Photographs().Unlabelled, side, l.Whitening(), l.Seed), opt)
	lab.Check(err)
	l.state = r.State
	return l.state
}

// Dictionary returns the dictionary for the features of kind k, with which S3C is compared. As in Coates and Ng's
// work, it is learned by OMP-1 for SoftThreshold, and by sparse coding for SparseCoding. A dictionary under version
// control is not learned again. Dictionary panics if k is another kind.
func (l *learner) Dictionary(k Kind) *vision.Dictionary {
	if k != SoftThreshold && k != SparseCoding {
		panic("s3c2011: Dictionary: " + string(k) + " has none")
	}
	if d := l.dictionary[k]; d != nil {
		return d
	}
	key := l.keys().atoms(k)
	// Features are computed in single precision, so the dictionary needs no more.
	B := l.store.Matrix(key, func() *mat.Dense { return lab.Single(l.learnAtoms(k).D) }) // D×N
	// Pass only the name: features must not depend on whether the dictionary was learned or read.
	d, err := vision.Given(B, key.Name())
	lab.Check(err)
	l.dictionary[k] = d
	return d
}

func (l *learner) learnAtoms(k Kind) *vision.Dictionary {
	l.begin(stageDictionary, k)
	defer gemm.Serial()() // blocks of patches run in parallel
	s := l.Settings()
	patches := s.Quantised
	if k == SparseCoding {
		patches = s.Coded
	}
	X, err := vision.Hold(l.Context(), l.Whitening().Patches(l.Patches(patches)))
	lab.Check(err)
	var d *vision.Dictionary
	if k == SoftThreshold {
		d, err = vision.FitOMP1(l.Context(), X, &vision.OMP1Options{Atoms: s.Units, Passes: s.Iterations, Seed: l.Seed, Recorder: l.Recorder})
	} else {
		d, err = vision.FitSparseCoding(l.Context(), X, &dictionary.Options{Atoms: s.Units, Passes: s.Alternation, Seed: l.Seed, Recorder: l.Recorder})
	}
	lab.Check(err)
	return d
}
