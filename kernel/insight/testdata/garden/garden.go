// Package garden grows plants.
package garden

import (
	"errors"
	"strings"

	"gonum.org/v1/gonum/mat"

	"example.com/garden/internal/soil"
)

// A Plant grows in a bed.
type Plant struct {
	// Name is the Latin one.
	Name   string
	Height float64 // in metres
	roots  []soil.Grain
	soil.Bed
}

// Grow adds to the height, and returns the plant.
func (p *Plant) Grow(by float64) *Plant {
	p.Height += by
	return p
}

func (p Plant) String() string { return strings.ToUpper(p.Name) }

// Sizes is compiled code's type.
func (p *Plant) Sizes() *mat.Dense { return mat.NewDense(1, 1, []float64{p.Height}) }

// Grower is what grows.
type Grower interface {
	// Grow must be called in spring.
	Grow(by float64) *Plant
}

// ErrDry says that nothing grows.
var ErrDry = errors.New("dry")

// Seasons of the year.
const (
	Spring = iota + 1 // begins in March
	Summer
)

// New returns a plant.
func New(name string) (*Plant, error) { return &Plant{Name: name}, nil }
