package scaleout

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/features"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/paper/lab"
)

func init() {
	register.DoFn3x1[context.Context, []byte, func(Shard), error](&planFn{})
	register.Emitter1[Shard]()
	register.DoFn2x2[context.Context, Shard, Outcome, error](&codeFn{})
}

// CodeOptions are the options of Code.
type CodeOptions struct {
	// Signals is a matrix file or a folder. A matrix file (paper/lab, .mat) holds X, D×N with one signal per column;
	// each worker reads it completely. It may be in a bucket. A folder of package features has one signal per row; a
	// worker reads only the signals that it codes. A folder must be given as a path; it cannot be in a bucket.
	Signals string
	// Basis is a matrix file of B, D×n.
	Basis string
	// Lambda, P and Doubled are as in klcoding.Options.
	Lambda, P float64
	Doubled   bool
	// ShardRows is the number of signals in a file. 0 means 1000.
	ShardRows int
	// Folder receives the codes. Report receives one line for each file.
	Folder, Report string
}

// Code codes many signals. It writes the codes to files in float32. features.OpenShards opens these files as one N×n
// matrix, with the code of one of the N signals in each row. The machine that starts the pipeline need not have the
// signals, so a worker looks up N. The pipeline begins with an impulse, which starts that worker:
//
//	impulse → (N is looked up) → Shard → (a file) → Outcome → file Report
func Code(s beam.Scope, o CodeOptions) {
	s = s.Scope("scaleout.Code")
	if o.ShardRows == 0 {
		o.ShardRows = 1000
	}
	shards := beam.Reshuffle(s, beam.ParDo(s, &planFn{o}, beam.Impulse(s)))
	report(s, beam.ParDo(s, &codeFn{CodeOptions: o}, shards), o.Report)
}

// A planFn lists the shards. It runs in a worker, because the machine that starts the pipeline need
// not have the signals.
type planFn struct{ CodeOptions }

func (f *planFn) ProcessElement(ctx context.Context, _ []byte, emit func(Shard)) error {
	x, err := openSignals(ctx, f.Signals)
	if err != nil {
		return fmt.Errorf("scaleout: Code: %w", err)
	}
	defer x.close()
	n := features.Layout{Rows: x.n, ShardRows: f.ShardRows}.Shards()
	for k := range n {
		emit(Shard{Index: k, Of: n, Number: k})
	}
	return nil
}

// A codeFn codes the signals of a shard.
type codeFn struct {
	CodeOptions
	x      *signals
	coder  *klcoding.Coder
	layout features.Layout
}

func (f *codeFn) Setup(ctx context.Context) error {
	if err := f.setup(ctx); err != nil {
		return fmt.Errorf("scaleout: Code: %w", err)
	}
	return nil
}

func (f *codeFn) setup(ctx context.Context) error {
	B, sum, err := readMatrix(ctx, f.Basis)
	if err != nil {
		return err
	}
	if f.coder, err = klcoding.New(B, &klcoding.Options{Lambda: f.Lambda, P: f.P, Doubled: f.Doubled}); err != nil {
		return err
	}
	if f.x, err = openSignals(ctx, f.Signals); err != nil {
		return err
	}
	d, n := B.Dims()
	if f.x.d != d {
		return fmt.Errorf("the signals have %d numbers, but the basis is %d×%d", f.x.d, d, n)
	}
	f.layout = features.Layout{Rows: f.x.n, Cols: n, ShardRows: f.ShardRows, Format: features.Float32,
		Depends: fmt.Sprintf("klcoding, λ %v, p %v, doubled %t; basis %s; signals %s", f.Lambda, f.P, f.Doubled, sum, f.x.sum)}
	return nil
}

func (f *codeFn) Teardown() error {
	if f.x == nil {
		return nil
	}
	return f.x.close()
}

func (f *codeFn) ProcessElement(ctx context.Context, s Shard) (Outcome, error) {
	o := Outcome{Index: s.Index, Of: s.Of, Origin: f.layout.Depends}
	said, err := makeShard(ctx, f.Folder, s.Number, func(dir string) (*features.Report, error) {
		return features.BuildShards(ctx, dir, f.layout, func(dst []float32, from, to int) error {
			X, err := f.x.columns(from, to)
			if err != nil {
				return err
			}
			r, err := f.coder.Code(ctx, X)
			if err != nil {
				return err
			}
			for i := range f.layout.Cols {
				for k, w := range r.W.RawRowView(i) {
					dst[k*f.layout.Cols+i] = float32(w)
				}
			}
			return nil
		}, &features.BuildOptions{Shards: []int{s.Number}})
	})
	if err != nil {
		return o, fmt.Errorf("scaleout: Code: shard %d: %w", s.Number, err)
	}
	from, to := f.layout.Range(s.Number)
	o.Line = fmt.Sprintf("signals %d to %d: %s", from, to-1, said)
	return o, nil
}

// signals are the columns of a D×N matrix.
type signals struct {
	n, d    int
	sum     string // identifies the signals
	columns func(from, to int) (mat.Matrix, error)
	close   func() error
}

func openSignals(ctx context.Context, path string) (*signals, error) {
	if strings.HasSuffix(path, ".mat") {
		X, sum, err := readMatrix(ctx, path)
		if err != nil {
			return nil, err
		}
		d, n := X.Dims()
		return &signals{n, d, sum, func(from, to int) (mat.Matrix, error) { return X.Slice(0, d, from, to), nil }, func() error { return nil }}, nil
	}
	m, err := features.OpenShards([]string{path}, &features.OpenOptions{OnDisk: true})
	if err != nil {
		return nil, err
	}
	n, d := m.Dims()
	return &signals{n, d, fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%#v", m.Layout()))), func(from, to int) (mat.Matrix, error) {
		X, err := m.Dense(from, to)
		if err != nil {
			return nil, err
		}
		return X.T(), nil
	}, m.Close}, nil
}

// readMatrix reads a matrix file, and returns it with its digest.
func readMatrix(ctx context.Context, path string) (m *mat.Dense, sum string, err error) {
	err = asFile(ctx, path, func(file string) error {
		if m, err = lab.ReadMatrix(file); err != nil {
			return err
		}
		r, err := open(ctx, file)
		if err != nil {
			return err
		}
		defer r.Close()
		h := sha256.New()
		_, err = io.Copy(h, r)
		sum = fmt.Sprintf("%x", h.Sum(nil))
		return err
	})
	return m, sum, err
}
