package pca

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/symeig"
)

// An Incremental keeps the k leading axes of data that arrive in blocks. It needs memory for one block only. The method
// is that of D. A. Ross, J. Lim, R.-S. Lin and M.-H. Yang, Incremental learning for robust visual tracking, IJCV 77
// (2008), section 3.1, as in scikit-learn's IncrementalPCA. The part of a block outside the k axes is discarded, so the
// axes are exact only if the data have rank k or less. Mean and total variance are always exact.
type Incremental struct {
	k     int
	model *Model
}

// NewIncremental returns an Incremental that will keep k axes and has seen no data yet.
func NewIncremental(k int) *Incremental {
	if k <= 0 {
		panic(fmt.Sprintf("pca: NewIncremental: %d axes", k))
	}
	return &Incremental{k: k}
}

// PartialFit adds the rows of a block X (b×d) to the data. It returns an error if d differs from that of earlier
// blocks, if d < k, or if Fit would return an error for the block. After an error the Incremental is unchanged. For a
// *csr.Matrix with b + k < d it does not form X̄: it takes O(b) time per nonzero, and O((b + k)²) memory in addition
// to the axes.
func (inc *Incremental) PartialFit(ctx context.Context, X mat.Matrix) error {
	b, d, err := dims("the block", X)
	if err != nil {
		return fmt.Errorf("pca: PartialFit: %w", err)
	}
	if b == 0 || d == 0 {
		return fmt.Errorf("pca: PartialFit: the block is empty (%d×%d)", b, d)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	old := inc.model
	if old != nil && old.D != d {
		return fmt.Errorf("pca: PartialFit: a block of dimension %d after one of %d", d, old.D)
	}
	if err := checkRange("k", inc.k, 1, d); err != nil {
		return fmt.Errorf("pca: PartialFit: %w", err)
	}
	S, sparse := X.(*csr.Matrix)
	if sparse && b+inc.k >= d {
		S, sparse = nil, false
	}
	var C *mat.Dense
	var mean []float64
	var total float64
	if sparse {
		mean, total, err = sparseMoments(S, false)
	} else {
		data := finite.AsDense(X)
		if mean, total, err = moments(ctx, data, false); err == nil {
			C, err = center(ctx, data, mean)
		}
	}
	if err != nil {
		return fmt.Errorf("pca: PartialFit: %w", err)
	}
	next := &Model{Mean: slices.Clone(mean), Total: total, N: b, D: d, Method: ByBlocks, Approximate: true}
	var top *mat.Dense // additional rows; nil if there are none
	if old != nil {
		// The scatter of the old data and the block together is the sum of their scatters, each about its own mean,
		// plus nb/(n+b) (x̄ − ȳ)(x̄ − ȳ)ᵀ. So append Σ Q_kᵀ and one row for the means.
		n := float64(old.N)
		w := math.Sqrt(n * float64(b) / (n + float64(b)))
		k := old.K()
		top = mat.NewDense(k+1, d, nil)
		for i := range k {
			row := top.RawRowView(i)
			for j := range row {
				row[j] = old.Singular[i] * old.Components.At(j, i)
			}
		}
		shift := top.RawRowView(k)
		for j := range shift {
			diff := old.Mean[j] - mean[j]
			shift[j] = w * diff
			next.Total += shift[j] * shift[j]
			next.Mean[j] = old.Mean[j] + (mean[j]-old.Mean[j])*float64(b)/(n+float64(b))
		}
		next.Total += old.Total
		next.N += old.N
	}
	if math.IsInf(next.Total, 0) {
		return fmt.Errorf("pca: PartialFit: the squares of X overflow: scale X")
	}
	got, err := inc.axes(ctx, top, C, S, mean, next.Total)
	if err != nil {
		return fmt.Errorf("pca: PartialFit: %w", err)
	}
	next.Eigenvalues, next.Singular, next.Components = got.Eigenvalues, got.Singular, got.Components
	inc.model = next
	return nil
}

// axes returns a Model with the leading axes of two sets of rows taken together: the rows of top and those of the
// centered block. The matrix top stands for the earlier blocks, and is nil if there are none. The centered block is C
// or, if C is nil, S − 1mᵀ with m the mean.
func (inc *Incremental) axes(ctx context.Context, top, C *mat.Dense, S *csr.Matrix, mean []float64, total float64) (*Model, error) {
	if C == nil {
		return stackedAxes(ctx, top, S, mean, total, inc.k)
	}
	stack := C // b×d
	if top != nil {
		var s mat.Dense
		k, d := top.Dims()
		b, _ := C.Dims()
		// The order of the rows: old axes, block, shift.
		s.Stack(top.Slice(0, k-1, 0, d), C)
		stack = mat.NewDense(k+b, d, nil)
		stack.Stack(&s, top.Slice(k-1, k, 0, d))
	}
	rows, d := stack.Dims()
	return Fit(ctx, stack, &Options{Components: min(inc.k, rows, d), NoCenter: true})
}

// stackedAxes returns a Model with the first k axes of M (a+b rows). M consists of a matrix (top, a×d, may be nil) and,
// below it, X̄ = S − 1mᵀ (b×d), with m the mean. It never forms X̄, but uses the dual: MMᵀ = UDUᵀ, and v_i = Mᵀu_i/s_i.
// total, the total variance of all data so far, serves only to choose the unit of the computation (see scaleOf).
func stackedAxes(ctx context.Context, top *mat.Dense, S *csr.Matrix, mean []float64, total float64, k int) (*Model, error) {
	b, d := S.Dims()
	scale := scaleOf(total, b, d)
	X := newSparseDeviations(S, mean, scale)
	a := 0
	if top != nil {
		a, _ = top.Dims()
		var t mat.Dense
		t.Scale(1/scale, top)
		top = &t
	}
	G := mat.NewSymDense(a+b, nil)
	if a > 0 {
		var tt, tx *mat.Dense
		err := parallel.Await(ctx, float64(a)*(float64(a)*float64(d)+X.cost()), func() {
			tt = new(mat.Dense)
			tt.Mul(top, top.T())
			tx = X.times(mat.DenseCopyOf(top.T())) // b×a
		})
		if err != nil {
			return nil, err
		}
		for i := range a {
			for j := i; j < a; j++ {
				G.SetSym(i, j, tt.At(i, j))
			}
			for j := range b {
				G.SetSym(i, a+j, tx.At(j, i))
			}
		}
	}
	err := parallel.DoContext(ctx, b, 0, func(i int) {
		x := make([]float64, d) // x̄_i
		floats.SubTo(x, x, X.m)
		col, val := X.S.View(i)
		for p, j := range col {
			x[j] += val[p]
		}
		off := floats.Dot(x, X.m)
		for l := i; l < b; l++ { // x̄_i·x̄_l
			g := -off
			col, val := X.S.View(l)
			for p, j := range col {
				g += val[p] * x[j]
			}
			G.SetSym(a+i, a+l, g)
		}
	})
	if err != nil {
		return nil, err
	}
	k = min(k, a+b)
	values, U, _, err := symeig.Top(ctx, G, k, 0, nil) // U k×(a+b)
	if err != nil {
		return nil, err
	}
	V := mat.NewDense(k, d, nil) // row i is s_i v_i
	err = parallel.Await(ctx, float64(k)*(float64(k+a)*float64(d)+X.cost()), func() {
		V.Copy(X.timesT(mat.DenseCopyOf(U.Slice(0, k, a, a+b).T())).T())
		if a > 0 {
			var P mat.Dense
			P.Mul(U.Slice(0, k, 0, a), top)
			V.Add(V, &P)
		}
		orthonormalize(V, values, float64(max(a+b, d))*0x1p-52*values[0], 0)
	})
	if err != nil {
		return nil, err
	}
	for i := range values {
		values[i] = math.Max(0, values[i]) * scale * scale
	}
	m := &Model{}
	m.set(values, symeig.Columns(V))
	return m, nil
}

// stored is what package gob stores of an Incremental.
type stored struct {
	K     int
	Model *Model
}

// GobEncode encodes the axes so far for package gob.
func (inc *Incremental) GobEncode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(stored{inc.k, inc.model})
	return b.Bytes(), err
}

// GobDecode decodes what GobEncode has encoded.
func (inc *Incremental) GobDecode(b []byte) error {
	var s stored
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&s); err != nil {
		return fmt.Errorf("pca: Incremental.GobDecode: %w", err)
	}
	inc.k, inc.model = s.K, s.Model
	return nil
}

// Model returns the axes of all data so far, or an error if there are no data yet. The model must not be modified;
// later blocks do not change it. While there are fewer than k points, it has fewer than k axes.
func (inc *Incremental) Model() (*Model, error) {
	if inc.model == nil {
		return nil, fmt.Errorf("pca: Incremental: no data yet")
	}
	return inc.model, nil
}
