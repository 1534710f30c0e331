package s3c2011

import (
	"fmt"
	"slices"
	"time"

	"overcomplete/kernel-helpers/s3c"
	"overcomplete/paper/lab"
)

// A Stage is one stage of the pipeline.
type Stage struct {
	Stage   string
	State   string // kept (under version control), done (in the user's cache), not needed, or the missing prerequisite
	Left    string // approximate remaining time on two processors
	Command string // command that runs the stage
}

// The kinds of stages. Each is the name of the command that runs it, except that extract computes both dictionaries
// and features.
const (
	stageTrain      = "train"
	stageDictionary = "dictionary"
	stageFeatures   = "features"
	stageClassify   = "classify"
	stageChoose     = "choose"
	stageTransfer   = "transfer"
)

// command returns the command that runs a stage in a terminal.
func (s *sharedLab) command(stage string, k Kind) string {
	if stage == stageDictionary || stage == stageFeatures {
		stage = "extract"
	}
	c := "overcomplete s3c " + stage
	if k != S3C {
		c += fmt.Sprintf(" --kind %q", k)
	}
	if !s.Full() {
		c += " --size " + s.Size
	}
	if s.Seed != 1 {
		c += fmt.Sprint(" --seed ", s.Seed)
	}
	return c
}

// takes returns the approximate time that a stage needs on two processors. At full size, the times
// for S3C's model, and for all features and dictionaries, were measured; the other times were derived from the speed of
// package l2svm. At smaller sizes, times are proportional to the numbers of units and images.
func (s *sharedLab) takes(stage string, k Kind) time.Duration {
	n := s.Settings()
	units := float64(n.Units) / 1600
	images := float64(n.Train+n.Test) / 60_000
	minutes := 0.0
	work := units // work per patch
	if k == S3C || k == S3CProduct {
		work = 0.25 + 0.75*units // when units are skipped, part of the cost does not depend on their number
	}
	switch stage {
	case stageTrain:
		minutes = 4 * units * float64(n.Steps) / 8620
	case stageDictionary:
		switch k {
		case SoftThreshold:
			minutes = 4 * units * float64(n.Quantised*n.Iterations) / (400_000 * 50)
		case SparseCoding:
			minutes = 2 * units * float64(n.Coded*n.Alternation) / (100_000 * 10)
		}
	case stageFeatures:
		minutes = map[Kind]float64{S3C: 25, S3CProduct: 25, SoftThreshold: 2, SparseCoding: 16}[k] * work * images
		if s.Dense && (k == S3C || k == S3CProduct) {
			minutes *= 3
		}
	case stageClassify:
		minutes = 40 * units * images
	case stageChoose:
		minutes = 30 * work
	case stageTransfer:
		minutes = 10
	}
	return time.Duration(minutes * float64(time.Minute))
}

