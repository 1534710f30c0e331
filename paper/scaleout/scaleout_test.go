package scaleout

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/kernel-helpers/features"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/lab"
	"overcomplete/paper/s3c2011"
)

// With --endpoint and --environment_type LOOPBACK, the tests use a job service and not prism.
func TestMain(m *testing.M) {
	flag.Parse()
	if *jobopts.Endpoint != "" {
		runners[1], failing = "universal", "direct"
	}
	gemm.Use()
	gemm.SetWorkers(1)
	ptest.Main(m)
}

var (
	background = context.Background()
	runners    = []string{"direct", "prism"}
	failing    = "prism" // the runner for errors in Setup, which Beam's runners in Java notice only after minutes
)

// run runs a pipeline on a runner.
func run(t *testing.T, runner string, build func(s beam.Scope)) {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	build(s)
	if _, err := beam.Run(background, runner, p); err != nil {
		t.Fatal(err)
	}
}

// fails runs a pipeline that must fail with an error that contains the text.
func fails(t *testing.T, runner, text string, build func(s beam.Scope)) {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	build(s)
	if _, err := beam.Run(background, runner, p); err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("no error with %q: %v", text, err)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tree returns the content of all files below a folder.
func tree(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	check(t, filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		files[filepath.ToSlash(name)] = string(b)
		return err
	}))
	return files
}

func checkSame(t *testing.T, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s differs", name)
		}
	}
}

// archive returns the path of CIFAR-10's archive. If it is missing, the test is skipped.
func archive(t *testing.T) string {
	t.Helper()
	path, err := data.Path("cifar10", "")
	if err != nil {
		t.Skip(err)
	}
	path, err = filepath.Abs(path)
	check(t, err)
	return path
}

// The files equal those of "overcomplete s3c extract" to the last bit, and "merge" accepts them. Damaged files are
// made again; good files are not.
func TestFeaturesAsOnOneMachine(t *testing.T) {
	for _, images := range []string{"generated", "CIFAR-10"} {
		t.Run(images, func(t *testing.T) {
			im := Images{Train: 150, Test: 60, Whiten: 2000, Seed: 1} // s3c2011's size smoke
			if images == "CIFAR-10" {
				im.Archive = archive(t)
			} else {
				t.Setenv(data.Variable, "") // hides it from the lab
			}
			dir := t.TempDir()
			t.Chdir(dir) // a Lab makes a folder in the working directory
			l, err := s3c2011.New("smoke", 1)
			check(t, err)
			for _, s := range []s3c2011.Set{s3c2011.Train, s3c2011.Test} {
				_, err := l.Extract(s3c2011.S3C, s, filepath.Join(dir, "one"), 0, 1)
				check(t, err)
			}
			want := tree(t, "one")
			model := filepath.Join(dir, "model")
			check(t, l.Model().Save(model))
			o := FeatureOptions{Images: im, Model: model, ShardRows: 50, Folder: filepath.Join(dir, "prism"), Report: filepath.Join(dir, "report")}
			build := func(s beam.Scope) { Features(s, o) }
			run(t, runners[1], build)
			checkSame(t, tree(t, "prism"), want)
			check(t, l.Merge(s3c2011.S3C, filepath.Join(dir, "merged"), o.Folder))

			// Good files are kept; damaged files are not.
			files, err := filepath.Glob("prism/s3c-test/*")
			check(t, err)
			b, err := os.ReadFile(files[0])
			check(t, err)
			b[len(b)-1] ^= 1
			check(t, os.WriteFile(files[0], b, 0o666))
			check(t, os.Remove(files[1]))
			run(t, runners[0], build)
			checkSame(t, tree(t, "prism"), want)
			b, err = os.ReadFile(o.Report)
			check(t, err)
			if got, want := string(b), `train, images 0 to 49: was there
train, images 50 to 99: was there
train, images 100 to 149: was there
test, images 0 to 49: made in place of a damaged one
test, images 50 to 59: made
`; got != want {
				t.Errorf("the report is\n%s", got)
			}
			if images == "generated" {
				inBucket(t, o, want)
			}
		})
	}
}

