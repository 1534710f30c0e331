package s3c2011

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/internal/labtest"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// TestPipeline runs all cells of the pipeline, on generated images.
func TestPipeline(t *testing.T) {
	patience.SkipShort(t, "it trains the whole pipeline")
	labtest.NoData(t)
	l := testLab(t)
	for _, s := range l.Stages() {
		if s.State != missing {
			t.Errorf("before anything was run: %+v", s)
		}
	}
	l.PatchSteps()
	l.Pooling(0)
	chosen := map[string]int{}
	for _, c := range l.CrossValidation() {
		if c.Chosen != "" {
			chosen[c.Features]++
		}
	}
	if len(chosen) != len(compared) || chosen[string(S3C)] != 1 {
		t.Errorf("chosen: %v", chosen)
	}
	a := l.Accuracies()
	c := l.LearningCurve()
	if len(a.Machines) != 3 || len(c.Curves) != 3 || len(c.Cells) != len(PerClass) {
		t.Errorf("%d machines, %d curves, %d lines", len(a.Machines), len(c.Curves), len(c.Cells))
	}
	if s := a.String(); !strings.Contains(s, fmt.Sprintf("[%.2g]", 100*a.Machines[0].Test)) {
		t.Errorf("S3C's %.2f %% is not among the stand-ins:\n%s", 100*a.Machines[0].Test, s)
	}
	saysMeasuredOrder(t, l, c)
	if n := len(l.Storage()); n != 4 {
		t.Errorf("%d lines on storage", n)
	}
	if n := len(l.TransferChallenge()); n != 4 {
		t.Errorf("%d lines on the challenge", n)
	}
	for _, s := range l.Stages() {
		if s.Left != "" {
			t.Errorf("all was run: %+v", s)
		}
	}
	want := map[string]record.Verdict{}
	published := 0
	for _, r := range l.Rows() {
		if !r.Published.IsZero() {
			published++
			want[r.ID] = record.Unknown
		}
	}
	if wanted := 3 + 2 + 15 + 10 + 3 + 1; published != wanted {
		t.Errorf("%d rows on what was published, want %d", published, wanted)
	}
	labtest.Want(t, l.Lab, want)
}

func TestSkipping(t *testing.T) {
	patience.SkipShort(t, "it trains the whole pipeline")
	labtest.NoData(t)
	l := testLab(t)
	if n := len(l.Skipping()); n != 5 {
		t.Errorf("%d lines", n)
	}
	if l.Dense || l.held != nil {
		t.Error("the comparison changes the lab")
	}
	labtest.Want(t, l.Lab, nil)
}

// On CIFAR-10 (if it is available) the rows name the data, and say why this size does not examine the claims.
func TestReal(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all of CIFAR-10")
	}
	l := testLab(t)
	if l.Photographs().Data.Generated {
		t.Skip("CIFAR-10 is not on this machine")
	}
	l.Storage()
	for _, r := range l.Rows() {
		if r.Data.Generated || r.Verdict != record.Reproduced {
			t.Errorf("%+v", r)
		}
	}
	if why := l.smaller(); !strings.HasSuffix(why, "size smoke has 40 and 150") {
		t.Error(why)
	}
}

