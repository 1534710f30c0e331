package tsne

import "math"

// A student is the kernel of the map with ν degrees of freedom, Student's t up to a factor:
//
//	w = u^((ν+1)/2),   u = 1/(1 + ‖y_i − y_j‖²/ν)
//
// With ν = 1, w = u.
type student struct {
	nu    float64
	power float64 // (ν+1)/2
	whole int     // ν + 1 if it is a small integer, for which weight does not call Pow; else 0
}

func newStudent(nu float64) student {
	s := student{nu: nu, power: (nu + 1) / 2}
	if n := nu + 1; n == math.Trunc(n) && n <= 32 {
		s.whole = int(n)
	}
	return s
}

// student returns the kernel of a's maps.
func (a *Affinities) student() student {
	if a.DegreesOfFreedom == 0 {
		return newStudent(1)
	}
	return newStudent(a.DegreesOfFreedom)
}

// isCauchy reports whether ν is 1.
func (s student) isCauchy() bool { return s.nu == 1 }

// weight returns w, given u.
func (s student) weight(u float64) float64 {
	if s.whole == 0 {
		return math.Pow(u, s.power)
	}
	w := 1.0
	if s.whole%2 == 1 {
		w = math.Sqrt(u)
	}
	for range s.whole / 2 {
		w *= u
	}
	return w
}

// factor returns 2(ν+1)/ν, the factor of the gradient.
func (s student) factor() float64 { return 2 * (s.nu + 1) / s.nu }

// A flat computes gradients in the plane, for any ν. (In three dimensions, a value of type space does this.) For ν = 1
// there is also the faster tree of barnesHut, with its inner loops in assembly.
type flat struct {
	space   *space
	y, grad []float64 // 3n, with third coordinate 0
}

func newFlat(a *Affinities, theta float64, t team) *flat {
	return &flat{newSpace(a, theta, t), make([]float64, 3*a.N), make([]float64, 3*a.N)}
}

func (f *flat) gradient(y []float64, exaggeration float64, g []float64, withKL bool) float64 {
	for i := range f.space.N {
		copy(f.y[3*i:3*i+2], y[2*i:])
	}
	kl := f.space.gradient(f.y, exaggeration, f.grad, withKL)
	for i := range f.space.N {
		copy(g[2*i:2*i+2], f.grad[3*i:])
	}
	return kl
}