// inBucket makes the same files with all inputs and outputs in Beam's filesystem.
func inBucket(t *testing.T, o FeatureOptions, want map[string]string) {
	b, err := os.ReadFile(o.Model)
	check(t, err)
	memfs.Write("memfs://bucket/model", b)
	o.Model, o.Folder, o.Report = "memfs://bucket/model", "memfs://bucket/f", "memfs://bucket/report"
	fs := memfs.New(background)
	for try, said := range []string{"made", "was there", "made in place of a damaged one"} {
		run(t, runners[try%2], func(s beam.Scope) { Features(s, o) })
		got := map[string]string{}
		list, err := fs.List(background, "memfs://bucket/f/*/*")
		check(t, err)
		for _, url := range list {
			b, err := filesystem.Read(background, fs, url)
			check(t, err)
			got[strings.TrimPrefix(url, o.Folder+"/")] = string(b)
			if try == 1 {
				memfs.Write(url, b[:len(b)/2])
			}
		}
		checkSame(t, got, want)
		b, err := read(background, o.Report)
		check(t, err)
		if n := strings.Count(string(b), ": "+said+"\n"); n != 5 {
			t.Errorf("%d of 5 files %s:\n%s", n, said, b)
		}
	}
}

// For a model of the paper's size on real images, the files differ from the results of one process in memory only by
// their 16-bit precision. The results do not depend on how the images are divided into files.
func TestTrainedFeatures(t *testing.T) {
	im := Images{Archive: archive(t), Train: 12, Test: 8, Whiten: 3000, Seed: 1}
	states, err := filepath.Glob("../s3c2011/trained/*.state")
	check(t, err)
	if len(states) != 1 {
		t.Skipf("%d trained models", len(states))
	}
	var rows [2]*mat.Dense // 12×14400
	for k, n := range []int{5, 12} {
		dir := t.TempDir()
		run(t, runners[k], func(s beam.Scope) {
			Features(s, FeatureOptions{Images: im, Model: states[0], ShardRows: n, Folder: dir, Report: filepath.Join(dir, "report")})
		})
		m, err := features.OpenShards([]string{filepath.Join(dir, "s3c-train")}, nil)
		check(t, err)
		rows[k], err = m.Dense(0, 12)
		check(t, err)
	}
	if !mat.Equal(rows[0], rows[1]) {
		t.Error("numbers depend on the cut into files")
	}
	l, err := im.load(background)
	check(t, err)
	st, err := s3c.LoadState(states[0])
	check(t, err)
	first, err := st.Model.NewEncoder(&s3c.EncoderOptions{Skip: &s3c.SkipOptions{}})
	check(t, err)
	e := vision.Wrap("the same", 108, 1600, func() vision.PatchEncoder { return first.Fork() })
	want, err := vision.ExtractFeatures(background, l.train, l.whitening, e, &vision.ExtractOptions{Grid: 3})
	check(t, err)
	for i := range 12 {
		for j, w := range want.RawRowView(i) {
			if d := math.Abs(rows[0].At(i, j) - w); !(d <= 0x1p-11*math.Abs(w)+0x1p-25) {
				t.Fatalf("image %d, feature %d: %v, want %v", i, j, rows[0].At(i, j), w)
			}
		}
	}
}

// difference returns the largest absolute difference of two models' parameters.
func difference(a, b *s3c.Model) float64 {
	d := 0.0
	for _, p := range [][2][]float64{{a.W.RawMatrix().Data, b.W.RawMatrix().Data}, {a.Bias, b.Bias}, {a.Mu, b.Mu}, {a.Alpha, b.Alpha}, {a.Beta, b.Beta}} {
		for i, v := range p[0] {
			d = max(d, math.Abs(v-p[1][i]))
		}
	}
	return d
}