// fullLab returns a lab of the paper's size with a few generated images in place of CIFAR-10. The numbers of the
// given kinds are under version control.
func fullLab(t *testing.T, kinds ...Kind) *Lab {
	t.Helper()
	run, err := record.StartIn(t.TempDir(), Paper, record.Full, 1)
	if err != nil {
		t.Fatal(err)
	}
	l := newLab(lab.Lab{Run: run}, nil)
	l.store = &lab.Store{Kept: filepath.Dir(l.keptFile("x"))}
	im, labels, err := vision.NewLeaves(t.Context(), &vision.LeavesOptions{N: 400, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	l.photographs = &Photographs{Unlabelled: im, Train: im.Slice(0, 300), Test: im.Slice(300, 400), TrainLabels: labels[:300], TestLabels: labels[300:], Classes: make([]string, 10),
		key: "cifar10", Data: record.Real("CIFAR-10")}
	if err := os.MkdirAll(l.store.Kept, 0o777); err != nil {
		t.Fatal(err)
	}
	keep := func(key lab.Key, x ...float64) {
		if err := lab.WriteMatrix(filepath.Join(l.store.Kept, key.Name()+".mat"), mat.NewDense(1, len(x), x)); err != nil {
			t.Fatal(err)
		}
	}
	keys, challenge := l.keys(), newTransfer(&l.pipeline)
	for i, k := range kinds {
		test := map[Kind]float64{S3C: 0.785, SparseCoding: 0.781, SoftThreshold: 0.77}[k]
		all, few := k.candidates()
		keep(keys.test(k), all[0], 0.9, test, 100, 1)
		for j, n := range l.Settings().PerClass {
			m := publishedFew[k][j][0] / 100
			keep(keys.few(k, n, l.fewCandidates(k, n)), m, 0.001, m, m, m, m, m, few[0], few[0], few[0], few[0], few[0])
		}
		a := 0.4 - float64(i)/100
		keep(challenge.needs(k)[0], a, a, a, a, a, a, a, a, a, a, few[0], few[0], few[0], few[0], few[0], few[0], few[0], few[0], few[0], few[0])
		for c, C := range all {
			keep(keys.cv(k, C), 0.7-float64(c)/100, 0.7, 0.7, 0.7, 0.7, 0.7)
		}
	}
	return l
}

// refused runs a cell that must refuse to run, and returns its error.
func refused(t *testing.T, cell func()) (e *NotMade) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			err, ok := r.(error)
			if !ok || !errors.As(err, &e) {
				panic(r)
			}
		}
	}()
	cell()
	return nil
}

// The full size never starts a long computation by itself.
func TestFullRefuses(t *testing.T) {
	patience.SkipShort(t, "it trains in stages")
	l := fullLab(t)
	for name, c := range map[string]struct {
		cell    func()
		command string
	}{
		"Train":           {func() { l.Train() }, "overcomplete s3c train"},
		"Accuracies":      {func() { l.Accuracies() }, "overcomplete s3c classify\n"},
		"LearningCurve":   {func() { l.LearningCurve() }, "overcomplete s3c classify\n"},
		"CrossValidation": {func() { l.CrossValidation() }, "overcomplete s3c classify\n"},
		"Transfer":        {func() { l.TransferChallenge() }, "overcomplete s3c classify\n"},
		"sparse coding":   {func() { l.AllLabels(SparseCoding) }, `overcomplete s3c classify --kind "sparse coding"`},
		"Dictionary":      {func() { l.Dictionary(SoftThreshold) }, `overcomplete s3c extract --kind "soft threshold"`},
		"Features":        {func() { _, err := l.Extract(S3C, Test, t.TempDir(), 0, 1); lab.Check(err) }, "overcomplete s3c extract\n"},
		"Pooling":         {func() { l.Pooling(0) }, "overcomplete s3c train"},
	} {
		if e := refused(t, c.cell); e == nil || !strings.Contains(e.Error(), c.command) {
			t.Errorf("%s: %v, want %s", name, e, c.command)
		}
	}
	for _, s := range l.Stages() {
		if s.State != missing || s.Left == "" {
			t.Errorf("%+v", s)
		}
	}
	l.photographs.Data = record.Generated("leaves")
	if e := refused(t, func() { l.Train() }); e == nil || !strings.Contains(e.Error(), "overcomplete data get cifar10") {
		t.Error("without CIFAR-10:", e)
	}
	l.Seed = 2
	if e := refused(t, func() { l.AllLabels(SoftThreshold) }); e == nil || e.Command != `overcomplete s3c classify --kind "soft threshold" --seed 2` {
		t.Error("another seed:", e)
	}
}

