package scaleout

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/vision"
	"overcomplete/paper/lab"
)

func init() {
	beam.RegisterType(reflect.TypeFor[Range]())
	beam.RegisterType(reflect.TypeFor[Sum]())
	register.DoFn2x2[context.Context, Range, Sum, error](&statisticsFn{})
	register.Combiner1[Sum](&sumFn{})
	register.DoFn2x1[context.Context, Sum, error](&nextFn{})
}

// chunk is the number of patches of one E step. How patches are divided into chunks does not depend on the shards, so
// the terms of the sums do not, either.
const chunk = 512

// A Range of patches is a shard: Count patches, beginning with number First.
type Range struct{ First, Count int }

// Ranges divides patches into shards. first is the number of the first patch, count is the number of patches, and
// shards is the largest number of shards. Each shard but the last consists of whole chunks of 512 patches. Ranges
// panics if first is negative, or if count or shards is less than 1.
func Ranges(first, count, shards int) []Range {
	if first < 0 || count < 1 || shards < 1 {
		panic(fmt.Sprintf("scaleout: Ranges: %d patches from %d in %d shards", count, first, shards))
	}
	chunks := (count + chunk - 1) / chunk
	var list []Range
	for k := range shards {
		from, to := k*chunks/shards*chunk, min((k+1)*chunks/shards*chunk, count)
		if from < to {
			list = append(list, Range{first + from, to - from})
		}
	}
	return list
}

// StatisticsOptions are the options of Statistics.
type StatisticsOptions struct {
	Images Images
	// Model is a file that holds an S3C model or training state: the parameters of the E step.
	Model string
	// First and Count choose the patches: Count patches, beginning with number First. Patches are numbered as in
	// training (vision.NewSource).
	First, Count int
	// Shards is the number of elements of the pipeline. 0 means one for every
	// 16384 patches.
	Shards int
	// Double makes the E step use float64 and s3c's Infer, as s3c.Options.Double does. This is slow.
	Double bool
	// MStep has the rates, penalties and bounds of the M step that makes Next.
	MStep s3c.MStepOptions
	// Out receives the statistics (see ReadStatistics). Next receives the model after one M step with them; "" means
	// no model.
	Out, Next string
}

// Statistics does the E step for many patches, and sums the statistics for the M step:
//
//	Range → (E step) → Sum → (CombineFn) → one Sum → files Out, Next
func Statistics(s beam.Scope, o StatisticsOptions) {
	s = s.Scope("scaleout.Statistics")
	if o.Shards == 0 {
		o.Shards = (o.Count + 16383) / 16384
	}
	ranges := beam.Reshuffle(s, beam.CreateList(s, Ranges(o.First, o.Count, o.Shards)))
	sums := beam.ParDo(s, &statisticsFn{StatisticsOptions: o}, ranges)
	beam.ParDo0(s, &nextFn{o}, beam.Combine(s, &sumFn{}, sums))
}

// A statisticsFn does the E step for one Range of patches.
type statisticsFn struct {
	StatisticsOptions
	model   *s3c.Model
	encoder *s3c.Encoder
	source  *vision.Source
}

func (f *statisticsFn) Setup(ctx context.Context) error {
	im, err := f.Images.load(ctx)
	if err != nil {
		return fmt.Errorf("scaleout: Statistics: %w", err)
	}
	if f.model, err = loadModel(ctx, f.Model); err != nil {
		return fmt.Errorf("scaleout: Statistics: %w", err)
	}
	if d, _ := f.model.Dims(); d != im.whitening.Dim() {
		return fmt.Errorf("scaleout: Statistics: the model is for patches of %d values, not %d", d, im.whitening.Dim())
	}
	f.source = vision.NewSource(im.patches, side, im.whitening, f.Images.Seed)
	f.encoder, err = f.model.NewEncoder(&s3c.EncoderOptions{})
	return err
}