// An M step with the statistics equals s3c's training step with all patches as its batch, and the
// sums are those of one E step, up to rounding. For any number of shards, and on either runner, the sums have
// the same bits.
func TestStatistics(t *testing.T) {
	im := Images{Train: 200, Test: 10, Whiten: 2000, Seed: 3}
	l, err := im.load(background)
	check(t, err)
	const count = 5*chunk + 100
	source := vision.NewSource(l.patches, side, l.whitening, im.Seed)
	small, err := s3c.Fit(background, source, &s3c.Options{Units: 30, Steps: 40})
	check(t, err)
	dir := t.TempDir()
	model := filepath.Join(dir, "model")
	check(t, small.State.Save(model))
	for _, double := range []bool{true, false} {
		r, err := s3c.Fit(background, source, &s3c.Options{Init: small.Model, Batch: count, Steps: 1, Double: double})
		check(t, err)
		one := expectAll(t, small.Model, source, count)
		var bits []byte
		for k, shards := range []int{1, 2, 6, 3} {
			out, next := filepath.Join(dir, "out"), filepath.Join(dir, "next")
			run(t, runners[k%2], func(s beam.Scope) {
				Statistics(s, StatisticsOptions{Images: im, Model: model, Count: count, Shards: shards, Double: double, Out: out, Next: next})
			})
			b, err := os.ReadFile(out)
			check(t, err)
			if bits == nil {
				bits = b
			}
			if !bytes.Equal(b, bits) {
				t.Errorf("double %t: the sums of %d shards on %s differ", double, shards, runners[k%2])
			}
			m, err := s3c.Load(next)
			check(t, err)
			got, energy, err := ReadStatistics(background, out)
			check(t, err)
			// Compare the sums with those of one pass, relative to the largest of their kind.
			worst := 0.0
			for _, p := range [][2][]float64{{got.H, one.H}, {got.HS, one.HS}, {got.HSS, one.HSS}, {got.Rest, one.Rest}, {got.Spread, one.Spread}, {got.RR, one.RR}, {got.RM.RawMatrix().Data, one.RM.RawMatrix().Data}} {
				size := max(slices.Max(p[1]), -slices.Min(p[1]))
				for i, v := range p[0] {
					worst = max(worst, math.Abs(v-p[1][i])/size)
				}
			}
			step := difference(m, r.Model)
			off := math.Abs(energy/r.State.History[0].Energy - 1)
			if shards == 1 {
				t.Logf("double %t: sums differ by %.2g, the model after the step by %.2g, the energy by %.2g", double, worst, step, off)
			}
			bound, boundStep := 1e-13, 1e-14
			if !double { // float32
				bound, boundStep = 1e-5, 1e-7
			}
			if got.Patches != count || !(worst <= bound && step <= boundStep && off <= bound) {
				t.Errorf("double %t, %d shards: %d patches, sums differ by %.2g, the model after the step by %.2g, the energy by %.2g", double, shards, got.Patches, worst, step, off)
			}
			if still := difference(m, small.Model); still < 1e-3 {
				t.Errorf("the step moved the model by %.2g only", still)
			}
		}
	}
}

// expectAll returns the moments that Infer computes for all patches at once.
func expectAll(t *testing.T, m *s3c.Model, source *vision.Source, n int) *s3c.Moments {
	t.Helper()
	d := source.Dim()
	x := make([]float32, n*d)
	check(t, source.Patches(x, 0, n))
	V := mat.NewDense(n, d, nil)
	V.Apply(func(i, j int, _ float64) float64 { return float64(x[i*d+j]) }, V)
	r, err := m.Infer(background, V, nil)
	check(t, err)
	out, err := m.Moments(V, r.Q)
	check(t, err)
	return out
}

// Sums have the same bits in any order and with any bracketing; plain sums do not.
func TestSumOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var parts []Sum
	for range 200 {
		a := Sum{Units: 1, Dim: 1, Patches: 1, Hi: make([]float64, length(1, 1)), Lo: make([]float64, length(1, 1))}
		for i := range a.Hi {
			a.Hi[i] = rng.NormFloat64() * math.Exp(8*rng.NormFloat64())
		}
		parts = append(parts, a)
	}
	var f sumFn
	var first *s3c.Moments
	plain := map[float64]bool{}
	for try := range 50 {
		rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		before := fmt.Sprint(parts)
		bundles := make([]Sum, 1+try)
		for i := range bundles {
			bundles[i] = f.CreateAccumulator()
		}
		sum := 0.0
		for _, a := range parts {
			b := rng.IntN(len(bundles))
			bundles[b] = f.AddInput(bundles[b], a)
			sum += a.Hi[2]
		}
		plain[sum] = true
		for len(bundles) > 1 {
			k := rng.IntN(len(bundles) - 1)
			bundles[k] = f.MergeAccumulators(bundles[k], bundles[k+1])
			bundles = slices.Delete(bundles, k+1, k+2)
		}
		m, _ := f.ExtractOutput(bundles[0]).Moments()
		if first == nil {
			first = m
		}
		if !reflect.DeepEqual(m, first) || m.Patches != 200 {
			t.Fatalf("try %d: %v, want %v", try, m, first)
		}
		if fmt.Sprint(parts) != before {
			t.Fatal("an input was modified")
		}
	}
	if len(plain) < 2 {
		t.Error("the order would not matter for plain sums either")
	}
}

