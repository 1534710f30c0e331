package s3c2011

import (
	"fmt"
	"strings"

	"overcomplete/paper/lab"
)

// The keys of stages. Their words and values also form file names. If a value's format changes, the file name
// changes, and the stage is not found in the folder trained.

// keys is the type whose methods make the keys under which the results of a run's stages are stored. All keys depend on
// the photographs, and most also depend on the seed and on the numbers that set the size of the run.
type keys struct {
	Settings
	size, data string // data: see Photographs
	seed       uint64
	dense      bool
	device     string // in small letters, digits and hyphens; empty for the processor
}

func (s *sharedLab) keys() keys {
	device := ""
	if s.Device != nil {
		device = strings.Join(strings.FieldsFunc(strings.ToLower(s.Device.Info().Name), func(c rune) bool {
			return (c < 'a' || c > 'z') && (c < '0' || c > '9')
		}), "-")
	}
	return keys{s.Settings(), s.Size, s.Photographs().key, s.Seed, s.Dense, device}
}

// on returns the setting that names the device, if there is one.
func (k keys) on() lab.Settings {
	if k.device == "" {
		return ""
	}
	return lab.NewSettings("device", k.device)
}

// run returns the settings that identify the size and the photographs.
func (k keys) run() lab.Settings { return lab.NewSettings("size", k.size, "data", k.data) }

// patches returns the setting for the number of patches from which the whitening is learned. It is part of the key of
// everything that is learned from whitened patches.
func (k keys) patches() lab.Settings { return lab.NewSettings("whiten", k.Whiten) }

// candidates returns settings that identify the candidates for C in a search: the first, the last, and how many there
// are.
func candidates(cs []float64) lab.Settings {
	return lab.NewSettings("c-from", cs[0], "c-to", cs[len(cs)-1], "c-count", len(cs))
}

// model returns the key for the trained model.
func (k keys) model() lab.Key {
	return lab.NewKey("model", "data", k.data, k.patches(), "units", k.Units, "steps", k.Steps, "seed", k.seed, k.on())
}

// atoms returns the key for the dictionary with which features of the given kind are computed.
func (k keys) atoms(of Kind) lab.Key {
	patches, iterations := k.Quantised, k.Iterations
	if of == SparseCoding {
		patches, iterations = k.Coded, k.Alternation
	}
	return lab.NewKey("atoms", "for", of.slug(), "data", k.data, k.patches(), "patches", patches, "atoms", k.Units, "iterations", iterations, "seed", k.seed)
}

// usesDevice reports whether Device, if it is given, computes the features of a kind and the products of the support
// vector machines that are trained on them.
func (k Kind) usesDevice() bool { return k == S3C || k == S3CProduct }

// features returns all settings on which the features of a kind depend.
func (k keys) features(of Kind) lab.Settings {
	if of == rawPixels {
		return lab.NewSettings("features", of.slug(), k.run(), "seed", k.seed)
	}
	how, on := "", lab.Settings("")
	if of.usesDevice() {
		on = k.on()
		if k.dense && on == "" {
			how = "-whole"
		}
	}
	return lab.NewSettings("features", of.slug()+how, k.run(), k.patches(), "units", k.Units, "seed", k.seed, on)
}

// cv returns the key for the cross-validation of one value of C with all labels. (k.test returns the key for the
// machine that is trained with the best C.)
func (k keys) cv(of Kind, C float64) lab.Key { return lab.NewKey("cv", k.features(of), "c", C) }
func (k keys) test(of Kind) lab.Key          { return lab.NewKey("test", k.features(of)) }

// few returns the key for support vector machines that are trained on n labels of each class. Their C is one of the
// values in cs.
func (k keys) few(of Kind, n int, cs []float64) lab.Key {
	return lab.NewKey("few", k.features(of), "per-class", n, "draws", k.Draws, candidates(cs))
}

// transfer returns the key for the accuracies in the stand-in for the transfer-learning challenge.
func (k keys) transfer(of Kind, perClass, draws int) lab.Key {
	return lab.NewKey("transfer", k.features(of), "per-class", perClass, "draws", draws, candidates(transferCandidates(of)))
}

// settings returns the recipe in the form used in keys.
func (r Recipe) settings() lab.Settings {
	return lab.NewSettings("updates", r.Updates.slug(), "codes", map[Code]string{Spikes: "h", Products: "hs", Both: "both"}[r.Code],
		"pool", r.Pool.Pooling, "grid", r.Pool.Grid, "floor", fmt.Sprintf("%.0e", r.Floor))
}

// rivalSettings returns the settings that describe the features of a soft threshold in a key, as Recipe.settings does
// for S3C.
func rivalSettings(dictionary string, grid int) lab.Settings {
	return lab.NewSettings("rival", dictionary, "pool", "sum", "grid", grid)
}

// trial returns the key for a trial of a recipe or of a rival. n says how many images are for training and for
// validation; the given settings describe the features.
func (k keys) trial(n split, settings lab.Settings) lab.Key {
	return lab.NewKey("choose", k.run(), k.patches(), "units", k.Units, "seed", k.seed, "train", n.train, "validate", n.validate, settings)
}

// chosen returns the key for the support vector machine that is trained on a recipe's features with all labels.
func (k keys) chosen(r Recipe) lab.Key {
	return lab.NewKey("chosen", k.run(), k.patches(), "units", k.Units, "seed", k.seed, r.settings())
}

// lent returns the key for support vector machines that are trained on the odd-numbered half of the classes. origin
// says whether their features were learned from the even-numbered classes (fromOthers) or from the odd-numbered
// classes themselves (fromOwn).
func (k keys) lent(of Kind, origin string, s otherSize) lab.Key {
	return lab.NewKey("other-classes", "features", of.slug(), "learned-from", map[string]string{fromOthers: "other", fromOwn: "own"}[origin], k.run(),
		"units", s.Units, "steps", s.Steps, "whiten", s.Whiten, "quantised", s.Quantised, "iterations", s.Iterations, "pool", s.Pool, "test", s.Test,
		"per-class", s.PerClass, "draws", s.Draws, candidates(otherCandidates(of)), "seed", k.seed)
}

// skipping returns the key for the accuracies of the experiment Skipping. The arguments are the numbers of training
// images and of test images.
func (k keys) skipping(train, test int) lab.Key {
	return lab.NewKey("skipping", k.run(), k.patches(), "units", k.Units, "steps", k.Steps, "train", train, "test", test, "seed", k.seed)
}