func (f *statisticsFn) ProcessElement(ctx context.Context, r Range) (Sum, error) {
	var a Sum
	for k := 0; k < r.Count; k += chunk {
		if err := ctx.Err(); err != nil {
			return a, err
		}
		m, energy, err := f.expect(ctx, r.First+k, min(chunk, r.Count-k))
		if err != nil {
			return a, fmt.Errorf("scaleout: Statistics: patches from %d on: %w", r.First+k, err)
		}
		a.add(flatten(m, energy))
	}
	return a, nil
}

// expect does the E step for n patches, beginning with patch number start. It returns the moments of the patches and of
// their posterior Q, and the sum of the patches' energies.
func (f *statisticsFn) expect(ctx context.Context, start, n int) (*s3c.Moments, float64, error) {
	d, N := f.model.Dims()
	x := make([]float32, n*d)
	if err := f.source.Patches(x, start, n); err != nil {
		return nil, 0, err
	}
	V := mat.NewDense(n, d, nil)
	for k, v := range x {
		V.RawMatrix().Data[k] = float64(v)
	}
	var q *s3c.Posterior
	if f.Double {
		r, err := f.model.Infer(ctx, V, nil)
		if err != nil {
			return nil, 0, err
		}
		q = r.Q
	} else {
		h, slab := make([]float32, n*N), make([]float32, n*N)
		f.encoder.EncodeBoth(h, slab, x, n)
		q = &s3c.Posterior{Logit: mat.NewDense(n, N, nil), S: mat.NewDense(n, N, nil)}
		// float32 has no numbers between 1 − 2⁻²⁴ and 1, nor between 0 and 1e-45.
		const most, least = 1 - 0x1p-25, 0x1p-150
		for k, u := range h {
			p := min(max(float64(u), least), most)
			q.Logit.RawMatrix().Data[k] = math.Log(p) - math.Log1p(-p)
			q.S.RawMatrix().Data[k] = float64(slab[k])
		}
	}
	energies, err := f.model.Energy(V, q)
	if err != nil {
		return nil, 0, err
	}
	var energy float64
	for _, e := range energies {
		energy += e
	}
	m, err := f.model.Moments(V, q)
	return m, energy, err
}

// A Sum is the statistics of some patches as one vector Hi + Lo. Below, D is Dim, and N is Units:
//
//	energy, RR (D), H, HS, HSS, Rest, Spread (N each), RM (D×N)
//
// The energy is the sum of the patches' energies. The other parts have the names of the fields of s3c.Moments. Lo is
// the rounding error of Hi. The relative error of Hi + Lo is about 1e-32, so the sum, rounded to float64, does not
// depend on the order of summation.
type Sum struct {
	Units, Dim, Patches int
	Hi, Lo              []float64
}

// length returns the length of Sum's vector.
func length(units, dim int) int { return 1 + dim + 5*units + dim*units }

func flatten(m *s3c.Moments, energy float64) Sum {
	a := Sum{Units: len(m.H), Dim: len(m.RR), Patches: m.Patches}
	a.Hi = append(make([]float64, 0, length(a.Units, a.Dim)), energy)
	for _, v := range [][]float64{m.RR, m.H, m.HS, m.HSS, m.Rest, m.Spread} {
		a.Hi = append(a.Hi, v...)
	}
	for k := range a.Dim {
		a.Hi = append(a.Hi, m.RM.RawRowView(k)...)
	}
	a.Lo = make([]float64, len(a.Hi))
	return a
}

// Moments returns the moments for s3c's M step, and the mean energy of a patch.
func (a Sum) Moments() (*s3c.Moments, float64) {
	v := make([]float64, len(a.Hi))
	for i, hi := range a.Hi {
		v[i] = hi + a.Lo[i]
	}
	energy := v[0] / float64(a.Patches)
	v = v[1:]
	take := func(n int) []float64 {
		head := v[:n:n]
		v = v[n:]
		return head
	}
	m := &s3c.Moments{Patches: a.Patches, RR: take(a.Dim)}
	for _, p := range []*[]float64{&m.H, &m.HS, &m.HSS, &m.Rest, &m.Spread} {
		*p = take(a.Units)
	}
	m.RM = mat.NewDense(a.Dim, a.Units, v)
	return m, energy
}