func TestRanges(t *testing.T) {
	for _, shards := range []int{1, 2, 3, 7, 100} {
		at := 10
		for _, r := range Ranges(10, 3*chunk+1, shards) {
			if r.First != at || (at-10)%chunk != 0 || r.Count < 1 {
				t.Errorf("%d shards: %+v, at %d", shards, r, at)
			}
			at += r.Count
		}
		if at != 10+3*chunk+1 {
			t.Errorf("%d shards end at %d", shards, at)
		}
	}
}

// problem returns a basis, signals and labels, in files.
func problem(t *testing.T) (B, X *mat.Dense, labels []int, dir string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	const d, n, N = 12, 20, 130
	B, X = mat.NewDense(d, n, nil), mat.NewDense(d, N, nil)
	B.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() / math.Sqrt(d) }, B)
	y := mat.NewDense(1, N, nil)
	for k := range N {
		labels = append(labels, rng.IntN(3))
		y.Set(0, k, float64(labels[k]))
		for i := range d {
			X.Set(i, k, B.At(i, 4*labels[k])+B.At(i, rng.IntN(n))+0.3*rng.NormFloat64())
		}
	}
	lab.Single(X)
	dir = t.TempDir()
	for name, m := range map[string]*mat.Dense{"B.mat": B, "X.mat": X, "y.mat": y} {
		check(t, lab.WriteMatrix(filepath.Join(dir, name), m))
	}
	return B, X, labels, dir
}

// Codes equal the codes that one call computes for all signals, rounded to float32. The signals may be in a
// matrix file or in a folder of rows, and the codes in any number of files.
func TestCode(t *testing.T) {
	B, X, _, dir := problem(t)
	_, N := X.Dims()
	layout := features.Layout{Rows: N, Cols: 12, ShardRows: 17, Format: features.Float32, Depends: "signals"}
	_, err := features.BuildShards(background, filepath.Join(dir, "rows"), layout, func(dst []float32, from, to int) error {
		for k := range dst {
			dst[k] = float32(X.At(k%12, from+k/12))
		}
		return nil
	}, nil)
	check(t, err)
	for _, doubled := range []bool{true, false} {
		c, err := klcoding.New(B, &klcoding.Options{Lambda: 0.1, P: 0.01, Doubled: doubled})
		check(t, err)
		r, err := c.Code(background, X)
		check(t, err)
		for k, o := range []CodeOptions{{Signals: "X.mat", ShardRows: 30}, {Signals: "rows", ShardRows: 45}, {Signals: "X.mat"}} {
			o.Signals, o.Basis, o.Lambda, o.P, o.Doubled = filepath.Join(dir, o.Signals), filepath.Join(dir, "B.mat"), 0.1, 0.01, doubled
			o.Folder = filepath.Join(dir, fmt.Sprint("codes", doubled, k))
			o.Report = filepath.Join(dir, "report")
			run(t, runners[k%2], func(s beam.Scope) { Code(s, o) })
			m, err := features.OpenShards([]string{o.Folder}, nil)
			check(t, err)
			W, err := m.Dense(0, N)
			check(t, err)
			if n, _ := m.Dims(); n != N {
				t.Errorf("%d codes", n)
			}
			for i := range N {
				for j, w := range W.RawRowView(i) {
					if want := float64(float32(r.W.At(j, i))); w != want {
						t.Fatalf("options %d, signal %d, coefficient %d: %v, want %v", k, i, j, w, want)
					}
				}
			}
			was := tree(t, o.Folder)
			run(t, runners[(k+1)%2], func(s beam.Scope) { Code(s, o) })
			checkSame(t, tree(t, o.Folder), was)
			b, err := os.ReadFile(o.Report)
			check(t, err)
			if n := strings.Count(string(b), "was there\n"); n != len(was) {
				t.Errorf("%d of %d files were there", n, len(was))
			}
		}
	}
	fails(t, failing, "nosuch.mat", func(s beam.Scope) {
		Code(s, CodeOptions{Signals: filepath.Join(dir, "X.mat"), Basis: filepath.Join(dir, "nosuch.mat"), Lambda: 1, P: 1, Folder: dir, Report: filepath.Join(dir, "r")})
	})
}

