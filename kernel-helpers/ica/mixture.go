package ica

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/vector"
)

// A Mixture holds generated data and their components: X = A S + noise.
type Mixture struct {
	A      *mat.Dense // m×n
	S      *mat.Dense // n×p
	X      *mat.Dense // m×p
	Noise  float64    // standard deviation of the Gaussian noise in each entry of X
	Source Source
	Seed   uint64
}

// NewMixture draws p samples of n sources and mixes them with A (m×n).
func NewMixture(A mat.Matrix, src Source, p int, noise float64, seed uint64) *Mixture {
	a := dense("NewMixture", "A", A)
	given.Args("ica: NewMixture", "src", src)
	_, n := dims("NewMixture", "A", a)
	s := DrawSources(src, n, p, seed)
	return &Mixture{A: mat.DenseCopyOf(a), S: s, X: Mix(a, s, noise, seed), Noise: noise, Source: src, Seed: seed}
}

// Mix returns A S plus independent Gaussian noise, m×p. The argument noise is its standard deviation in each entry.
func Mix(A, S mat.Matrix, noise float64, seed uint64) *mat.Dense {
	a, s := dense("Mix", "A", A), dense("Mix", "S", S)
	_, n := dims("Mix", "A", a)
	ns, _ := dims("Mix", "S", s)
	if ns != n {
		panic(fmt.Sprintf("ica: Mix: A has %d columns and S has %d rows", n, ns))
	}
	if !(noise >= 0) {
		panic(fmt.Sprintf("ica: Mix: noise is %v", noise))
	}
	var x mat.Dense
	x.Mul(a, s)
	if noise > 0 {
		rng := newRand(seed, streamNoise)
		m, p := x.Dims()
		for k := range p {
			for i := range m {
				x.Set(i, k, x.At(i, k)+noise*rng.NormFloat64())
			}
		}
	}
	return &x
}

// RandomBasis returns A, m×n, with columns uniform on the unit sphere.
func RandomBasis(m, n int, seed uint64) *mat.Dense {
	a, _ := RandomBasisApart(m, n, 0, seed)
	return a
}

// RandomBasisApart returns an m×n matrix whose columns have norm 1 and are pairwise at least minAngle degrees apart as
// lines (a and −a are the same line). It draws uniform bases until one meets the condition, so the distribution is
// uniform given the condition. In the plane, minAngle must be below 180/n. If none of 100,000 draws meets the
// condition, RandomBasisApart returns an error.
func RandomBasisApart(m, n int, minAngle float64, seed uint64) (*mat.Dense, error) {
	if m <= 0 || n <= 0 {
		panic(fmt.Sprintf("ica: RandomBasisApart: m = %d, n = %d", m, n))
	}
	rng := newRand(seed, streamBasis)
	for range 100000 {
		a := mat.NewDense(m, n, nil)
		for j := range n {
			for i := range m {
				a.Set(i, j, rng.NormFloat64())
			}
		}
		Normalize(a)
		if minAngle <= 0 || MinAngle(a) >= minAngle {
			return a, nil
		}
	}
	return nil, fmt.Errorf("ica: RandomBasisApart: no basis of %d columns in %d dimensions with angles of %g degrees found", n, m, minAngle)
}

// EvenBasis returns n unit columns in the plane, with angles of 180/n degrees between neighbors. The argument first is
// the angle of the first column in degrees.
func EvenBasis(n int, first float64) *mat.Dense {
	if n <= 0 {
		panic(fmt.Sprintf("ica: EvenBasis: n = %d", n))
	}
	a := mat.NewDense(2, n, nil)
	for j := range n {
		s, c := math.Sincos((first + 180*float64(j)/float64(n)) * math.Pi / 180)
		a.Set(0, j, c)
		a.Set(1, j, s)
	}
	return a
}

// PerturbBasis returns A with every column rotated in a random direction (in the plane, clockwise or counterclockwise)
// by exactly the given angle in degrees. Norms are kept.
func PerturbBasis(A mat.Matrix, angle float64, seed uint64) *mat.Dense {
	a := dense("PerturbBasis", "A", A)
	m, n := dims("PerturbBasis", "A", a)
	if m < 2 {
		panic("ica: PerturbBasis: a line has no directions to turn to")
	}
	if err := finite.Check("A", a); err != nil {
		panic("ica: PerturbBasis: " + err.Error())
	}
	rng := newRand(seed, streamPerturb)
	out := mat.DenseCopyOf(a)
	sin, cos := math.Sincos(angle * math.Pi / 180)
	for j := range n {
		c := mat.Col(nil, j, a)
		r := math.Sqrt(vector.DotInOrder(c, c))
		if r == 0 {
			continue
		}
		// d is a unit vector orthogonal to c.
		d := make([]float64, m)
		for {
			for i := range d {
				d[i] = rng.NormFloat64()
			}
			t := vector.DotInOrder(d, c) / (r * r)
			for i := range d {
				d[i] -= t * c[i]
			}
			if v := math.Sqrt(vector.DotInOrder(d, d)); v > 1e-6 {
				for i := range d {
					d[i] /= v
				}
				break
			}
		}
		for i := range c {
			out.Set(i, j, cos*c[i]+sin*r*d[i])
		}
	}
	return out
}