// add adds b to a. It does not modify b.
func (a *Sum) add(b Sum) {
	if b.Patches == 0 {
		return
	}
	if a.Patches == 0 {
		a.Units, a.Dim = b.Units, b.Dim
		a.Hi, a.Lo = make([]float64, len(b.Hi)), make([]float64, len(b.Hi))
	}
	if a.Units != b.Units || a.Dim != b.Dim {
		panic(fmt.Sprintf("scaleout: sums of different shapes, %d×%d and %d×%d", a.Dim, a.Units, b.Dim, b.Units))
	}
	a.Patches += b.Patches
	for i, y := range b.Hi {
		// x + y is hi + e, exactly (D. Knuth, TAOCP 2, 4.2.2, theorem B).
		x := a.Hi[i]
		hi := x + y
		t := hi - x
		e := (x - (hi - t)) + (y - t)
		a.Hi[i], a.Lo[i] = hi, a.Lo[i]+b.Lo[i]+e
	}
}

// A sumFn is the Beam CombineFn that adds Sums.
type sumFn struct{}

func (*sumFn) CreateAccumulator() Sum         { return Sum{} }
func (*sumFn) AddInput(a, b Sum) Sum          { a.add(b); return a }
func (*sumFn) MergeAccumulators(a, b Sum) Sum { a.add(b); return a }
func (*sumFn) ExtractOutput(a Sum) Sum        { return a }

// A nextFn is the DoFn that writes the files Out and Next of the StatisticsOptions. It fails if patches are missing
// from the sum.
type nextFn struct{ StatisticsOptions }

func (f *nextFn) ProcessElement(ctx context.Context, a Sum) error {
	if a.Patches != f.Count {
		return fmt.Errorf("scaleout: Statistics: %d patches of %d were summed", a.Patches, f.Count)
	}
	dir, err := os.MkdirTemp("", "scaleout")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "file")
	publish := func(path string) error {
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return write(ctx, path, b)
	}
	v := append([]float64{float64(a.Units), float64(a.Dim), float64(a.Patches)}, make([]float64, len(a.Hi))...)
	for i, hi := range a.Hi {
		v[3+i] = hi + a.Lo[i]
	}
	if err := lab.WriteMatrix(file, mat.NewDense(1, len(v), v)); err != nil {
		return err
	}
	if err := publish(f.Out); err != nil || f.Next == "" {
		return err
	}
	m, err := loadModel(ctx, f.Model)
	if err != nil {
		return err
	}
	s, _ := a.Moments()
	if m, err = m.MStep(s, &f.MStep); err != nil {
		return fmt.Errorf("scaleout: Statistics: %w", err)
	}
	if err := m.Save(file); err != nil {
		return err
	}
	return publish(f.Next)
}

// ReadStatistics reads the file StatisticsOptions.Out. It returns the moments, and the mean energy
// of a patch.
func ReadStatistics(ctx context.Context, path string) (m *s3c.Moments, energy float64, err error) {
	err = asFile(ctx, path, func(file string) error {
		M, err := lab.ReadMatrix(file)
		if err != nil {
			return err
		}
		v := M.RawMatrix().Data
		if len(v) < 3 {
			return errors.New("scaleout: " + path + " has no statistics")
		}
		a := Sum{Units: int(v[0]), Dim: int(v[1]), Patches: int(v[2]), Hi: v[3:]}
		if a.Units < 1 || a.Dim < 1 || a.Patches < 1 || length(a.Units, a.Dim) != len(a.Hi) {
			return errors.New("scaleout: " + path + " has no statistics")
		}
		a.Lo = make([]float64, len(a.Hi))
		m, energy = a.Moments()
		return nil
	})
	return m, energy, err
}
