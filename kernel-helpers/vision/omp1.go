package vision

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/product"
	"overcomplete/ui/progress"
)

// OMP1Options are the options of FitOMP1. Atoms must be given.
type OMP1Options struct {
	Atoms  int
	Passes int // 0: 50
	Seed   uint64
	// Recorder receives each iteration. May be nil.
	Recorder progress.Recorder
}

// FitOMP1 learns a dictionary D by gain-shape vector quantization, that is, orthogonal matching pursuit with one
// nonzero. For the rows x of X (whitened patches) it minimizes
//
//	Σ_x min_{j, s} ‖x − s d_j‖²,    ‖d_j‖ = 1,
//
// alternately over the codes (j, s) and over the atoms d_j. For a given D, the best atom for x is the one with the
// largest |d_j'x|, and s = d_j'x. For given codes, the best d_j is Σ s x over the patches with code j, scaled to norm
// 1. Neither step raises the sum. FitOMP1 starts from random directions; an atom that no patch uses gets a new random
// direction. The dictionary's History holds the sum divided by the number of patches, at the start of each iteration.
//
// X is read once in each iteration: use Hold if there is enough memory.
func FitOMP1(ctx context.Context, X Rows, options *OMP1Options) (*Dictionary, error) {
	var opt OMP1Options
	if options != nil {
		opt = *options
	}
	if ctx == nil {
		ctx = context.Background()
	}
	given.Args("vision: FitOMP1", "X", X)
	d, err := omp1(ctx, X, opt)
	if err != nil {
		return nil, fmt.Errorf("vision: FitOMP1: %w", err)
	}
	return d, nil
}

func omp1(ctx context.Context, X Rows, opt OMP1Options) (*Dictionary, error) {
	if opt.Passes == 0 {
		opt.Passes = 50
	}
	n, d := X.Dims()
	N := opt.Atoms
	if N <= 0 || opt.Passes < 0 {
		return nil, fmt.Errorf("%d atoms, %d iterations", N, opt.Passes)
	}
	rng := rand.New(rand.NewPCG(opt.Seed, 0))
	random := func(x []float64) {
		for ok := false; !ok; ok = scaleToUnit(x) {
			for j := range x {
				x[j] = rng.NormFloat64()
			}
		}
	}
	// Atoms are ROWS here: a sum of patches is added to each.
	A := make([]float64, N*d)
	for k := range N {
		random(A[k*d : (k+1)*d])
	}
	type partial struct {
		x, s []float32 // rows×D, rows×N
		sum  []float64 // N×D: Σ s x
		loss float64
	}
	part := make([]partial, lanes)
	out := &Dictionary{Method: fmt.Sprintf("OMP-1, %d iterations on %d patches (seed %d)", opt.Passes, n, opt.Seed)}
	At := make([]float32, d*N) // D×N
	for it := range opt.Passes {
		for k := range N {
			for j := range d {
				At[j*N+k] = float32(A[k*d+j])
			}
		}
		for l := range part {
			clear(part[l].sum)
			part[l].loss = 0
		}
		err := inChunks(ctx, n, func(lane, from, to int) error {
			p := &part[lane]
			if p.sum == nil {
				p.x, p.s, p.sum = make([]float32, chunk*d), make([]float32, chunk*N), make([]float64, N*d)
			}
			m := to - from
			x, s := p.x[:m*d], p.s[:m*N]
			if err := X.Read(x, from, to); err != nil {
				return err
			}
			if err := product.Gemm32(ctx, blas.NoTrans, blas.NoTrans, 1, general(x, m, d), general(At, d, N), 0, general(s, m, N)); err != nil { // (m×D)(D×N)
				return err
			}
			for i := range m {
				row := x[i*d : (i+1)*d]
				k := largest(s[i*N : (i+1)*N])
				g := float64(s[i*N+k])
				var square float64
				sum := p.sum[k*d : (k+1)*d]
				for j, v := range row {
					square += float64(v) * float64(v)
					sum[j] += g * float64(v)
				}
				if square*0 != 0 {
					return fmt.Errorf("patch %d has a value that is not finite", from+i)
				}
				p.loss += square - g*g
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		var loss, size float64
		clear(A)
		for _, p := range part {
			loss += p.loss / float64(n)
			for k, v := range p.sum {
				A[k] += v
				size = math.Max(size, math.Abs(v))
			}
		}
		if size == 0 {
			return nil, errNoContrast
		}
		for k := range N {
			if a := A[k*d : (k+1)*d]; !scaleToUnit(a) {
				random(a)
			}
		}
		out.History = append(out.History, loss)
		progress.Report(opt.Recorder, progress.Event{What: "OMP-1", Step: it + 1, Total: opt.Passes, Objective: loss})
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out.D = mat.DenseCopyOf(mat.NewDense(N, d, A).T())
	return out, nil
}

// largest returns the index of the largest absolute value; ties go to the first.
func largest(x []float32) int {
	best, at := float32(-1), 0
	for k, v := range x {
		if a := math.Float32frombits(math.Float32bits(v) &^ (1 << 31)); a > best {
			best, at = a, k
		}
	}
	return at
}
