// Package methodvalue calls methods with value receivers.
package methodvalue

// A Vec is a vector in space.
type Vec struct{ X, Y, Z float64 }

// Add returns v + w.
func (v Vec) Add(w Vec) Vec { return Vec{v.X + w.X, v.Y + w.Y, v.Z + w.Z} }

// Scale returns f·v.
func (v Vec) Scale(f float64) Vec { return Vec{f * v.X, f * v.Y, f * v.Z} }

// Dot returns the scalar product of v and w.
func (v Vec) Dot(w Vec) float64 { return v.X*w.X + v.Y*w.Y + v.Z*w.Z }

// Run takes n steps along a spiral, and returns the sum of the scalar products of position and velocity.
func Run(n int) float64 {
	p, v := Vec{1, 0, 0}, Vec{0, 1, 0.5}
	s := 0.0
	for i := 0; i < n; i++ {
		v = v.Add(p.Scale(-0.01))
		p = p.Add(v.Scale(0.01))
		s += p.Dot(v)
	}
	return s
}
