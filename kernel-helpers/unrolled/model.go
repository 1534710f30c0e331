package unrolled

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/tape"
)

// A Model is a LISTA network: iterations of ISTA with learned weights, which all layers share.
type Model struct {
	// Layers is the number of iterations after the first thresholding. With 0 the code is h_θ(Wₑx).
	Layers int
	// We, S and Theta are the parameters Wₑᵀ (D×n), Sᵀ (n×n) and θ (1×n). The matrices are transposed, because signals
	// are rows on the tape.
	We, S, Theta *tape.Param
}

// New returns the model that computes layers + 1 iterations of ISTA for the lasso with atoms B (D×n) and weight lambda.
// It panics if lambda is not positive, if layers is negative, or if B is 0.
func New(B mat.Matrix, lambda float64, layers int) *Model {
	given.Args("unrolled: New", "B", B)
	if !(lambda > 0) || !finite.Is(lambda) || layers < 0 {
		panic(fmt.Sprintf("unrolled: New: lambda %v must be positive, and layers %d not negative", lambda, layers))
	}
	d, n := B.Dims()
	if d == 0 || n == 0 {
		panic("unrolled: New: B is empty")
	}
	if err := ram.Check(fmt.Sprintf("S and its gradient for %d atoms", n), 16*float64(n)*float64(n)); err != nil {
		panic("unrolled: New: " + err.Error())
	}
	norm := mat.Norm(B, 2)
	var svd mat.SVD
	if !(norm > 0) || !finite.Is(norm) || !svd.Factorize(B, mat.SVDNone) {
		panic("unrolled: New: the atoms must be finite and not all 0")
	}
	s := svd.Values(nil)[0]
	L := s * s
	m := &Model{Layers: layers, We: zeros("We", d, n), S: zeros("S", n, n), Theta: zeros("theta", 1, n)}
	m.We.X.Scale(1/L, B)
	m.S.X.Mul(B.T(), B)
	m.S.X.Scale(-1/L, m.S.X)
	for j := range n {
		m.S.X.Set(j, j, m.S.X.At(j, j)+1)
		m.Theta.X.Set(0, j, lambda/L)
	}
	return m
}

func zeros(name string, r, c int) *tape.Param {
	return &tape.Param{Name: name, X: mat.NewDense(r, c, nil), Grad: mat.NewDense(r, c, nil)}
}

// Params returns the parameters in a fixed order: We, S, Theta.
func (m *Model) Params() []*tape.Param { return []*tape.Param{m.We, m.S, m.Theta} }

// Clone returns a copy that shares nothing with m.
func (m *Model) Clone() *Model {
	out := &Model{Layers: m.Layers}
	for i, p := range []**tape.Param{&out.We, &out.S, &out.Theta} {
		of := m.Params()[i]
		r, c := of.X.Dims()
		*p = zeros(of.Name, r, c)
		(*p).X.Copy(of.X)
	}
	return out
}

// Transform returns the codes (n×N) of the signals, which are the columns of X (D×N).
func (m *Model) Transform(X mat.Matrix) *mat.Dense {
	given.Args("unrolled: Model.Transform", "X", X)
	m.checkSignals("Transform", X)
	t := tape.New()
	return mat.DenseCopyOf(m.pass(t, rows(X)).X.T())
}

// checkSignals panics unless each column of X has as many values as the model's atoms.
func (m *Model) checkSignals(fn string, X mat.Matrix) {
	r, c := X.Dims()
	if d, _ := m.We.X.Dims(); r != d {
		panic(fmt.Sprintf("unrolled: %s: X is %d×%d, a signal per COLUMN, and the model's atoms have %d values%s", fn, r, c, d, transposeHint(r, c, d)))
	}
}

// rows returns the transpose of X.
func rows(X mat.Matrix) *mat.Dense { return mat.DenseCopyOf(X.T()) }

// pass computes the codes (N×n) of the rows of X (N×D) on a tape.
func (m *Model) pass(t *tape.Tape, X *mat.Dense) *tape.Value {
	if d, _ := m.We.X.Dims(); X.RawMatrix().Cols != d {
		panic(fmt.Sprintf("unrolled: signals have %d values, the model's atoms %d", X.RawMatrix().Cols, d))
	}
	S, theta := t.Param(m.S), t.Param(m.Theta)
	b := t.MatMul(t.Const(X), t.Param(m.We)) // N×D · D×n
	z := shrink(t, b, theta)
	for range m.Layers {
		z = shrink(t, t.Add(b, t.MatMul(z, S)), theta) // N×n · n×n
	}
	return z
}

// shrink applies the soft threshold: it subtracts θ from elements above θ, adds θ to elements below −θ, and
// sets the other elements to 0.
func shrink(t *tape.Tape, v, theta *tape.Value) *tape.Value {
	minus := t.Scale(-1, theta)
	above := t.ReLU(t.Add(v, minus))
	below := t.ReLU(t.Add(t.Scale(-1, v), minus))
	return t.Add(above, t.Scale(-1, below))
}

// transposeHint returns the end of an error message that asks whether X (r×c) is transposed. It returns this text if
// X' has the required d rows and X does not, otherwise "".
func transposeHint(r, c, d int) string {
	if c == d && r != d {
		return fmt.Sprintf(": want %d×%d, is X transposed?", c, r)
	}
	return ""
}
