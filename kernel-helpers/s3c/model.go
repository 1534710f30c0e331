package s3c

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// A Model holds the parameters of the distribution (1) in the package's comment.
type Model struct {
	// W is D×N, with one column for each hidden unit. Training keeps the norm of the columns at 1; nothing else
	// requires norm 1.
	W *mat.Dense
	// Bias is b (N), Mu is μ (N), Alpha is the diagonal of α (N).
	Bias, Mu, Alpha []float64
	// Beta is the diagonal of β: one number for all dimensions, or D numbers.
	Beta []float64
}

// NewModel returns a model whose W (D×N) has the columns of the given W, scaled to norm 1. μ is 0, all units have b =
// bias and α = alpha, and β is the number beta. The given W is not modified. NewModel returns an error if a column is
// 0, if a number is NaN or infinite, or if alpha or beta is not positive.
func NewModel(W mat.Matrix, bias, alpha, beta float64) (*Model, error) {
	if d, ok := W.(*mat.Dense); W == nil || ok && (d == nil || d.IsEmpty()) {
		panic("s3c: NewModel: W is empty")
	}
	_, n := W.Dims()
	m := &Model{W: mat.DenseCopyOf(W), Bias: constantSlice(n, bias), Mu: make([]float64, n), Alpha: constantSlice(n, alpha), Beta: []float64{beta}}
	if err := m.normalize(); err != nil {
		return nil, err
	}
	return m, m.Check()
}

func constantSlice(n int, v float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = v
	}
	return x
}

// normalize scales the columns of W to norm 1.
func (m *Model) normalize() error {
	d, n := m.W.Dims()
	for i := range n {
		norm := 0.0
		for k := range d {
			norm = math.Hypot(norm, m.W.At(k, i))
		}
		if !(norm > 0) || math.IsInf(norm, 0) {
			return fmt.Errorf("s3c: column %d of W has norm %v", i, norm)
		}
		for k := range d {
			m.W.Set(k, i, m.W.At(k, i)/norm)
		}
	}
	return nil
}

// Dims returns D and N.
func (m *Model) Dims() (d, n int) { return m.W.Dims() }

// Clone returns a copy of the model.
func (m *Model) Clone() *Model {
	c := func(x []float64) []float64 { return append([]float64(nil), x...) }
	return &Model{W: mat.DenseCopyOf(m.W), Bias: c(m.Bias), Mu: c(m.Mu), Alpha: c(m.Alpha), Beta: c(m.Beta)}
}

// Check returns an error if the model has NaN, Inf or a precision that is not
// positive. It panics if the shapes are inconsistent.
func (m *Model) Check() error {
	if m == nil || m.W == nil || m.W.IsEmpty() {
		panic("s3c: the model has no W")
	}
	d, n := m.W.Dims()
	if len(m.Bias) != n || len(m.Mu) != n || len(m.Alpha) != n || len(m.Beta) != 1 && len(m.Beta) != d {
		panic(fmt.Sprintf("s3c: W is %d×%d, with %d biases, %d μ, %d α and %d β", d, n, len(m.Bias), len(m.Mu), len(m.Alpha), len(m.Beta)))
	}
	if k, i := finite.Find(m.W); k >= 0 {
		return fmt.Errorf("s3c: W is %v in row %d, column %d", m.W.At(k, i), k, i)
	}
	for _, p := range []struct {
		name     string
		x        []float64
		positive bool
	}{{"Bias", m.Bias, false}, {"Mu", m.Mu, false}, {"Alpha", m.Alpha, true}, {"Beta", m.Beta, true}} {
		for i, v := range p.x {
			if !finite.Is(v) || p.positive && v <= 0 {
				return fmt.Errorf("s3c: %s[%d] is %v", p.name, i, v)
			}
		}
	}
	return nil
}

// beta returns β_d.
func (m *Model) beta(d int) float64 {
	if len(m.Beta) == 1 {
		return m.Beta[0]
	}
	return m.Beta[d]
}

// weights returns w_i = W_i'βW_i (N).
func (m *Model) weights() []float64 {
	d, n := m.W.Dims()
	w := make([]float64, n)
	for k := range d {
		b := m.beta(k)
		for i, v := range m.W.RawRowView(k) {
			w[i] += b * v * v
		}
	}
	return w
}

// Rescale returns an equivalent model in which the columns of W have norm 1. A column W_i of norm c becomes W_i/c, and
// the slabs change with it: μ_i becomes cμ_i, and α_i becomes α_i/c². The distribution of v, and that of h given v,
// stay the same. Rescale returns an error if a column is 0.
func (m *Model) Rescale() (*Model, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	out := m.Clone()
	if err := out.normalize(); err != nil {
		return nil, err
	}
	for i := range out.Mu {
		c := mat.Norm(m.W.ColView(i), 2)
		out.Mu[i] *= c
		out.Alpha[i] /= c * c
	}
	return out, nil
}

// patches checks V (n×D) and returns it as a *mat.Dense.
func (m *Model) patches(where string, V mat.Matrix) (*mat.Dense, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if d, ok := V.(*mat.Dense); V == nil || ok && (d == nil || d.IsEmpty()) {
		panic("s3c: " + where + ": no patches")
	}
	n, d := V.Dims()
	if D, _ := m.Dims(); d != D || n == 0 {
		panic(fmt.Sprintf("s3c: %s: V is %d×%d, its rows must be patches of %d numbers", where, n, d, D))
	}
	x, ok := V.(*mat.Dense)
	if !ok {
		x = mat.DenseCopyOf(V)
	}
	if k, i := finite.Find(x); k >= 0 {
		return nil, fmt.Errorf("s3c: %s: V is %v in row %d, column %d", where, x.At(k, i), k, i)
	}
	return x, nil
}
