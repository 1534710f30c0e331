package superposition

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/product"
)

// A Model is the toy model.
type Model struct {
	W    *mat.Dense // m×n
	Bias []float64  // n
	// Linear omits the ReLU: the best W then consists of principal components.
	Linear bool
}

// Transform returns the hidden layer h = Wx (m×S) for the columns x of X (n×S).
func (a *Model) Transform(X mat.Matrix) *mat.Dense {
	h, _ := a.transform(context.Background(), X)
	return h
}

// transform is like Transform. If ctx is done, it returns ctx's error; so do inverse and gradient.
func (a *Model) transform(ctx context.Context, X mat.Matrix) (*mat.Dense, error) {
	given.Args("superposition: Model.Transform", "X", X)
	if r, c := X.Dims(); r != len(a.Bias) || c == 0 {
		panic(fmt.Sprintf("superposition: Model.Transform: X is %d×%d, a sample per COLUMN: must be %d×S", r, c, len(a.Bias)))
	}
	var h mat.Dense
	err := product.Mul(ctx, &h, a.W, X) // m×n · n×S
	return &h, err
}

// Reconstruct returns x' (n×S) for the columns of X (n×S), which is Inverse(Transform(X)).
func (a *Model) Reconstruct(X mat.Matrix) *mat.Dense { return a.Inverse(a.Transform(X)) }

// Inverse returns x' = ReLU(W'h + b) (n×S) for the columns h of H (m×S).
func (a *Model) Inverse(H mat.Matrix) *mat.Dense {
	y, _ := a.inverse(context.Background(), H)
	return y
}

func (a *Model) inverse(ctx context.Context, H mat.Matrix) (*mat.Dense, error) {
	given.Args("superposition: Model.Inverse", "H", H)
	m, _ := a.W.Dims()
	if r, c := H.Dims(); r != m || c == 0 {
		panic(fmt.Sprintf("superposition: Model.Inverse: H is %d×%d, a sample per COLUMN: must be %d×S", r, c, m))
	}
	var y mat.Dense
	if err := product.Mul(ctx, &y, a.W.T(), H); err != nil { // n×m · m×S
		return nil, err
	}
	for i, b := range a.Bias {
		row := y.RawRowView(i)
		for s := range row {
			if row[s] += b; !a.Linear && row[s] < 0 {
				row[s] = 0
			}
		}
	}
	return &y, nil
}

// Loss returns L.
func (a *Model) Loss(d *Data, importance []float64) float64 {
	given.Args("superposition: Model.Loss", "d", d)
	l, _ := a.loss(d, a.Reconstruct(d.X), importance)
	return l
}

// loss returns L and ∂L/∂x' (n×S).
func (a *Model) loss(d *Data, y *mat.Dense, importance []float64) (float64, *mat.Dense) {
	n, S := d.X.Dims()
	if len(importance) != n {
		panic(fmt.Sprintf("superposition: %d features and %d importances", n, len(importance)))
	}
	L, g := 0.0, mat.NewDense(n, S, nil)
	for i := range n {
		x, out, to := d.X.RawRowView(i), y.RawRowView(i), g.RawRowView(i)
		for s, p := range d.Weight {
			e := out[s] - x[s]
			L += p * importance[i] * e * e
			to[s] = 2 * p * importance[i] * e
		}
	}
	return L, g
}

// Gradient returns L and its gradient, which has the form of a Model. At the kink of the ReLU it uses the
// derivative from the left.
func (a *Model) Gradient(d *Data, importance []float64) (float64, *Model) {
	L, g, _ := a.gradient(context.Background(), d, importance)
	return L, g
}

func (a *Model) gradient(ctx context.Context, d *Data, importance []float64) (float64, *Model, error) {
	given.Args("superposition: Model.Gradient", "d", d)
	h, err := a.transform(ctx, d.X)
	if err != nil {
		return 0, nil, err
	}
	y, err := a.inverse(ctx, h)
	if err != nil {
		return 0, nil, err
	}
	L, P := a.loss(d, y, importance)
	m, n := a.W.Dims()
	g := &Model{W: mat.NewDense(m, n, nil), Bias: make([]float64, n)}
	for i := range n {
		p, out := P.RawRowView(i), y.RawRowView(i)
		for s := range p {
			if !a.Linear && out[s] <= 0 {
				p[s] = 0
			}
			g.Bias[i] += p[s]
		}
	}
	// z = Wᵀ(W x): ∂L/∂W = W (P xᵀ + x Pᵀ)
	var C, sym mat.Dense
	if err := product.Mul(ctx, &C, P, d.X.T()); err != nil { // n×S · S×n
		return 0, nil, err
	}
	sym.Add(&C, C.T())
	return L, g, product.Mul(ctx, g.W, a.W, &sym)
}

// Norms returns the squared lengths ‖W_i‖² of the columns of W (n): about 1 for a feature that is represented, about 0
// for any other feature.
func (a *Model) Norms() []float64 {
	_, n := a.W.Dims()
	out := make([]float64, n)
	for i := range out {
		out[i] = mat.Dot(a.W.ColView(i), a.W.ColView(i))
	}
	return out
}

// Interference returns Σ_{j≠i} (Ŵ_i·W_j)² for each feature i, where Ŵ_i is W_i scaled to length 1 (n numbers). This is
// 0 for a feature that has a dimension to itself. For a feature with ‖W_i‖² below 1e-6, Interference returns 0.
func (a *Model) Interference() []float64 {
	_, n := a.W.Dims()
	if err := ram.Check(fmt.Sprintf("the products of %d features", n), 8*float64(n)*float64(n)); err != nil {
		panic("superposition: Interference: " + err.Error())
	}
	var G mat.Dense
	G.Mul(a.W.T(), a.W)
	out := make([]float64, n)
	for i := range out {
		if G.At(i, i) < 1e-6 {
			continue
		}
		for j := range n {
			if j != i {
				out[i] += G.At(i, j) * G.At(i, j) / G.At(i, i)
			}
		}
	}
	return out
}

// Directions returns a copy of W (hidden×features) in which the column of each dropped feature is 0. A feature counts
// as dropped if its column is shorter than one half. Directions is for pictures, in which the line of a dropped
// feature would look like one of the others.
func (a *Model) Directions() *mat.Dense {
	out := mat.DenseCopyOf(a.W)
	hidden, _ := out.Dims()
	for j, square := range a.Norms() {
		if square < 0.25 {
			out.SetCol(j, make([]float64, hidden))
		}
	}
	return out
}
