package icon

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/tape"
)

// An Embedding maps each thing i to its coordinates z_i, as a function of parameters.
type Embedding interface {
	Name() string
	// Params returns the parameters, or nil if the embedding is fixed.
	Params() []*tape.Param
	// Coordinates records the coordinates on a tape (n×k).
	Coordinates(t *tape.Tape) *tape.Value
}

// A Projector is an embedding with constrained parameters. Minimize calls Tangent before each step and
// Project after each step.
type Projector interface {
	// Tangent removes the part of the gradient that violates the constraint. Without Tangent, a method that
	// scales each coordinate separately, like Adam, stops at the wrong point.
	Tangent()
	// Project moves the parameters to a point that satisfies the constraint.
	Project()
}

// Data are fixed coordinates.
type Data struct{ X *mat.Dense }

// Name returns "data".
func (Data) Name() string { return "data" }

// Params returns nil.
func (Data) Params() []*tape.Param { return nil }

// Coordinates returns X.
func (d Data) Coordinates(t *tape.Tape) *tape.Value { return t.Const(d.X) }

// Points are free coordinates: z_i is row i of the parameter Y (n×k). Cluster logits are represented as
// Points too.
type Points struct {
	Y *tape.Param
	// Unit keeps the mean of each column of Y at 0, and Y'Y/n at I: the constraint of Laplacian eigenmaps.
	Unit bool
}

// NewPoints returns points whose parameter is a copy of Y (n×k).
func NewPoints(Y mat.Matrix) *Points {
	given.Args("icon: NewPoints", "Y", Y)
	return &Points{Y: parameter("Y", Y)}
}

// mustBeFinite panics if X is empty or contains NaN or Inf.
func mustBeFinite(where, name string, X mat.Matrix) {
	if r, c := X.Dims(); r == 0 || c == 0 {
		panic("icon: " + where + ": " + name + " is empty")
	}
	if err := finite.Check(name, X); err != nil {
		panic("icon: " + where + ": " + err.Error())
	}
}

func parameter(name string, X mat.Matrix) *tape.Param {
	r, c := X.Dims()
	if r == 0 || c == 0 {
		panic("icon: " + name + " is empty")
	}
	return &tape.Param{Name: name, X: mat.DenseCopyOf(X), Grad: mat.NewDense(r, c, nil)}
}

// Name returns "free points".
func (*Points) Name() string { return "free points" }

// Params returns Y.
func (e *Points) Params() []*tape.Param { return []*tape.Param{e.Y} }

// Coordinates returns Y.
func (e *Points) Coordinates(t *tape.Tape) *tape.Value { return t.Param(e.Y) }

// Tangent implements Projector. It does nothing unless Unit is set.
func (e *Points) Tangent() {
	if e.Unit {
		n, _ := e.Y.X.Dims()
		e.Y.Grad.Copy(centered(e.Y.Grad))
		projectTangent(e.Y, float64(n))
	}
}

// Project makes Y satisfy its constraint, if Unit is set.
func (e *Points) Project() {
	if !e.Unit {
		return
	}
	n, _ := e.Y.X.Dims()
	e.Y.X.Copy(centered(e.Y.X))
	orthonormalize(e.Y.X)
	e.Y.X.Scale(math.Sqrt(float64(n)), e.Y.X)
}

// Linear is the embedding z_i = W'x_i: a projection of fixed data X (n×d) by the parameter W (d×k).
type Linear struct {
	X *mat.Dense
	W *tape.Param
	// Orthonormal keeps W'W = I, the constraint of PCA.
	Orthonormal bool
}

// NewLinear returns the projection of X (n×d) whose parameter is a copy of W (d×k).
func NewLinear(X, W mat.Matrix) *Linear {
	given.Args("icon: NewLinear", "X", X, "W", W)
	_, d := X.Dims()
	if r, k := W.Dims(); r != d {
		panic(fmt.Sprintf("icon: NewLinear: X has %d columns, W is %d×%d", d, r, k))
	}
	return &Linear{X: given.Dense("icon: NewLinear", "X", X), W: parameter("W", W)}
}

// Name returns "linear map".
func (*Linear) Name() string { return "linear map" }

// Params returns W.
func (e *Linear) Params() []*tape.Param { return []*tape.Param{e.W} }

// Coordinates returns X W, n×d · d×k.
func (e *Linear) Coordinates(t *tape.Tape) *tape.Value { return t.MatMul(t.Const(e.X), t.Param(e.W)) }

// Tangent implements Projector. It does nothing unless Orthonormal is set.
func (e *Linear) Tangent() {
	if e.Orthonormal {
		projectTangent(e.W, 1)
	}
}

// Project makes W satisfy its constraint, if Orthonormal is set.
func (e *Linear) Project() {
	if e.Orthonormal {
		orthonormalize(e.W.X)
	}
}

// projectTangent projects the gradient G of the parameter p = W onto the tangent space of the constraint W'W = sI at
// W. It replaces G by G − W sym(W'G)/s, where sym(M) = (M + M')/2.
func projectTangent(p *tape.Param, s float64) {
	var A, S, off mat.Dense
	A.Mul(p.X.T(), p.Grad) // k×d · d×k
	S.Add(&A, A.T())
	off.Mul(p.X, &S) // d×k · k×k
	off.Scale(-1/(2*s), &off)
	p.Grad.Add(p.Grad, &off)
}

