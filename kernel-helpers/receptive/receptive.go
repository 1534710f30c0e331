// Package receptive measures whether an atom learned from image patches is localized, oriented and bandpass.
// B. Olshausen and D. Field (Emergence of simple-cell receptive field properties by learning a sparse code
// for natural images, Nature 381, 1996) describe the atoms of a sparse code of natural scenes by these three
// properties.
//
//	s := receptive.Measure(B.ColView(j), 12, 12)
//	if s.Gabor() { ... }
//
// The paper judges by eye and gives no numbers. The measures here are our choice:
//
//	Spread      root of the second moment of the squared values about their center, as a
//	            fraction of that for a patch with equal values: 1 for a grating, about 1 for
//	            noise, near 0 for a point. Localized: at most 0.7, half of the area.
//	Orientation |Σ P e^{2iθ}| / Σ P over the power spectrum P at the angles θ: 1 for a
//	            grating, 0 for a round spot. Oriented: at least 0.5.
//	Bandwidth   octaves between the two frequencies at which the amplitude spectrum, on the
//	            ray through its peak, falls to half. Bandpass: both exist below the
//	            Nyquist frequency, at most 2.5 octaves apart.
//
// # Traps
//
// An atom at the edge of its patch is cut off, and measured as smaller than it is. A peak at frequency 0, or
// one so low that the amplitude does not fall to half before 0, has no lower flank: the atom is lowpass.
// Small patches have few frequencies. The spectrum is interpolated, by padding the patch with zeros to four
// times its size, but interpolation does not add resolution.
package receptive

import (
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/internal/given"
)

// The thresholds of Localized, Oriented and Bandpass. They were set before any basis was measured.
const (
	MaxSpread      = 0.7
	MinOrientation = 0.5
	MaxBandwidth   = 2.5 // octaves
)

// A Shape holds the measures of one atom.
type Shape struct {
	Spread      float64 // 0 (a point) to about 1 (all of the patch)
	Orientation float64 // strength of the preferred direction, from 0 to 1
	Angle       float64 // preferred direction of change, radians from x to y, in [0, π)
	Frequency   float64 // of the peak, cycles per pixel
	Bandwidth   float64 // octaves; +Inf if a flank is missing
}

// Localized reports whether the atom fills no more than half of its patch.
func (s Shape) Localized() bool { return s.Spread <= MaxSpread }

// Oriented reports whether the atom has a preferred direction.
func (s Shape) Oriented() bool { return s.Orientation >= MinOrientation }

// Bandpass reports whether the atom responds to a frequency band that is bounded on both sides.
func (s Shape) Bandpass() bool { return s.Bandwidth <= MaxBandwidth }

// Gabor reports whether the atom is localized, oriented and bandpass.
func (s Shape) Gabor() bool { return s.Localized() && s.Oriented() && s.Bandpass() }

// padding is the factor by which a patch is padded with zeros in each direction.
const padding = 4

// Measure returns the measures of an atom of h rows and w columns, whose pixels are stored row by row. It panics if h
// or w is less than 2, if the atom does not have h·w values, if one of them is NaN or infinite, or if all are 0.
func Measure(atom mat.Vector, h, w int) Shape {
	given.Args("receptive: Measure", "atom", atom)
	if h < 2 || w < 2 || atom.Len() != h*w {
		panic(fmt.Sprintf("receptive: an atom of %d values is no patch of %d × %d, each at least 2", atom.Len(), h, w))
	}
	top := 0.0
	for i := range atom.Len() {
		if !finite.Is(atom.AtVec(i)) {
			panic(fmt.Sprintf("receptive: value %d of the atom is %v", i, atom.AtVec(i)))
		}
		top = math.Max(top, math.Abs(atom.AtVec(i)))
	}
	if !(top > 1e-100 && top < 1e100) && top > 0 { // whose squares are out of range
		_, e := math.Frexp(top)
		scaled := mat.NewVecDense(h*w, nil)
		for i := range atom.Len() {
			scaled.SetVec(i, math.Ldexp(atom.AtVec(i), -e))
		}
		atom = scaled
	}
	energy := 0.0
	for i := range atom.Len() {
		energy += atom.AtVec(i) * atom.AtVec(i)
	}
	if energy == 0 {
		panic("receptive: all values of the atom are 0; leave out atoms that were never used")
	}
	s := Shape{Spread: spread(atom, h, w, energy)}
	p := newSpectrum(atom, h, w)
	s.Orientation, s.Angle = p.orientation()
	s.Frequency, s.Bandwidth = p.band()
	return s
}

// All returns the measures of each column of B (h·w × n).
func All(B mat.Matrix, h, w int) []Shape {
	given.Args("receptive: All", "B", B)
	d, n := B.Dims()
	if h < 2 || w < 2 || d != h*w || n == 0 {
		panic(fmt.Sprintf("receptive: All: B is %d×%d, its columns must be patches of %d × %d, each at least 2", d, n, h, w))
	}
	out := make([]Shape, n)
	for j := range out {
		out[j] = Measure(mat.NewVecDense(h*w, mat.Col(nil, j, B)), h, w)
	}
	return out
}