// The table has each point once, in order, with the error that a plain loop finds.
func TestSweep(t *testing.T) {
	B, X, labels, dir := problem(t)
	lambdas, ps, seeds := []float64{0.3, 0.03}, []float64{0.1, 0.01}, []uint64{2, 1}
	var want strings.Builder
	errors := map[float64]bool{}
	for _, l := range []float64{0.03, 0.3} {
		for _, p := range []float64{0.01, 0.1} {
			for _, seed := range []uint64{1, 2} {
				c, err := klcoding.New(B, &klcoding.Options{Lambda: l, P: p, Doubled: true})
				check(t, err)
				r, err := c.Code(background, X)
				check(t, err)
				order := rand.New(rand.NewPCG(seed, 0)).Perm(130)
				of := func(idx []int) (l2svm.Points, []int) {
					M, y := mat.NewDense(len(idx), 20, nil), make([]int, len(idx))
					for k, i := range idx {
						M.SetRow(k, mat.Col(nil, i, r.W))
						y[k] = labels[i]
					}
					return l2svm.Dense(M), y
				}
				A, y := of(order[39:]) // 0.3 of 130 are held out
				m, err := l2svm.Fit(background, A, y, nil)
				check(t, err)
				A, y = of(order[:39])
				a, err := m.Accuracy(background, A, y)
				check(t, err)
				errors[a] = true
				fmt.Fprintf(&want, "%v\t%v\t%d\t%.6f\n", l, p, seed, 1-a)
			}
		}
	}
	if len(errors) < 2 {
		t.Error("all errors are the same")
	}
	grid := Grid(append(lambdas, lambdas...), ps, seeds)
	rng := rand.New(rand.NewPCG(1, 1))
	o := SweepOptions{Signals: filepath.Join(dir, "X.mat"), Basis: filepath.Join(dir, "B.mat"), Labels: filepath.Join(dir, "y.mat"), Doubled: true, Share: 0.3, Report: filepath.Join(dir, "report")}
	for _, runner := range runners {
		rng.Shuffle(len(grid), func(i, j int) { grid[i], grid[j] = grid[j], grid[i] })
		run(t, runner, func(s beam.Scope) { Sweep(s, o, grid) })
		got, err := os.ReadFile(o.Report)
		check(t, err)
		if string(got) != want.String() {
			t.Errorf("%s:\n%s\nwant\n%s", runner, got, want.String())
		}
	}
	fails(t, runners[1], "8 outcomes of 8", func(s beam.Scope) { Sweep(s, o, append(grid[:7:7], grid[0])) })
}

func TestReport(t *testing.T) {
	good := []Outcome{{2, 3, "b", "y", "third"}, {0, 3, "a", "x", "first"}, {1, 3, "a", "x", "second"}}
	if b, err := reportText(slices.Clone(good)); err != nil || string(b) != "first\nsecond\nthird\n" {
		t.Errorf("%q, %v", b, err)
	}
	twice := append(slices.Clone(good[:2]), good[1])
	other := slices.Clone(good)
	other[2].Origin = "z"
	for _, bad := range [][]Outcome{good[:2], twice, other} {
		if b, err := reportText(slices.Clone(bad)); err == nil {
			t.Errorf("no error: %q", b)
		}
	}
}

func TestFailures(t *testing.T) {
	dir := t.TempDir()
	o := FeatureOptions{Images: Images{Train: 5, Test: 5, Whiten: 50}, Model: filepath.Join(dir, "nosuch"), Folder: dir, Report: filepath.Join(dir, "r")}
	fails(t, failing, "open "+o.Model, func(s beam.Scope) { Features(s, o) })
	o.Images.Whiten = 0
	fails(t, failing, "0 patches for the whitening", func(s beam.Scope) { Features(s, o) })
	o.Images.Archive = filepath.Join(dir, "nosuch.tar")
	fails(t, failing, "nosuch.tar", func(s beam.Scope) { Features(s, o) })
	check(t, os.WriteFile(filepath.Join(dir, "text"), []byte("text"), 0o666))
	o.Images, o.Model = Images{Train: 5, Test: 5, Whiten: 50}, filepath.Join(dir, "text")
	fails(t, failing, s3c.ErrFile.Error(), func(s beam.Scope) { Features(s, o) })
	if _, err := os.Stat(o.Report); err == nil {
		t.Error("there is a report of pipelines that failed")
	}
	if _, _, err := ReadStatistics(background, o.Model); err == nil {
		t.Error("a text has statistics")
	}
}
