// Package soil is the garden's own.
package soil

// A Bed is dug.
type Bed struct {
	// Depth is in centimetres.
	Depth int
}

// Dig deepens the bed.
func (b *Bed) Dig() { b.Depth++ }

type Grain struct{ Size float64 }
