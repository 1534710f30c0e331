package classify

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A point is a row of X in a form for fast inner products. If there are few nonzeros, as in images of digits and in
// sparse codes, a point holds only the nonzeros.
type point struct {
	index []int32 // positions of the nonzeros; nil if value holds all elements
	value []float64
	// If table is not nil, the fields table and codes replace the fields index and value: for each nonzero x_j =
	// table[c], codes has an element j<<8 | c.
	codes []uint32
	table *[256]float64
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
		p[i] = point{index: make([]int32, 0, nonzeros), value: make([]float64, 0, nonzeros)}
		for j, x := range row {
			if x != 0 {
				p[i].index, p[i].value = append(p[i].index, int32(j)), append(p[i].value, x)
			}
		}
	}
	return p
}

// codedShare is the largest share of nonzeros for which codes are used.
const codedShare = 0.5

// encode returns the rows of X as points with codes, or nil if X has more than 256 different nonzero values. Images
// with 8 bits per pixel have fewer. encode also returns nil if X has more than 2^24 columns. A row with a share of
// nonzeros above codedShare gets no codes, and is not copied. Coordinate descent visits the points in random order,
// and mostly waits for memory; codes take a third of the memory of indices and values.
func encode(X *mat.Dense) []point {
	n, d := X.Dims()
	if d > 1<<24 {
		return nil
	}
	const slots = 1024
	var keys [slots]uint64 // a hash table of bits of nonzeros; 0 is free
	var codeOf [slots]uint32
	used := 0
	table := new([256]float64)
	p, row := make([]point, n), make([]uint32, 0, d)
	for i := range p {
		row = row[:0]
		x := X.RawRowView(i)
		for j, v := range x {
			if v == 0 {
				continue
			}
			key := math.Float64bits(v)
			h := key * 0x9e3779b97f4a7c15 >> 54
			for keys[h] != key {
				if keys[h] == 0 {
					if used == len(table) {
						return nil
					}
					keys[h], codeOf[h], table[used] = key, uint32(used), v
					used++
					break
				}
				h = (h + 1) % slots
			}
			row = append(row, uint32(j)<<8|codeOf[h])
		}
		if float64(len(row)) > codedShare*float64(d) {
			p[i].value = x
		} else {
			p[i] = point{codes: slices.Clone(row), table: table}
		}
	}
	return p
}

// dot returns w'x.
func (p *point) dot(w []float64) float64 {
	if p.table != nil {
		return dotCodes(w, p.codes, p.table)
	}
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

func dotCodes(w []float64, codes []uint32, table *[256]float64) float64 {
	var a, b, c, d float64
	for len(codes) >= 4 {
		a += table[uint8(codes[0])] * w[codes[0]>>8]
		b += table[uint8(codes[1])] * w[codes[1]>>8]
		c += table[uint8(codes[2])] * w[codes[2]>>8]
		d += table[uint8(codes[3])] * w[codes[3]>>8]
		codes = codes[4:]
	}
	for _, e := range codes {
		a += table[uint8(e)] * w[e>>8]
	}
	return (a + b) + (c + d)
}

// addTo adds t x to w.
func (p *point) addTo(w []float64, t float64) {
	if p.table != nil {
		for _, e := range p.codes {
			w[e>>8] += t * p.table[uint8(e)]
		}
		return
	}
	if p.index == nil {
		floats.AddScaled(w, t, p.value)
		return
	}
	for k, j := range p.index {
		w[j] += t * p.value[k]
	}
}

// visit calls f with the elements of x and their positions. It may leave out zeros.
func (p *point) visit(f func(j int, x float64)) {
	for _, e := range p.codes {
		f(int(e>>8), p.table[uint8(e)])
	}
	for k, x := range p.value {
		if p.index == nil {
			f(k, x)
		} else {
			f(int(p.index[k]), x)
		}
	}
}