// Share returns the fraction of the shapes that satisfy the given predicate, for instance Shape.Gabor.
func Share(shapes []Shape, is func(Shape) bool) float64 {
	given.Args("receptive: Share", "is", is)
	n := 0
	for _, s := range shapes {
		if is(s) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(shapes)))
}

func spread(atom mat.Vector, h, w int, energy float64) float64 {
	var my, mx, second float64
	for i := range atom.Len() {
		e := atom.AtVec(i) * atom.AtVec(i) / energy
		my += e * float64(i/w)
		mx += e * float64(i%w)
	}
	for i := range atom.Len() {
		e := atom.AtVec(i) * atom.AtVec(i) / energy
		dy, dx := float64(i/w)-my, float64(i%w)-mx
		second += e * (dy*dy + dx*dx)
	}
	even := float64(h*h+w*w-2) / 12 // for a patch with equal values
	return math.Sqrt(second / even)
}

// A spectrum holds the amplitudes of a padded patch, rows × cols, starting at frequency 0.
type spectrum struct {
	rows, cols int
	a          []float64
}

func newSpectrum(atom mat.Vector, h, w int) *spectrum {
	p := &spectrum{rows: padding * h, cols: padding * w}
	z := make([]complex128, p.rows*p.cols)
	for i := range atom.Len() {
		z[i/w*p.cols+i%w] = complex(atom.AtVec(i), 0)
	}
	along, across := fourier.NewCmplxFFT(p.cols), fourier.NewCmplxFFT(p.rows)
	for i := range h { // the other rows are 0
		row := z[i*p.cols : (i+1)*p.cols]
		along.Coefficients(row, row)
	}
	col := make([]complex128, p.rows)
	for j := range p.cols {
		for i := range col {
			col[i] = z[i*p.cols+j]
		}
		across.Coefficients(col, col)
		for i := range col {
			z[i*p.cols+j] = col[i]
		}
	}
	p.a = make([]float64, len(z))
	for i, c := range z {
		p.a[i] = cmplx.Abs(c)
	}
	return p
}

// frequency returns the vertical and the horizontal frequency of the amplitude a[i], in cycles per pixel.
func (p *spectrum) frequency(i int) (fy, fx float64) {
	y, x := i/p.cols, i%p.cols
	if 2*y >= p.rows {
		y -= p.rows
	}
	if 2*x >= p.cols {
		x -= p.cols
	}
	return float64(y) / float64(p.rows), float64(x) / float64(p.cols)
}

// orientation returns the strength and the angle of the mean direction of the power. Opposite directions
// count as the same.
func (p *spectrum) orientation() (strength, angle float64) {
	var sum complex128
	total := 0.0
	for i, a := range p.a {
		fy, fx := p.frequency(i)
		power := a * a
		total += power // frequency 0 has no direction and lowers the strength
		if fy != 0 || fx != 0 {
			sum += cmplx.Rect(power, 2*math.Atan2(fy, fx))
		}
	}
	angle = cmplx.Phase(sum) / 2
	if angle < 0 {
		if angle += math.Pi; angle >= math.Pi { // a phase of −1e-17
			angle = 0
		}
	}
	return cmplx.Abs(sum) / total, angle
}

// band returns the frequency of the peak, and the octaves between the two frequencies, one on each side of the peak,
// at which the amplitude falls to half. If one of these does not exist, octaves is +Inf.
func (p *spectrum) band() (peak, octaves float64) {
	top := 0
	for i, a := range p.a {
		if a > p.a[top] {
			top = i
		}
	}
	fy, fx := p.frequency(top)
	peak = math.Hypot(fy, fx)
	if peak == 0 {
		return 0, math.Inf(1)
	}
	uy, ux := fy/peak, fx/peak
	half := p.a[top] / 2
	const step = 1.0 / 512
	flank := func(direction float64) float64 {
		for f := peak; f > 0 && f*math.Max(math.Abs(uy), math.Abs(ux)) <= 0.5; f += direction * step {
			if p.amplitude(f*uy, f*ux) <= half {
				return f
			}
		}
		return math.NaN()
	}
	lo, hi := flank(-1), flank(1)
	if math.IsNaN(lo) || math.IsNaN(hi) {
		return peak, math.Inf(1)
	}
	return peak, math.Log2(hi / lo)
}

// amplitude returns the amplitude at any frequency (fy, fx), interpolated bilinearly between the elements of a.
func (p *spectrum) amplitude(fy, fx float64) float64 {
	y, x := fy*float64(p.rows), fx*float64(p.cols)
	y0, x0 := math.Floor(y), math.Floor(x)
	ty, tx := y-y0, x-x0
	get := func(i, j int) float64 {
		return p.a[(i+2*p.rows)%p.rows*p.cols+(j+2*p.cols)%p.cols]
	}
	i, j := int(y0), int(x0)
	return (1-ty)*((1-tx)*get(i, j)+tx*get(i, j+1)) + ty*((1-tx)*get(i+1, j)+tx*get(i+1, j+1))
}
