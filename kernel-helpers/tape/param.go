package tape

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// A Param is a named matrix that training changes.
type Param struct {
	Name string
	X    *mat.Dense // the value
	Grad *mat.Dense // ∂L/∂X, of the same shape: the sum over calls to Backward
}

// A Set creates the parameters of a model. Their initial values depend on the seed and on the order of
// creation.
type Set struct {
	Params []*Param
	rng    *rand.Rand
}

// NewSet returns an empty set. Its random values are drawn with the given seed.
func NewSet(seed uint64) *Set { return &Set{rng: rand.New(rand.NewPCG(seed, 0x7461_7065))} }

func (s *Set) add(name string, r, c int, draw func() float64) *Param {
	if r <= 0 || c <= 0 {
		panic(fmt.Sprintf("tape: parameter %s: %d×%d", name, r, c))
	}
	if s.Get(name) != nil {
		panic("tape: parameter " + name + " exists already")
	}
	x := make([]float64, r*c)
	for i := range x {
		x[i] = draw()
	}
	p := &Param{Name: name, X: mat.NewDense(r, c, x), Grad: mat.NewDense(r, c, nil)}
	s.Params = append(s.Params, p)
	return p
}

// Glorot adds a parameter with values drawn uniformly between ±sqrt(6/(r+c)), so that the variance stays about the
// same in the forward and the backward pass (X. Glorot and Y. Bengio, 2010, equation 16).
func (s *Set) Glorot(name string, r, c int) *Param {
	limit := math.Sqrt(6 / float64(r+c))
	return s.add(name, r, c, func() float64 { return limit * (2*s.rng.Float64() - 1) })
}

// Normal adds a parameter with normal values of mean 0 and standard deviation sd.
func (s *Set) Normal(name string, r, c int, sd float64) *Param {
	return s.add(name, r, c, func() float64 { return sd * s.rng.NormFloat64() })
}

// Zeros adds a parameter that starts at 0, such as a bias.
func (s *Set) Zeros(name string, r, c int) *Param {
	return s.add(name, r, c, func() float64 { return 0 })
}

// Ones adds a parameter that starts at 1, such as the gain of a normalization.
func (s *Set) Ones(name string, r, c int) *Param {
	return s.add(name, r, c, func() float64 { return 1 })
}

// Get returns the parameter with the given name, or nil.
func (s *Set) Get(name string) *Param {
	for _, p := range s.Params {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Count returns the total number of elements of the parameters.
func Count(params []*Param) int {
	n := 0
	for _, p := range params {
		r, c := p.X.Dims()
		n += r * c
	}
	return n
}

// Zero sets the gradients to zero.
func Zero(params []*Param) {
	for _, p := range params {
		p.Grad.Zero()
	}
}

// GradNorm returns the Euclidean norm of all gradients together.
func GradNorm(params []*Param) float64 {
	s := 0.0
	for _, p := range params {
		n := mat.Norm(p.Grad, 2)
		s += n * n
	}
	return math.Sqrt(s)
}

// Clip scales all gradients by one factor so that the norm of all of them together is at most limit. It returns the
// norm before scaling (R. Pascanu, T. Mikolov and Y. Bengio, 2013, algorithm 1).
func Clip(params []*Param, limit float64) float64 {
	norm := GradNorm(params)
	if norm > limit {
		for _, p := range params {
			p.Grad.Scale(limit/norm, p.Grad)
		}
	}
	return norm
}
