package tsne

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/parallel"
)

// A Metric is a distance between points. Affinities are computed from the squares of distances.
type Metric int

const (
	// Euclidean is the distance ‖x_i − x_j‖.
	Euclidean Metric = iota
	// Cosine is 1 − x_i'x_j/(‖x_i‖‖x_j‖), the cosine distance of scikit-learn. No point may be 0. The start named PCA
	// uses the points divided by their norms.
	Cosine
	// Precomputed means that X holds the distances themselves: n×n, symmetric, with a diagonal of 0. The start named
	// PCA then uses principal coordinates (classical scaling), which for Euclidean distances are principal components.
	Precomputed
)

// String returns the name of the metric.
func (m Metric) String() string {
	switch m {
	case Euclidean:
		return "Euclidean"
	case Cosine:
		return "Cosine"
	case Precomputed:
		return "Precomputed"
	}
	return fmt.Sprintf("Metric(%d)", int(m))
}

// in returns X in the form that the neighbor search and the choice of the initial map use: for Cosine, points scaled to
// norm 1; otherwise X itself. It returns an error if the metric is not defined for X, and panics if the matrix of
// distances is not square.
func (m Metric) in(X *mat.Dense) (*mat.Dense, error) {
	n, d := X.Dims()
	switch m {
	case Cosine:
		out := mat.NewDense(n, d, nil)
		for i := range n {
			u := out.RawRowView(i)
			top := floats.Norm(X.RawRowView(i), math.Inf(1))
			if top == 0 {
				return nil, fmt.Errorf("tsne: X[%d] is 0, which has no cosine with other points: leave it out", i)
			}
			for j, x := range X.RawRowView(i) {
				u[j] = x / top // first, because squares of small numbers underflow
			}
			floats.Scale(1/floats.Norm(u, 2), u)
		}
		return out, nil
	case Precomputed:
		if n != d {
			panic(fmt.Sprintf("tsne: X is %d×%d, distances must be n×n", n, d))
		}
		least := 1e-10 * mat.Max(X)
		for i := range n {
			for j, x := range X.RawRowView(i) {
				switch {
				case x < 0:
					return nil, fmt.Errorf("tsne: the distance X[%d,%d] is %v, must not be negative", i, j, x)
				case i == j && x != 0:
					return nil, fmt.Errorf("tsne: the distance X[%d,%d] of a point to itself is %v, must be 0", i, j, x)
				case j < i && math.Abs(x-X.At(j, i)) > least:
					return nil, fmt.Errorf("tsne: the distance X[%d,%d] is %v and X[%d,%d] is %v, must be equal", i, j, x, j, i, X.At(j, i))
				}
			}
		}
	}
	return X, nil
}

// neighbors returns the k nearest neighbors of each point. X is the result of in.
func (m Metric) neighbors(ctx context.Context, X *mat.Dense, k int, opt *Options) ([][]neighbor, error) {
	if m == Precomputed {
		return given(ctx, X, k, opt)
	}
	near, err := nearest(ctx, X, k, opt)
	if m == Cosine {
		for _, list := range near {
			for c := range list {
				cosine := list[c].d2 / 2 // ‖u − v‖² = 2 − 2u'v
				list[c].d2 = cosine * cosine
			}
		}
	}
	return near, err
}

// given returns the k nearest neighbors of each point, in ascending order of distance. X (n×n) holds the distances.
// Ties are broken by index.
func given(ctx context.Context, X *mat.Dense, k int, opt *Options) ([][]neighbor, error) {
	n, _ := X.Dims()
	found := make([][]neighbor, n)
	parallel.Do(n, opt.Workers, func(i int) {
		if ctx.Err() != nil {
			return
		}
		list := make([]neighbor, 0, n-1)
		for j, x := range X.RawRowView(i) {
			if j != i {
				list = append(list, neighbor{x * x, int32(j)})
			}
		}
		slices.SortFunc(list, func(a, b neighbor) int { return cmp.Or(cmp.Compare(a.d2, b.d2), int(a.j-b.j)) })
		found[i] = slices.Clone(list[:k])
	})
	return found, ctx.Err()
}

// scalarProducts returns the inner products of points, taken with the points' mean as origin, where X (n×n) holds the
// distances between the points. The inner products are −½JSJ with J = I − 11'/n, where S holds the squared distances
// and 1 is the vector of ones (W. Torgerson, Psychometrika 17, 1952).
func scalarProducts(X *mat.Dense) (*mat.Dense, error) {
	n, _ := X.Dims()
	if err := ram.Check(fmt.Sprintf("principal coordinates of %d points", n), 8*float64(n)*float64(n)); err != nil {
		return nil, fmt.Errorf("tsne: start: %w: take Start Random", err)
	}
	B := mat.NewDense(n, n, nil)
	mean, total := make([]float64, n), 0.0
	for i := range n {
		b := B.RawRowView(i)
		for j, x := range X.RawRowView(i) {
			b[j] = -x * x / 2
			mean[i] += b[j] / float64(n)
		}
		total += mean[i] / float64(n)
	}
	for i := range n {
		b := B.RawRowView(i)
		for j := range b {
			b[j] += total - mean[i] - mean[j]
		}
	}
	return B, nil
}
