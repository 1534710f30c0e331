package s3c2011

import (
	"fmt"
	"slices"

	"overcomplete/kernel-helpers/features"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// widePools lists pools that are computed together in one E step over all images.
var widePools = []vision.Pool{{Grid: 3, Pooling: vision.Mean}, {Grid: 3, Pooling: vision.Max}}

// codes returns the features of images by an encoder, pooled in several ways. Like Features, it keeps the
// features in files at the large sizes.
func (l *Lab) codes(im *vision.Images, e vision.Encoder, pools []vision.Pool) l2svm.Points {
	opt := vision.ExtractOptions{Pools: pools, Format: features.Float16, ShardRows: l.Pick(50, 500, 500), Recorder: l.Recorder}
	defer gemm.Serial()() // images run in parallel
	if opt.Folder = l.FeatureFolder(); opt.Folder == "" {
		M, err := vision.ExtractFeatures(l.Context(), im, l.Whitening(), e, &opt)
		lab.Check(err)
		return l2svm.Dense(M)
	}
	layout, err := vision.ShardsLayout(im, l.Whitening(), e, &opt)
	lab.Check(err)
	if X := l.held[layout.Depends]; X != nil {
		return X
	}
	_, err = vision.ExtractShards(l.Context(), im, l.Whitening(), e, &opt)
	lab.Check(err)
	X, err := features.OpenShards([]string{l.FeatureFolder()}, &features.OpenOptions{Depends: layout.Depends, OnDisk: true}) // the files have several gigabytes, and a recipe uses only a part
	lab.Check(err)
	l.held = map[string]l2svm.Points{layout.Depends: X} // replaces the previous features, because they are large
	return X
}

// codesFirst returns the encoder that uses the E step with the given updates, and a description of that
// encoder.
func (l *Lab) codesFirst(u Updates) (*s3c.Encoder, string) {
	opt, how := s3c.EncoderOptions{Schedule: u.schedule()}, "whole E step"
	if l.skips() {
		opt.Skip, how = &s3c.SkipOptions{}, "skipping E step"
	}
	first, err := l.Model().NewEncoder(&opt)
	lab.Check(err)
	return first, how
}

// wide returns a recipe's features for all images of a set. Recipes share the files of these features.
func (l *Lab) wide(r Recipe, im *vision.Images) l2svm.Points {
	pools := []vision.Pool{r.Pool}
	if slices.Contains(widePools, r.Pool) {
		pools = widePools
	}
	return r.Code.of(l.codes(im, l.codesEncoder(r.Updates), pools), r.Pool, pools, l.Settings().Units)
}

// Again chooses the code and the kind of pooling once more, with all labels available: 40,000 images may
// favor another choice than 4,000. The last fifth of the training images is for validation; floor and updates
// are those of r. The trials are in the order of codes and poolings, and chosen is the best trial.
func (l *Lab) Again(r Recipe) (trials []Trial, chosen Trial) {
	for _, r := range wideRecipes(r) {
		t := l.withAll(r)
		if trials = append(trials, t); t.Validation > chosen.Validation {
			chosen = t
		}
	}
	return trials, chosen
}

// withAll returns the trial of a recipe on all training images.
func (l *Lab) withAll(r Recipe) Trial {
	train, validate := l.splitAll()
	t := l.tried(train, validate, r.settings(), r.Floor, func() l2svm.Points { return l.wide(r, l.Photographs().Train) })
	t.Step, t.Recipe, t.What = "all labels", r, r.String()
	return t
}

// hasAll reports whether the store has this trial.
func (l *Lab) hasAll(r Recipe) bool {
	train, validate := l.splitAll()
	return l.store.Has(l.trialKey(train, validate, r.settings()))
}

// splitAll returns how many training images Again and ChosenAll train on and validate on.
func (l *Lab) splitAll() (train, validate int) {
	n := len(l.Photographs().TrainLabels)
	return n - n/5, n / 5
}

// wideRecipes returns the recipes among which Again chooses.
func wideRecipes(r Recipe) []Recipe {
	var out []Recipe
	for _, r.Code = range []Code{Spikes, Products, Both} {
		for _, r.Pool = range widePools {
			out = append(out, r)
		}
	}
	return out
}

// hasAgain reports whether the store has all trials of Again.
func (l *Lab) hasAgain(r Recipe) bool {
	return !slices.ContainsFunc(wideRecipes(r), func(r Recipe) bool { return !l.hasAll(r) })
}

// ChosenAll trains a recipe's machine with all labels and evaluates the test images once. The candidates for
// C are the value that Choosing found with fewer images and three larger values (more images allow a larger
// C). C is chosen on the last fifth of the training images, after training on the others. ChosenAll returns
// C, the accuracies on that fifth, on all training images and on the test images.
func (l *Lab) ChosenAll(r Recipe, C float64) (best, held, train, test float64) {
	p := l.Photographs()
	v := l.store.Numbers(l.chosenKey(r), func() []float64 {
		l.begin(stageChoose, S3C)
		X, err := l2svm.Load(l.wide(r, p.Train)) // in memory, because the features are read a hundred times
		lab.Check(err)
		Xtest := l.wide(r, p.Test)
		defer gemm.Serial()() // blocks of images run in parallel
		cut, _ := l.splitAll()
		order := make([]int, len(p.TrainLabels))
		for i := range order {
			order[i] = i
		}
		first, last := l2svm.Select(X, order[:cut]), l2svm.Select(X, order[cut:])
		scale, err := l2svm.NewScale(l.Context(), first, r.Floor)
		lab.Check(err)
		o := byGradient()
		o.Scale, o.Recorder, o.Classes = scale, l.Recorder, len(p.Classes)
		cs := []float64{C, 3 * C, 10 * C, 30 * C}
		models, err := l2svm.FitPath(l.Context(), first, p.TrainLabels[:cut], cs, &o)
		lab.Check(err)
		best, held := 0.0, -1.0
		for i, m := range models {
			a, err := m.Accuracy(l.Context(), last, p.TrainLabels[cut:])
			lab.Check(err)
			if a > held {
				best, held = cs[i], a
			}
		}
		o.Scale, err = l2svm.NewScale(l.Context(), X, r.Floor)
		lab.Check(err)
		o.C = best
		m, err := l2svm.Fit(l.Context(), X, p.TrainLabels, &o)
		lab.Check(err)
		a, err := m.Accuracy(l.Context(), X, p.TrainLabels)
		lab.Check(err)
		b, err := m.Accuracy(l.Context(), Xtest, p.TestLabels)
		lab.Check(err)
		return []float64{best, held, a, b}
	})
	return v[0], v[1], v[2], v[3]
}

// chosenRows adds rows about the chosen recipe with all labels, if that was run, and about the recipe chosen
// by Again. It compares them with the goal and with the soft threshold.
func (l *Lab) chosenRows(c *Choosing) {
	p := l.Photographs()
	row := func(id, by string, r Recipe, C float64) {
		goal := record.Row{ID: id, What: "test accuracy on CIFAR-10, all labels, S3C by the recipe that " + by, Data: p.Data}
		rival := record.Row{ID: id + "-soft-threshold", What: "test accuracy with all labels, S3C by the recipe that " + by + " less soft threshold", Data: p.Data}
		if r == (Recipe{}) || !l.store.Has(l.chosenKey(r)) && !l.All {
			why := record.NoData("not run: 'overcomplete s3c choose --all' makes the E step of 60,000 images by this recipe, trains, and goes on where it was stopped (an hour on two processors)")
			goal.Rule, rival.Rule = why, why
			l.Row(goal)
			l.Row(rival)
			return
		}
		C, held, train, test := l.ChosenAll(r, C)
		them := l.AllLabels(SoftThreshold)
		goal.Measured, goal.Rule, goal.Repeat = record.Number(100*test, "%"), record.AtLeast(79), 0.3
		goal.Reason = fmt.Sprintf("%s; C = %g by the last fifth of the training images, of which %.2f %% are right; %.2f %% of the training images", r, C, 100*held, 100*train)
		rival.Measured, rival.Rule, rival.Repeat = record.Number(100*(test-them.Test), "points"), record.AtLeast(0), 0.3
		rival.Reason = fmt.Sprintf("%.2f and %.2f %%; a difference of two accuracies on 10,000 images has a standard error of half a point at most", 100*test, 100*them.Test)
		l.Row(goal)
		l.Row(rival)
	}
	row("own-chosen-all", "validation chose", c.Chosen.Recipe, c.Chosen.C)
	row("own-again-all", "validation chose again, with 40,000 training images", c.Again.Recipe, c.Again.C)
}
