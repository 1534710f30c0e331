package classify

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A point is a row of X in a form for fast inner products. If nonzeros are few, a point holds only the
// nonzeros, as in images of digits and in sparse codes.
type point struct {
	index []int32 // positions of the nonzeros; nil if value holds all elements
	value []float64
}

// sparseShare is the largest share of nonzeros for which a loop over the nonzeros is faster than vector
// instructions over all elements.
const sparseShare = 0.25

// compress returns the rows of X as points; rows that are not sparse are not copied.
func compress(X *mat.Dense) []point {
	n, d := X.Dims()
	p := make([]point, n)
	for i := range p {
		row := X.RawRowView(i)
		nonzeros := 0
		for _, x := range row {
			if x != 0 {
				nonzeros++
			}
		}
		if float64(nonzeros) > sparseShare*float64(d) {
			p[i].value = row
			continue
		}
		p[i] = point{make([]int32, 0, nonzeros), make([]float64, 0, nonzeros)}
		for j, x := range row {
			if x != 0 {
				p[i].index, p[i].value = append(p[i].index, int32(j)), append(p[i].value, x)
			}
		}
	}
	return p
}

// dot returns w'x.
func (p *point) dot(w []float64) float64 {
	if p.index == nil {
		return floats.Dot(w, p.value)
	}
	value := p.value[:len(p.index)]
	s, t := 0.0, 0.0 // two sums hide the latency of the adder
	k := 0
	for ; k+1 < len(p.index); k += 2 {
		s += value[k] * w[p.index[k]]
		t += value[k+1] * w[p.index[k+1]]
	}
	if k < len(p.index) {
		s += value[k] * w[p.index[k]]
	}
	return s + t
}

// addTo adds t x to w.
func (p *point) addTo(w []float64, t float64) {
	if p.index == nil {
		floats.AddScaled(w, t, p.value)
		return
	}
	for k, j := range p.index {
		w[j] += t * p.value[k]
	}
}

// each calls f with the elements of x and their positions, zeros possibly left out.
func (p *point) each(f func(j int, x float64)) {
	for k, x := range p.value {
		if p.index == nil {
			f(k, x)
		} else {
			f(int(p.index[k]), x)
		}
	}
}
