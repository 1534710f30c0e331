package s3c2011

import (
	"fmt"
	"slices"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// widePools lists the pools that are computed together in one E step over all images.
var widePools = []vision.Pool{{Grid: 3, Pooling: vision.Mean}, {Grid: 3, Pooling: vision.Max}}

// wide returns the features of all images of im, computed by the recipe r. If r's pool is in widePools, one E step
// computes the features for both pools in widePools, and the files hold the features for both pools. So two recipes
// share their files if they differ only in which of these pools they use.
func (s *search) wide(r Recipe, im *vision.Images) l2svm.Points {
	pools := []vision.Pool{r.Pool}
	if slices.Contains(widePools, r.Pool) {
		pools = widePools
	}
	return r.Code.selectColumns(s.codes(im, s.codesEncoder(r.Updates), pools), r.Pool, pools, s.units)
}

// Again chooses the code and the kind of pooling once more, with all labels, because with 40,000 images another choice
// may be better than with 4,000. It trains on the first four fifths of the training images and validates on the last
// fifth. The floor and the updates are those of the recipe r. Again returns the trials, sorted by code and then by
// pooling, and the best of them.
func (l *Lab) Again(r Recipe) (trials []Trial, chosen Trial) { return l.search().again(r) }

func (s *search) again(r Recipe) (trials []Trial, chosen Trial) {
	for _, r := range wideRecipes(r) {
		t := s.withAll(r)
		trials, chosen = append(trials, t), better(chosen, t)
	}
	return trials, chosen
}

// withAll returns the trial of the recipe r on all training images: the first four fifths are for training, and the
// last fifth is for validation.
func (s *search) withAll(r Recipe) Trial {
	t := s.tried(s.most, r.settings(), r.Floor, func() l2svm.Points { return s.wide(r, s.data.Train) })
	t.Step, t.Recipe, t.What = "all labels", r, r.String()
	return t
}

// hasAll reports whether the store has the result of withAll for the recipe r.
func (s *search) hasAll(r Recipe) bool { return s.has(s.keys().trial(s.most, r.settings())) }

// wideRecipes returns the recipes among which Again chooses: r with each code and each pool in widePools.
func wideRecipes(r Recipe) []Recipe {
	var out []Recipe
	for _, r.Code = range []Code{Spikes, Products, Both} {
		for _, r.Pool = range widePools {
			out = append(out, r)
		}
	}
	return out
}

// hasAgain reports whether the store has all trials that s.again(r) needs.
func (s *search) hasAgain(r Recipe) bool {
	return !slices.ContainsFunc(wideRecipes(r), func(r Recipe) bool { return !s.hasAll(r) })
}

// ChosenAll trains a support vector machine with all labels on the features of the recipe r, and tests it once. C was
// chosen with fewer images. More images may favor a larger value, so ChosenAll tries C, 3C, 10C and 30C: it trains on
// the first four fifths of the training images and compares the accuracies on the last fifth. Of these values, it
// returns the best and its accuracy on the last fifth. It also returns the accuracies of the final machine, which is
// trained on all training images: on these images and on the test images.
func (l *Lab) ChosenAll(r Recipe, C float64) (best, held, train, test float64) {
	return l.search().chosenAll(r, C)
}

func (s *search) chosenAll(r Recipe, C float64) (best, held, train, test float64) {
	p := s.data
	v := s.store.Numbers(s.keys().chosen(r), func() []float64 {
		s.begin(stageChoose, S3C)
		X, err := l2svm.Load(s.wide(r, p.Train)) // in memory, because the features are read a hundred times
		lab.Check(err)
		Xtest := s.wide(r, p.Test)
		defer gemm.Serial()() // blocks of images run in parallel
		cut := s.most.train
		first, last := l2svm.Select(X, numbers(0, cut)), l2svm.Select(X, numbers(cut, len(p.TrainLabels)))
		scale, err := l2svm.NewScale(s.Context(), first, r.Floor)
		lab.Check(err)
		o := byGradient()
		o.Scale, o.Recorder, o.Classes = scale, s.Recorder, len(p.Classes)
		cs := []float64{C, 3 * C, 10 * C, 30 * C}
		models, err := l2svm.FitPath(s.Context(), first, p.TrainLabels[:cut], cs, &o)
		lab.Check(err)
		best, held := 0.0, -1.0
		for i, m := range models {
			a, err := m.Accuracy(s.Context(), last, p.TrainLabels[cut:])
			lab.Check(err)
			if a > held {
				best, held = cs[i], a
			}
		}
		o.Scale, err = l2svm.NewScale(s.Context(), X, r.Floor)
		lab.Check(err)
		o.C = best
		m, err := l2svm.Fit(s.Context(), X, p.TrainLabels, &o)
		lab.Check(err)
		a, err := m.Accuracy(s.Context(), X, p.TrainLabels)
		lab.Check(err)
		b, err := m.Accuracy(s.Context(), Xtest, p.TestLabels)
		lab.Check(err)
		return []float64{best, held, a, b}
	})
	return v[0], v[1], v[2], v[3]
}

// chosenRows adds the rows about test accuracy with all labels, for two recipes: one was found by steps 1 to 3 of the
// choice (see choosing.go), the other by step 4, the choice with all labels. If the machine of a recipe was not
// trained, its row has no data. Only the first recipe is compared with the soft threshold. A comparison with the second
// would be unfair, because S3C's recipe was then chosen twice, whereas the soft threshold has only its published
// recipe.
func (s *search) chosenRows() {
	c := s.out
	row := func(id, by string, r Recipe, C float64) (test float64, ok bool) {
		goal := record.Row{ID: id, What: "test accuracy on CIFAR-10, all labels, S3C (recipe chosen by " + by + ")", Data: s.data.Data}
		if r == (Recipe{}) || !s.has(s.keys().chosen(r)) && !s.all {
			goal.Rule = chosenNotRun()
			s.Row(goal)
			return 0, false
		}
		C, held, train, test := s.chosenAll(r, C)
		goal.Measured, goal.Rule, goal.Repeat, goal.Look = record.Number(100*test, "%"), record.AtLeast(79), 0.3, lookAll(S3C, r.String())
		goal.Reason = fmt.Sprintf("%s; %d features per image; C = %g, chosen on the last fifth of the training images (accuracy %.2f %%); training accuracy %.2f %%", r, r.size(s.units), C, 100*held, 100*train)
		if r.size(s.units) > mostFeatures(s.units) {
			goal.Reason += fmt.Sprintf(". The earlier choices were limited to recipes with at most %d features", mostFeatures(s.units))
			if t, ok := s.bestWithin(c.All); ok {
				goal.Reason += fmt.Sprintf("; within that limit, step 4 would have chosen %s, with validation accuracy %.2f %%", t.What, 100*t.Validation)
			}
		}
		s.Row(goal)
		return test, true
	}
	rival := record.Row{ID: "own-chosen-all-soft-threshold", What: "test accuracy with all labels: S3C (recipe chosen by validation) minus soft threshold", Data: s.data.Data}
	if test, ok := row("own-chosen-all", "validation", c.Chosen.Recipe, c.Chosen.C); ok {
		them := s.AllLabels(SoftThreshold)
		rival.Measured, rival.Rule, rival.Repeat = record.Number(100*(test-them.Test), "points"), record.AtLeast(0), 0.3
		rival.Reason = fmt.Sprintf("%.2f and %.2f %%; the standard error of such a difference on 10,000 images is at most 0.6 points. S3C's recipe was chosen from many, the soft threshold has only one, so a lead of S3C would be weak evidence", 100*test, 100*them.Test)
	} else {
		rival.Rule = chosenNotRun()
	}
	s.Row(rival)
	row("own-again-all", "validation with 40,000 training images", c.Again.Recipe, c.Again.C)
}

// bestWithin returns the trial with the best validation accuracy among those whose number of features per image is at
// most mostFeatures. ok is false if there is no such trial.
func (s *search) bestWithin(trials []Trial) (best Trial, ok bool) {
	for _, t := range trials {
		if t.Recipe.size(s.units) <= mostFeatures(s.units) {
			best, ok = better(best, t), true
		}
	}
	return best, ok
}

func chosenNotRun() record.Rule {
	return record.NoData("not run; 'overcomplete s3c choose --all' runs the E step of this recipe on 60,000 images and trains (an hour on two processors; it resumes if interrupted)")
}