// Normalize scales the columns of A to unit norm in place (a zero column stays 0) and returns their former
// norms.
func Normalize(a *mat.Dense) []float64 {
	m, n := dims("Normalize", "A", a)
	norms := ColumnNorms(a)
	for j := range n {
		if norms[j] > 0 {
			for i := range m {
				a.Set(i, j, a.At(i, j)/norms[j])
			}
		}
	}
	return norms
}

// ColumnNorms returns the Euclidean norms of the columns of A.
func ColumnNorms(a mat.Matrix) []float64 {
	m, n := anyDims("ColumnNorms", "a", a)
	out, c := make([]float64, n), make([]float64, m)
	for j := range out {
		mat.Col(c, j, a)
		out[j] = math.Sqrt(vector.DotInOrder(c, c))
	}
	return out
}

// MinAngle returns the smallest angle, in degrees, between the lines through 0 along any two columns of a, or 90 if a
// has one column.
func MinAngle(a mat.Matrix) float64 {
	_, n := anyDims("MinAngle", "a", a)
	t := 90.0
	for i := range n {
		for j := range i {
			t = min(t, angle(mat.Col(nil, i, a), mat.Col(nil, j, a)))
		}
	}
	return t
}

// angle returns the angle in degrees, 0 to 90, between the lines along a and b, or 90 if one of
// them is 0. atan2 of the sine and cosine keeps small angles exact, which acos would not.
func angle(a, b []float64) float64 {
	na, nb := math.Sqrt(vector.DotInOrder(a, a)), math.Sqrt(vector.DotInOrder(b, b))
	if na == 0 || nb == 0 {
		return 90
	}
	c := vector.DotInOrder(a, b) / (na * nb)
	sg := 1.0
	if c < 0 {
		sg = -1
	}
	// |a/|a| − sg b/|b|| and |a/|a| + sg b/|b|| are 2 sin and 2 cos of half the angle.
	var p, q float64
	for i := range a {
		u, v := a[i]/na, sg*b[i]/nb
		p += (u - v) * (u - v)
		q += (u + v) * (u + v)
	}
	return 2 * math.Atan2(math.Sqrt(p), math.Sqrt(q)) * 180 / math.Pi
}

// anyDims returns the shape of the matrix a. It panics if a is nil or empty.
func anyDims(fn, name string, a mat.Matrix) (r, c int) {
	given.Args("ica: "+fn, name, a)
	if r, c = a.Dims(); r == 0 || c == 0 {
		panic("ica: " + fn + ": " + name + " is nil or empty")
	}
	return r, c
}

// dims is anyDims for a *mat.Dense.
func dims(fn, name string, a *mat.Dense) (r, c int) {
	if a == nil || a.IsEmpty() {
		panic("ica: " + fn + ": " + name + " is nil or empty")
	}
	return a.Dims()
}

// points returns the shape of x. It panics if x is nil, and returns an error if x is empty.
func points(fn, name string, x *mat.Dense) (r, c int, err error) {
	if x == nil {
		panic("ica: " + fn + ": " + name + " is nil")
	}
	if r, c = x.Dims(); r == 0 || c == 0 {
		return r, c, fmt.Errorf("ica: %s: %s is empty", fn, name)
	}
	return r, c, nil
}

// dense returns the matrix a as a dense matrix, which must not be changed. It panics if a is nil.
func dense(fn, name string, a mat.Matrix) *mat.Dense { return given.Dense("ica: "+fn, name, a) }

// shapeMismatch returns the message for samples x whose number of rows is not m. The argument name is the name of the
// matrix that has m rows. If the transpose of x has m rows, the message suggests it.
func shapeMismatch(fn, name string, m int, x *mat.Dense) string {
	r, c := x.Dims()
	s := fmt.Sprintf("ica: %s: %s has %d rows and X is %d×%d, a sample per COLUMN", fn, name, m, r, c)
	if c == m {
		s += fmt.Sprintf(": want %d×%d, is X transposed?", c, r)
	}
	return s
}

func checkMatrix(fn, name string, a *mat.Dense) error {
	if i, j := finite.Find(a); i >= 0 {
		return fmt.Errorf("ica: %s: %s[%d,%d] is %v", fn, name, i, j, a.At(i, j))
	}
	return nil
}
