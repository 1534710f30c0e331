package receptive

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"
)

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
		angle += math.Pi
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