// orthonormalize replaces M by the nearest matrix with orthonormal columns, M(M'M)^(−1/2).
func orthonormalize(M *mat.Dense) {
	r, c := M.Dims()
	var svd mat.SVD
	if r < c || !svd.Factorize(M, mat.SVDThin) {
		panic(fmt.Sprintf("icon: a %d×%d matrix has no orthonormal columns", r, c))
	}
	var U, V mat.Dense
	svd.UTo(&U)
	svd.VTo(&V)
	M.Mul(&U, V.T()) // r×c · c×c
}

// A NetworkEmbedding is the embedding z_i = f(x_i) for a network f and data X (n×d).
type NetworkEmbedding struct {
	X   *mat.Dense
	Net *Encoder
}

// Name returns "network".
func (*NetworkEmbedding) Name() string { return "network" }

// Params returns the parameters of the network.
func (e *NetworkEmbedding) Params() []*tape.Param { return e.Net.Params() }

// Coordinates returns the network's outputs.
func (e *NetworkEmbedding) Coordinates(t *tape.Tape) *tape.Value { return e.Net.Apply(t, t.Const(e.X)) }

// An Encoder is a network of dense layers with ReLU between the layers. The first layers compute the
// features, and the last layers are a projection head. Training with a contrastive loss needs the head; later
// uses of the features do not (T. Chen and others, 2020, section 4.2).
type Encoder struct {
	set   *tape.Set
	W, b  []*tape.Param
	Sizes []int // number of units of each layer, including the input as the first layer
	// Head is the number of layers at the end that form the projection head.
	Head int
}

// NewEncoder returns a network with random weights drawn from a seed. The sizes are the numbers of units of the layers,
// including the input as the first layer. head is the number of layers at the end that form the projection head.
func NewEncoder(seed uint64, head int, sizes ...int) *Encoder {
	if len(sizes) < 2 || head < 0 || head >= len(sizes) {
		panic(fmt.Sprintf("icon: NewEncoder: sizes %v with %d layers for the head", sizes, head))
	}
	e := &Encoder{set: tape.NewSet(seed), Sizes: append([]int(nil), sizes...), Head: head}
	for l := range len(sizes) - 1 {
		e.W = append(e.W, e.set.Glorot(fmt.Sprintf("W%d", l+1), sizes[l], sizes[l+1]))
		e.b = append(e.b, e.set.Zeros(fmt.Sprintf("b%d", l+1), 1, sizes[l+1]))
	}
	return e
}

// Params returns the weights and biases.
func (e *Encoder) Params() []*tape.Param { return e.set.Params }

// stored is what package gob stores of an Encoder.
type stored struct {
	Sizes []int
	Head  int
	X     []*mat.Dense
}

// GobEncode encodes the network for package gob, without the gradients of its parameters.
func (e *Encoder) GobEncode() ([]byte, error) {
	s := stored{Sizes: e.Sizes, Head: e.Head}
	for _, p := range e.Params() {
		s.X = append(s.X, p.X)
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(s)
	return b.Bytes(), err
}

// GobDecode decodes what GobEncode has encoded.
func (e *Encoder) GobDecode(b []byte) error {
	var s stored
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&s); err != nil {
		return fmt.Errorf("icon: Encoder.GobDecode: %w", err)
	}
	if len(s.Sizes) < 2 || slices.Min(s.Sizes) < 1 || s.Head < 0 || s.Head >= len(s.Sizes) || len(s.X) != 2*len(s.Sizes)-2 {
		return fmt.Errorf("icon: Encoder.GobDecode: sizes %v, %d layers for the head, %d parameters", s.Sizes, s.Head, len(s.X))
	}
	n := NewEncoder(0, s.Head, s.Sizes...)
	for k, p := range n.Params() {
		r, c := p.X.Dims()
		if xr, xc := s.X[k].Dims(); xr != r || xc != c {
			return fmt.Errorf("icon: Encoder.GobDecode: parameter %s is %d×%d, must be %d×%d", p.Name, xr, xc, r, c)
		}
		p.X.Copy(s.X[k])
	}
	*e = *n
	return nil
}

// Apply records the network's output for the rows of x (n×input) on the tape.
func (e *Encoder) Apply(t *tape.Tape, x *tape.Value) *tape.Value { return e.layers(t, x, len(e.W)) }

func (e *Encoder) layers(t *tape.Tape, x *tape.Value, count int) *tape.Value {
	for l := range count {
		x = t.Add(t.MatMul(x, t.Param(e.W[l])), t.Param(e.b[l]))
		if l < len(e.W)-1 {
			x = t.ReLU(x)
		}
	}
	return x
}

// Transform returns the features of the rows of X (n×input): the outputs of the layer before the projection
// head.
func (e *Encoder) Transform(X mat.Matrix) *mat.Dense {
	D := given.Dense("icon: Encoder.Transform", "X", X)
	t := tape.New()
	return mat.DenseCopyOf(e.layers(t, t.Const(D), len(e.W)-e.Head).X)
}