// saysMeasuredOrder checks the learning curve's notes below the table and the figure, which compare the measured
// order of the features with the paper's order in the notebook. The notes must agree with the rows.
func saysMeasuredOrder(t *testing.T, l *Lab, c *LearningCurveResult) {
	t.Helper()
	measured := map[Kind]float64{}
	var order []Kind
	for _, k := range compared {
		r, ok := l.Results().Row("own-few-" + k.slug())
		if !ok {
			t.Fatalf("no row of %s", k)
		}
		measured[k] = r.Measured.Number
		order = append(order, k)
	}
	slices.SortStableFunc(order, func(a, b Kind) int { return cmp.Compare(measured[b], measured[a]) })
	quoted := slices.Equal(order, compared[:])
	want := "on these generated data it came out otherwise"
	if (&learningCurve{&l.pipeline, l.Photographs().Data, c}).quoted().Holds() {
		want = "The order is that of the text"
	} else if !quoted {
		at := 0
		for _, k := range order {
			i := strings.Index(c.Note[at:], fmt.Sprintf("%s %.3g %%", k, measured[k]))
			if i < 0 {
				t.Fatalf("the rows have the order %v of %v, the note: %s", order, measured, c.Note)
			}
			at += i
		}
	}
	if !strings.Contains(c.Note, want) {
		t.Errorf("the note is %q, want %q in it", c.Note, want)
	}
	for _, f := range l.Results().Figures {
		if f.Name == "learning-curve" && !strings.Contains(f.Caption, c.Note) {
			t.Errorf("the caption does not have what the table's note says: %s", f.Caption)
		}
	}
}

// If the numbers are under version control, the full size needs no features.
func TestFullKept(t *testing.T) {
	patience.SkipShort(t, "it trains in stages")
	l := fullLab(t, S3C, SoftThreshold)
	l.CrossValidation()
	l.Accuracies()
	l.LearningCurve()
	l.TransferChallenge()
	if l.held != nil || l.whitening != nil || l.state != nil {
		t.Error("something was made")
	}
	want := map[string]record.Verdict{"sparse-coding-all": record.Unknown, "ssrbm-all": record.Unknown, "s3c-like-sparse-coding": record.Unknown,
		"medium-most": record.Unknown, "flexible-regularization": record.Unknown, "s3c-against-baseline": record.Unknown, "transfer": record.Unknown}
	for _, n := range PerClass {
		want[fewID(SparseCoding, n)] = record.Unknown
		want[fmt.Sprintf("few-order-%d", n)], want[fmt.Sprintf("few-gap-%d", n)] = record.Unknown, record.Unknown
	}
	labtest.Want(t, l.Lab, want)
	if r, _ := l.Results().Row("sparse-coding-all"); !strings.Contains(r.Reason, `overcomplete s3c extract --kind "sparse coding"`) {
		t.Error(r.Reason)
	}
	for _, s := range l.Stages() {
		if kept := s.Stage == stageName(stageClassify, S3C) || s.Stage == stageName(stageClassify, SoftThreshold); kept != (s.State == "kept") {
			t.Errorf("%+v", s)
		}
	}

	l = fullLab(t, S3C, SparseCoding, SoftThreshold)
	l.Accuracies()
	c := l.LearningCurve()
	labtest.Want(t, l.Lab, map[string]record.Verdict{"ssrbm-all": record.Unknown})
	// The expected value is (1.75 + 2.37 + 1.56)/3 − 0.4, where 0.4 is the lead with all labels.
	if r, _ := l.Results().Row("medium-most"); math.Abs(r.Measured.Number-1.493) > 1e-3 || !strings.Contains(r.Reason, "200: 2.37 ± 0.00 over sparse coding") {
		t.Error(r.Measured, r.Reason)
	}
	// One better rival is enough for the verdict, whatever the other rival's result.
	behind := fullLab(t, S3C, SoftThreshold)
	if err := lab.WriteMatrix(filepath.Join(behind.store.Kept, behind.keys().test(SoftThreshold).Name()+".mat"), mat.NewDense(1, 5, []float64{1, 0.9, 0.8, 100, 1})); err != nil {
		t.Fatal(err)
	}
	behind.LearningCurve()
	if r, _ := behind.Results().Row("s3c-against-baseline"); r.Verdict != record.NotReproduced || math.Abs(r.Measured.Number+1.5) > 1e-9 || !strings.Contains(r.Reason, "80.00 %") {
		t.Errorf("%+v", r)
	}
	// The numbers for one cell exist; the numbers for the next cell do not.
	if err := os.Remove(filepath.Join(l.store.Kept, newTransfer(&l.pipeline).needs(SparseCoding)[0].Name()+".mat")); err != nil {
		t.Fatal(err)
	}
	if lines := l.TransferChallenge(); len(lines) != 3 {
		t.Errorf("%d lines on the challenge without sparse coding", len(lines))
	}
	if p := c.point(SparseCoding, 200); p == nil || math.Abs(p.Mean-0.62) > 1e-12 || c.point(S3C, 7) != nil {
		t.Error(p)
	}
}