// about returns a duration in everyday words.
func about(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < 90*time.Second:
		return fmt.Sprintf("%.0f s", max(1, d.Seconds()))
	case d < 90*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// NotMade is the error for a full-size stage that must be run first.
type NotMade struct {
	Stage, Command string
	Takes          time.Duration
	// Absent is set if the data for the stage are missing.
	Absent bool
}

// Error says what is missing and how to compute it.
func (e *NotMade) Error() string {
	s := fmt.Sprintf("s3c2011: not computed yet: %s. The full size does not start this stage by itself. Run\n\t%s\n(about %s on two processors, more if earlier stages are missing: 'overcomplete s3c status' lists them; an interrupted run resumes), or choose a smaller size", e.Stage, e.Command, about(e.Takes))
	if e.Absent {
		s += "; CIFAR-10 is not on this machine: run 'overcomplete data get cifar10' first"
	}
	return s
}

// begin must be called before a stage is computed. At full size, unless Long is set, it panics with a *NotMade, so
// that no cell of a notebook starts hours of work.
func (s *sharedLab) begin(stage string, k Kind) {
	if !s.Full() || s.Long {
		return
	}
	panic(&NotMade{Stage: stageName(stage, k), Command: s.command(stage, k), Takes: s.takes(stage, k), Absent: s.Photographs().Data.Generated})
}

func stageName(stage string, k Kind) string {
	switch stage {
	case stageTrain:
		return "the S3C model"
	case stageDictionary:
		return fmt.Sprintf("the dictionary for %s", k)
	case stageFeatures:
		return fmt.Sprintf("features, %s", k)
	case stageChoose:
		return "the choice of a recipe by validation"
	case stageTransfer:
		return "features from other classes"
	}
	return fmt.Sprintf("accuracy, %s", k)
}

// fewKeys returns the keys of the results of FewLabels for a kind, one for each number of labels.
func (p *pipeline) fewKeys(k Kind) []lab.Key {
	var list []lab.Key
	for _, n := range p.Settings().PerClass {
		list = append(list, p.keys().few(k, n, p.fewCandidates(k, n)))
	}
	return list
}

// testKeys returns a list of one key: that of the test accuracy of a kind of features with a classifier trained on all
// labels.
func (p *pipeline) testKeys(k Kind) []lab.Key { return []lab.Key{p.keys().test(k)} }

// shown returns the kinds of features that an experiment compares. The function keysFor returns the keys of the results
// that the experiment needs for a kind. At full size, sparse coding takes a long time. It is therefore left out if one
// of its results is not stored, unless Long is set.
func (s *sharedLab) shown(keysFor func(Kind) []lab.Key) []Kind {
	var list []Kind
	for _, k := range compared {
		if k == SparseCoding && s.Full() && !s.Long && !s.has(keysFor(k)...) {
			continue
		}
		list = append(list, k)
	}
	return list
}

// has reports whether the store has the results under all these keys.
func (s *sharedLab) has(keys ...lab.Key) bool {
	return !slices.ContainsFunc(keys, func(key lab.Key) bool { return !s.store.Has(key) })
}

// Stages returns the state of each stage of the pipeline. For an unfinished stage it also gives the approximate
// remaining time and the command that runs it. Stages computes nothing but the whitening, which it needs to find the
// files of features.
func (l *Lab) Stages() []Stage { return (&survey{pipeline: &l.pipeline}).run() }

// A survey collects the stages for Stages.
type survey struct {
	*pipeline
	out []Stage
}

func (s *survey) run() []Stage {
	trained, left := s.trained()
	s.add(stageTrain, S3C, trained, left)
	for _, k := range []Kind{S3C, SoftThreshold, SparseCoding} {
		s.kind(k, left == 0)
	}
	return s.out
}

// add adds a line for a stage. rest is the fraction of the stage's work that remains to be done.
func (s *survey) add(stage string, k Kind, state string, rest float64) {
	line := Stage{Stage: stageName(stage, k), State: state}
	if rest > 0 {
		line.Left = about(time.Duration(rest * float64(s.takes(stage, k))))
		if s.store.Folder != "" { // without a folder, a command would keep nothing
			line.Command = s.command(stage, k)
		}
	}
	s.out = append(s.out, line)
}

// kind adds the stages of kind k: its dictionary (unless k is S3C), its features, and its classification. learned says
// whether S3C's model is completely trained.
func (s *survey) kind(k Kind, learned bool) {
	done, all, where := s.classified(k)
	if done == all {
		if k != S3C {
			s.add(stageDictionary, k, s.atomsState(k)+" (not needed)", 0)
		}
		s.add(stageFeatures, k, "not needed: the results exist", 0)
		s.add(stageClassify, k, where, 0)
		return
	}
	if k != S3C {
		state, left := s.atomsState(k), 0.0
		if learned = state != missing; !learned {
			left = 1
		}
		s.add(stageDictionary, k, state, left)
	}
	if learned && s.store.Folder != "" {
		a, of := s.shards(s.FeatureFolder(), k, Train)
		b, and := s.shards(s.FeatureFolder(), k, Test)
		state := fmt.Sprintf("%d of %d files", a+b, of+and)
		if a+b == of+and {
			state = "done"
		}
		s.add(stageFeatures, k, state, 1-float64(a+b)/float64(of+and))
	} else {
		s.add(stageFeatures, k, missing, 1)
	}
	state := missing
	if done > 0 {
		state = fmt.Sprintf("%d of %d numbers", done, all)
	}
	s.add(stageClassify, k, state, 1-float64(done)/float64(all))
}

// classified counts the results that the notebook shows for a kind. The result done is the number of stored results,
// and all is the number of all results. It does not count the results of cross-validation for single values of C,
// because it is not known in advance which values will be tried. If the two counts are equal, the kind's features are
// no longer needed. The result where is "kept" if all stored results are under version control, and otherwise "done".
func (s *survey) classified(k Kind) (done int, all int, where string) {
	where = "kept"
	for _, key := range slices.Concat(s.testKeys(k), s.fewKeys(k), newTransfer(s.pipeline).needs(k)) {
		all++
		if s.store.Has(key) {
			done++
			if !s.store.HasKept(key) {
				where = "done"
			}
		}
	}
	return done, all, where
}

const missing = "not made"

// trained returns the state of S3C's model, for the list of stages, and the fraction of its training that remains.
func (l *learner) trained() (state string, left float64) {
	if l.state != nil {
		return "done", 0
	}
	path, state := l.find(l.keys().model().Name() + ".state")
	switch state {
	case missing:
		return missing, 1
	case "done":
		st, err := s3c.LoadState(path)
		lab.Check(err)
		if n := l.Settings().Steps; st.Step < n {
			return fmt.Sprintf("%d of %d steps", st.Step, n), 1 - float64(st.Step)/float64(n)
		}
	}
	return state, 0
}

// atomsState returns the state of the dictionary of a kind: "kept" (under version control), "done" (in the user's
// cache) or missing.
func (l *learner) atomsState(k Kind) string {
	switch key := l.keys().atoms(k); {
	case l.store.HasKept(key):
		return "kept"
	case l.store.Has(key):
		return "done"
	}
	return missing
}
