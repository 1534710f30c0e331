package s3c2011

import (
	"fmt"

	"overcomplete/paper/lab"
)

// The keys of stages. Their words and values also form file names. If a value's format changes, the file name
// changes, and the stage is not found in the folder trained.

// run returns the settings that identify the size and the photographs.
func (l *Lab) run() lab.Settings {
	return lab.NewSettings("size", l.Size, "data", l.Photographs().key)
}

// patches returns the setting for the number of patches in the whitening, on which all learning depends.
func (l *Lab) patches() lab.Settings { return lab.NewSettings("whiten", l.Settings().Whiten) }

// candidates returns the settings for the candidates for C in a search.
func candidates(cs []float64) lab.Settings {
	return lab.NewSettings("c-from", cs[0], "c-to", cs[len(cs)-1], "c-count", len(cs))
}

// modelKey returns the key for the trained model.
func (l *Lab) modelKey() lab.Key {
	s := l.Settings()
	return lab.NewKey("model", "data", l.Photographs().key, l.patches(), "units", s.Units, "steps", s.Steps, "seed", l.Seed)
}

// atomsKey returns the key for the dictionary of a kind.
func (l *Lab) atomsKey(k Kind) lab.Key {
	s := l.Settings()
	patches, iterations := s.Quantised, s.Iterations
	if k == SparseCoding {
		patches, iterations = s.Coded, s.Alternation
	}
	return lab.NewKey(k.slug()+"-atoms", "data", l.Photographs().key, l.patches(), "patches", patches, "atoms", s.Units, "iterations", iterations, "seed", l.Seed)
}

// features returns all settings on which the features of a kind depend.
func (l *Lab) features(k Kind) lab.Settings {
	how := ""
	if (k == S3C || k == S3CProduct) && l.Dense {
		how = "-whole"
	}
	return lab.NewSettings("features", k.slug()+how, l.run(), l.patches(), "units", l.Settings().Units, "seed", l.Seed)
}

// The keys of a kind's results.
func (l *Lab) cvKey(k Kind, C float64) lab.Key { return lab.NewKey("cv", l.features(k), "c", C) }
func (l *Lab) testKey(k Kind) lab.Key          { return lab.NewKey("test", l.features(k)) }
func (l *Lab) fewKey(k Kind, n int) lab.Key    { return l.fewKeyOf(k, n, l.fewCandidates(k, n)) }

func (l *Lab) fewKeyOf(k Kind, n int, cs []float64) lab.Key {
	return lab.NewKey("few", l.features(k), "per-class", n, "draws", l.Settings().Draws, candidates(cs))
}

func (l *Lab) transferKey(k Kind) lab.Key {
	of := l.features(k)
	if k == rawPixels {
		of = lab.NewSettings("features", k.slug(), l.run(), "seed", l.Seed)
	}
	return lab.NewKey("transfer", of, "per-class", l.transferPer(), "draws", l.transferDraws(), candidates(transferCandidates(k)))
}

// settings returns the recipe in the form used in keys.
func (r Recipe) settings() lab.Settings {
	return lab.NewSettings("updates", r.Updates.slug(), "codes", map[Code]string{Spikes: "h", Products: "hs", Both: "both"}[r.Code],
		"pool", r.Pool.Pooling, "grid", r.Pool.Grid, "floor", fmt.Sprintf("%.0e", r.Floor))
}

// rivalSettings returns the settings of a soft threshold, which replace those of a recipe.
func rivalSettings(dictionary string, grid int) lab.Settings {
	return lab.NewSettings("rival", dictionary, "pool", "sum", "grid", grid)
}

// trialKey returns the key for a trial of a recipe or a rival. The settings of describe its features.
func (l *Lab) trialKey(train, validate int, of lab.Settings) lab.Key {
	return lab.NewKey("choose", l.run(), l.patches(), "units", l.Settings().Units, "seed", l.Seed, "train", train, "validate", validate, of)
}

func (l *Lab) chosenKey(r Recipe) lab.Key {
	return lab.NewKey("chosen", l.run(), l.patches(), "units", l.Settings().Units, "seed", l.Seed, r.settings())
}

func (l *Lab) lentKey(k Kind, origin string) lab.Key {
	s := l.otherSize()
	return lab.NewKey("other-classes", "features", k.slug(), "learned-from", map[string]string{otherClasses: "other", ownClasses: "own"}[origin], l.run(),
		"units", s.Units, "steps", s.Steps, "whiten", s.Whiten, "quantised", s.Quantised, "iterations", s.Iterations, "pool", s.Pool, "test", s.Test,
		"per-class", s.PerClass, "draws", s.Draws, candidates(otherCandidates(k)), "seed", l.Seed)
}

func (l *Lab) skippingKey() lab.Key {
	train, test := l.bothWays()
	s := l.Settings()
	return lab.NewKey("skipping", l.run(), l.patches(), "units", s.Units, "steps", s.Steps, "train", train, "test", test, "seed", l.Seed)
}
