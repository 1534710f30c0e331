package pca

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// An Incremental keeps the k leading axes of data that arrive in blocks, in
// memory for one block: D. A. Ross, J. Lim, R.-S. Lin and M.-H. Yang,
// Incremental learning for robust visual tracking, IJCV 77 (2008), section
// 3.1, as in scikit-learn's IncrementalPCA. What a block has outside the k axes
// is forgotten, so that the axes are exact only if the data have rank k or
// less; mean and total variance are always exact.
type Incremental struct {
	k     int
	model *Model
}

// NewIncremental returns an Incremental without data that keeps k axes.
func NewIncremental(k int) *Incremental {
	if k <= 0 {
		panic(fmt.Sprintf("pca: NewIncremental: %d axes", k))
	}
	return &Incremental{k: k}
}

// PartialFit adds the rows of a block X (b×d). It returns an error if d differs from that
// of earlier blocks, if d < k, or if Fit would refuse the data. After an error the
// Incremental is unchanged.
func (inc *Incremental) PartialFit(ctx context.Context, X mat.Matrix) error {
	b, d, err := dims("the block", X)
	if err != nil {
		return fmt.Errorf("pca: PartialFit: %w", err)
	}
	if b == 0 || d == 0 {
		return fmt.Errorf("pca: PartialFit: the block is empty (%d×%d)", b, d)
	}
	old := inc.model
	if old != nil && old.D != d {
		return fmt.Errorf("pca: PartialFit: a block of dimension %d after one of %d", d, old.D)
	}
	if err := within("k", inc.k, 1, d); err != nil {
		return fmt.Errorf("pca: PartialFit: %w", err)
	}
	data := dense(X)
	mean, total, err := moments(data, false)
	if err != nil {
		return fmt.Errorf("pca: PartialFit: %w", err)
	}
	C, err := centre(data, mean)
	if err != nil {
		return fmt.Errorf("pca: PartialFit: %w", err)
	}
	next := &Model{Mean: mean, Total: total, N: b, D: d, Method: ByBlocks, Approximate: true}
	stack := C // b×d
	if old != nil {
		// The scatter of both together is that of each about its own mean, plus
		// nb/(n+b) (x̄ − ȳ)(x̄ − ȳ)ᵀ: so append Σ Q_kᵀ and one row for the means.
		n := float64(old.N)
		w := math.Sqrt(n * float64(b) / (n + float64(b)))
		k := old.K()
		stack = mat.NewDense(k+b+1, d, nil)
		for i := range k {
			row := stack.RawRowView(i)
			for j := range row {
				row[j] = old.Singular[i] * old.Components.At(j, i)
			}
		}
		for i := range b {
			copy(stack.RawRowView(k+i), C.RawRowView(i))
		}
		shift := stack.RawRowView(k + b)
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
	rows, _ := stack.Dims()
	k := min(inc.k, rows, d)
	got, err := Fit(ctx, stack, &Options{Components: k, NoCentre: true})
	if err != nil {
		return fmt.Errorf("pca: PartialFit: %w", err)
	}
	next.Eigenvalues, next.Singular, next.Components = got.Eigenvalues, got.Singular, got.Components
	inc.model = next
	return nil
}

// Model returns the axes of all data so far, or an error if there are no data yet.
// Later blocks do not change the returned model. It has fewer than k axes while there
// are fewer than k points.
func (inc *Incremental) Model() (*Model, error) {
	if inc.model == nil {
		return nil, fmt.Errorf("pca: Incremental: no data yet")
	}
	return inc.model, nil
}