func TestCurveRule(t *testing.T) {
	draws := l2svm.CurvePoint{Accuracy: make([]float64, 4), SD: 0.01} // standard error 0.5 points
	for _, c := range []struct {
		kind Kind
		off  float64
		want record.Verdict
	}{
		{S3C, 3, record.Reproduced}, {S3C, -0.69, record.Reproduced}, {S3C, -0.71, record.Partial}, {S3C, -1.5, record.NotReproduced},
		{SparseCoding, 1.19, record.Reproduced}, {SparseCoding, 1.21, record.Partial}, {SparseCoding, -1.21, record.Partial}, {SparseCoding, 3, record.NotReproduced},
	} {
		got, err := curveRule(c.kind, 0.7, draws).Judge(record.Published(60, "%", "there"), record.Number(60+c.off, "%"))
		if err != nil || got != c.want {
			t.Errorf("%s, %v off: %v, want %v (%v)", c.kind, c.off, got, c.want, err)
		}
	}
}

// TestMerge computes parts in separate folders and merges them.
func TestMerge(t *testing.T) {
	labtest.NoData(t)
	l := testLab(t)
	a, b, to := t.TempDir(), t.TempDir(), t.TempDir()
	extract := func(l *Lab, s Set, folder string, part, parts int) {
		t.Helper()
		if _, err := l.Extract(SoftThreshold, s, folder, part, parts); err != nil {
			t.Fatal(err)
		}
	}
	extract(l, Train, a, 0, 2)
	extract(l, Test, a, 0, 2)
	extract(l, Train, b, 1, 2)
	if err := l.Merge(SoftThreshold, to, a, b); err == nil {
		t.Error("a part is missing, and nothing was said")
	}
	extract(l, Test, b, 1, 2)
	if err := l.Merge(SoftThreshold, to, a, b); err != nil {
		t.Fatal(err)
	}
	r, err := l.Extract(SoftThreshold, Train, to, 0, 1)
	if err != nil || len(r.Made) != 0 || len(r.Kept) != 3 {
		t.Errorf("%v, %v: want 3 files, none to be made", r, err)
	}
	if err := l.Merge(SoftThreshold, "", a, b); err == nil {
		t.Error("smoke keeps no stages, and nothing was said")
	}
	other := testLab(t)
	other.photographs = l.photographs
	other.dictionary[SoftThreshold], err = vision.RandomPatches(l.Whitening().Patches(l.Patches(500)), 40, 7)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Merge(SoftThreshold, t.TempDir(), a, b); err == nil || !strings.Contains(err.Error(), "another") {
		t.Errorf("features of another dictionary: %v", err)
	}
	if r, err := l.Extract(SoftThreshold, Test, t.TempDir(), 6, 7); err != nil || len(r.Made) != 0 {
		t.Errorf("more parts than files: %v, %v", r, err)
	}
	if _, err := l.Extract(SoftThreshold, Test, a, 2, 2); err == nil {
		t.Error("part 2 of 2, from 0")
	}
}

func TestParseKind(t *testing.T) {
	for _, k := range Kinds() {
		for _, name := range []string{string(k), k.slug()} {
			if got, err := ParseKind(name); got != k || err != nil {
				t.Errorf("%q: %q, %v", name, got, err)
			}
		}
	}
	if _, err := ParseKind("s3d"); err == nil || !strings.Contains(err.Error(), `"S3C", "S3C, E[hs]", "soft threshold", "sparse coding"`) {
		t.Error(err)
	}
}

func ExampleParseKind() {
	k, err := ParseKind("soft-threshold")
	fmt.Println(k, err)
	// Output: soft threshold <nil>
}

func TestPixels(t *testing.T) {
	p := pixels{vision.NewImages([]byte{0, 51, 255, 102}, 1, 1, 2)}
	x := make([]float32, 2)
	if err := p.Read(x, 1, 2); err != nil || x[0] != 1 || x[1] != 0.4 {
		t.Error(x, err)
	}
}
