package tape

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/vector"
)

// The operations. Each computes its result, and passes Op the rule for the backward pass. In the comments a
// bar denotes a gradient: Ȳ = ∂L/∂Y.

// MatMul returns the product Y = AB of A (m×k) and B (k×n).
//
//	Ā += Ȳ B'    B̄ += A' Ȳ
func (t *Tape) MatMul(a, b *Value) *Value {
	m, k := a.Dims()
	kb, n := b.Dims()
	if k != kb {
		panic(fmt.Sprintf("tape: MatMul: a is %d×%d, b is %d×%d", m, k, kb, n))
	}
	y := t.room(m, n)
	t.mul(y, blas.NoTrans, a.X, blas.NoTrans, b.X, 0)
	return t.Op(y, func(g *mat.Dense) {
		a.addMul(blas.NoTrans, g, blas.Trans, b.X) // m×n · n×k
		b.addMul(blas.Trans, a.X, blas.NoTrans, g) // k×m · m×n
	}, a, b)
}

// Add returns Y = A + B. B has the shape of A, or is a row (1×c), which is added to each row of A.
//
//	Ā += Ȳ    B̄ += Ȳ, or the sum of its rows
func (t *Tape) Add(a, b *Value) *Value {
	row := broadcast("Add", a, b)
	r, _ := a.Dims()
	y := t.room(a.Dims())
	for i := range r {
		floats.AddTo(y.RawRowView(i), a.X.RawRowView(i), b.X.RawRowView(i*row))
	}
	return t.Op(y, func(g *mat.Dense) {
		a.addTo(g)
		if row == 1 {
			b.addTo(g)
		} else if d := b.Accumulate(); d != nil {
			for i := range r {
				floats.Add(d.RawRowView(0), g.RawRowView(i))
			}
		}
	}, a, b)
}

// Mul returns Y = A ∘ B, element by element. B has the shape of A, or is a row (1×c), which multiplies each
// row of A.
//
//	Ā += Ȳ ∘ B    B̄ += Ȳ ∘ A, or the sum of its rows
func (t *Tape) Mul(a, b *Value) *Value {
	row := broadcast("Mul", a, b)
	r, _ := a.Dims()
	y := t.copyOf(a.X)
	for i := range r {
		yi := y.RawRowView(i)
		for j, v := range b.X.RawRowView(i * row) {
			yi[j] *= v
		}
	}
	return t.Op(y, func(g *mat.Dense) {
		da, db := a.Accumulate(), b.Accumulate()
		for i := range r {
			gi := g.RawRowView(i)
			if da != nil {
				addProduct(da.RawRowView(i), gi, b.X.RawRowView(i*row))
			}
			if db != nil {
				addProduct(db.RawRowView(i*row), gi, a.X.RawRowView(i))
			}
		}
	}, a, b)
}

// broadcast returns a factor f such that row i of a belongs to row f·i of b: 1 if a and b have the same shape, and 0
// if b is a single row, which belongs to all rows of a. It panics if the shapes match in neither way.
func broadcast(op string, a, b *Value) int {
	ar, ac := a.Dims()
	br, bc := b.Dims()
	switch {
	case ac == bc && ar == br:
		return 1
	case ac == bc && br == 1:
		return 0
	}
	panic(fmt.Sprintf("tape: %s: a is %d×%d, b is %d×%d", op, ar, ac, br, bc))
}

func addProduct(dst, u, v []float64) {
	for j, x := range u {
		dst[j] += x * v[j]
	}
}

// Scale returns Y = cA for a finite number c.
func (t *Tape) Scale(c float64, a *Value) *Value {
	if math.IsNaN(c) || math.IsInf(c, 0) {
		panic(fmt.Sprintf("tape: Scale: the factor is %v, must be finite", c))
	}
	return t.elementwise(a, func(x float64) float64 { return c * x }, func(_, _ float64) float64 { return c })
}

// Transpose returns Y = A'.
func (t *Tape) Transpose(a *Value) *Value {
	mustNotBeNil(a)
	return t.Op(t.copyOf(a.X.T()), func(g *mat.Dense) {
		if d := a.Accumulate(); d != nil {
			d.Add(d, g.T())
		}
	}, a)
}

// elementwise returns y = f(x) for each element x; df is dy/dx as a function of x and y.
func (t *Tape) elementwise(a *Value, f func(x float64) float64, df func(x, y float64) float64) *Value {
	r, c := a.Dims()
	y := t.room(r, c)
	for i := range r {
		yi := y.RawRowView(i)
		for j, x := range a.X.RawRowView(i) {
			yi[j] = f(x)
		}
	}
	return t.Op(y, func(g *mat.Dense) {
		if !a.needs {
			return
		}
		d := t.room(r, c)
		for i := range r {
			di, xi, yi := d.RawRowView(i), a.X.RawRowView(i), y.RawRowView(i)
			for j, gj := range g.RawRowView(i) {
				di[j] = gj * df(xi[j], yi[j])
			}
		}
		a.take(d)
	}, a)
}

// ReLU returns max(x, 0) for each element x.
func (t *Tape) ReLU(a *Value) *Value {
	r, c := a.Dims()
	y := t.room(r, c)
	for i := range r {
		yi := y.RawRowView(i)
		for j, x := range a.X.RawRowView(i) {
			yi[j] = max(x, 0)
		}
	}
	return t.Op(y, func(g *mat.Dense) {
		d := t.room(r, c)
		for i := range r {
			di, yi := d.RawRowView(i), y.RawRowView(i)
			for j, gj := range g.RawRowView(i) {
				// Avoid a branch on y > 0, which would be mispredicted: all bits of passes are 1 if y is not 0.
				bits := math.Float64bits(yi[j])
				passes := uint64(int64(bits|-bits) >> 63)
				di[j] = math.Float64frombits(math.Float64bits(gj) & passes)
			}
		}
		a.take(d)
	}, a)
}

// GELU returns x Φ(x) for each element x, with Φ the distribution function of a standard normal (D. Hendrycks and K.
// Gimpel, 2016). Φ is computed exactly, not approximated by tanh.
func (t *Tape) GELU(a *Value) *Value {
	cdf := func(x float64) float64 { return (1 + math.Erf(x/math.Sqrt2)) / 2 }
	return t.elementwise(a, func(x float64) float64 { return x * cdf(x) }, func(x, _ float64) float64 {
		return cdf(x) + x*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi)
	})
}

// Tanh returns the hyperbolic tangent of each element.
func (t *Tape) Tanh(a *Value) *Value {
	return t.elementwise(a, math.Tanh, func(_, y float64) float64 { return 1 - y*y })
}

// Sigmoid returns 1/(1 + exp(−x)) for each element x.
func (t *Tape) Sigmoid(a *Value) *Value {
	return t.elementwise(a, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, func(_, y float64) float64 { return y * (1 - y) })
}

// Softmax returns the softmax of each row of A + mask: y_j = exp(a_j) / Σ exp(a_j'). mask is nil or has the shape of A.
// An element of mask is 0 to keep the element of A, or −Inf to mask it. For a masked element, y is exactly 0. Softmax
// panics if mask has any other element, or leaves a row without elements.
//
//	ā_j += y_j (ȳ_j − Σ_j' ȳ_j' y_j')
func (t *Tape) Softmax(a *Value, mask *mat.Dense) *Value {
	r, c := a.Dims()
	y := t.copyOf(a.X)
	if mask != nil {
		if mr, mc := mask.Dims(); mr != r || mc != c {
			panic(fmt.Sprintf("tape: Softmax: a is %d×%d, the mask is %d×%d", r, c, mr, mc))
		}
		for i := range r {
			for j, v := range mask.RawRowView(i) {
				if v != 0 && !math.IsInf(v, -1) {
					panic(fmt.Sprintf("tape: Softmax: element (%d, %d) of the mask is %v, not 0 or −Inf", i, j, v))
				}
			}
		}
		y.Add(y, mask)
	}
	for i := range r {
		if !SoftmaxRow(y.RawRowView(i)) {
			panic(fmt.Sprintf("tape: Softmax: the mask leaves no element of row %d", i))
		}
	}
	return t.Op(y, func(g *mat.Dense) {
		d := a.Accumulate()
		if d == nil {
			return
		}
		for i := range r {
			di, yi, gi := d.RawRowView(i), y.RawRowView(i), g.RawRowView(i)
			s := vector.DotInOrder(gi, yi)
			for j := range di {
				di[j] += yi[j] * (gi[j] - s)
			}
		}
	}, a)
}

// SoftmaxRow replaces e by exp(e)/Σexp(e). Elements of −Inf become exactly 0. If all
// elements are −Inf, it changes nothing and returns false.
func SoftmaxRow(e []float64) bool {
	// exp(e − max) / Σ exp(e − max) is the same and cannot overflow.
	top := math.Inf(-1)
	for _, v := range e {
		top = max(top, v)
	}
	if math.IsInf(top, -1) {
		return false
	}
	sum := 0.0
	for j, v := range e {
		e[j] = math.Exp(v - top)
		sum += e[j]
	}
	for j := range e {
		e[j] /= sum
	}
	return true
}

// NormEpsilon is added to the variance in LayerNorm, so that a constant row does not cause a
// division by 0.
const NormEpsilon = 1e-5

// LayerNorm returns A with each row normalized to mean 0 and variance 1, and then each column scaled and shifted (J.
// Ba, J. Kiros and G. Hinton, Layer normalization, 2016):
//
//	x̂ = (a − mean a) / sqrt(var a + ε)    y = γ ∘ x̂ + β    γ, β: 1×c
//
// where ε is NormEpsilon. With x̄ = ȳ ∘ γ and means over the row's c columns,
//
//	ā += (x̄ − mean(x̄) − x̂ mean(x̄ ∘ x̂)) / sqrt(var a + ε)
func (t *Tape) LayerNorm(a, gamma, beta *Value) *Value {
	r, c := a.Dims()
	for _, p := range []*Value{gamma, beta} {
		if pr, pc := p.Dims(); pr != 1 || pc != c {
			panic(fmt.Sprintf("tape: LayerNorm: a is %d×%d, γ or β is %d×%d, not 1×%d", r, c, pr, pc, c))
		}
	}
	y, hat := t.room(r, c), t.room(r, c)
	scale := make([]float64, r)                         // 1/sqrt(var + ε)
	share := 1 / float64(c)                             // of an element in a mean
	g, b := gamma.X.RawRowView(0), beta.X.RawRowView(0) // c
	for i := range r {
		ai, yi, hi := a.X.RawRowView(i), y.RawRowView(i), hat.RawRowView(i)
		mean, variance := 0.0, 0.0
		for _, v := range ai {
			mean += v * share
		}
		for _, v := range ai {
			variance += (v - mean) * (v - mean) * share
		}
		scale[i] = 1 / math.Sqrt(variance+NormEpsilon)
		for j, v := range ai {
			hi[j] = (v - mean) * scale[i]
			yi[j] = g[j]*hi[j] + b[j]
		}
	}
	return t.Op(y, func(grad *mat.Dense) {
		dg, db := gamma.Accumulate(), beta.Accumulate()
		var da *mat.Dense
		if a.needs {
			da = t.room(r, c)
		}
		for i := range r {
			gi, hi := grad.RawRowView(i), hat.RawRowView(i)
			if dg != nil {
				addProduct(dg.RawRowView(0), gi, hi)
			}
			if db != nil {
				floats.Add(db.RawRowView(0), gi)
			}
			if da == nil {
				continue
			}
			m, mh := 0.0, 0.0 // means of x̄ and of x̄ ∘ x̂
			for j, v := range gi {
				m += v * g[j] * share
				mh += v * g[j] * hi[j] * share
			}
			di := da.RawRowView(i)
			for j, v := range gi {
				di[j] = (v*g[j] - m - hi[j]*mh) * scale[i]
			}
		}
		if da != nil {
			a.take(da)
		}
	}, a, gamma, beta)
}

// Gather returns a matrix whose row i is row index[i] of the table. For example, if the rows of the table are word
// vectors, Gather returns the vectors of the words of a sentence.
func (t *Tape) Gather(table *Value, index []int) *Value {
	r, c := table.Dims()
	if len(index) == 0 {
		panic("tape: Gather: no rows")
	}
	index = append([]int(nil), index...)
	y := t.room(len(index), c)
	for i, k := range index {
		if k < 0 || k >= r {
			panic(fmt.Sprintf("tape: Gather: index[%d] is %d, the table has %d rows", i, k, r))
		}
		copy(y.RawRowView(i), table.X.RawRowView(k))
	}
	return t.Op(y, func(g *mat.Dense) {
		if d := table.Accumulate(); d != nil {
			for i, k := range index {
				floats.Add(d.RawRowView(k), g.RawRowView(i))
			}
		}
	}, table)
}

// slice returns the rows [i0, i1) and columns [j0, j1) of A.
func (t *Tape) slice(op string, a *Value, i0, i1, j0, j1 int) *Value {
	if r, c := a.Dims(); i0 < 0 || j0 < 0 || i0 >= i1 || j0 >= j1 || i1 > r || j1 > c {
		panic(fmt.Sprintf("tape: %s: rows %d..%d and columns %d..%d of a %d×%d value", op, i0, i1, j0, j1, r, c))
	}
	return t.Op(t.copyOf(a.X.Slice(i0, i1, j0, j1)), func(g *mat.Dense) {
		if d := a.Accumulate(); d != nil {
			part := d.Slice(i0, i1, j0, j1).(*mat.Dense)
			part.Add(part, g)
		}
	}, a)
}

// SliceCols returns the columns [from, to) of A.
func (t *Tape) SliceCols(a *Value, from, to int) *Value {
	r, _ := a.Dims()
	return t.slice("SliceCols", a, 0, r, from, to)
}

// SliceRows returns the rows [from, to) of A.
func (t *Tape) SliceRows(a *Value, from, to int) *Value {
	_, c := a.Dims()
	return t.slice("SliceRows", a, from, to, 0, c)
}

// ConcatCols puts matrices of equal height side by side.
func (t *Tape) ConcatCols(parts ...*Value) *Value { return t.concat("ConcatCols", 0, 1, parts) }

// ConcatRows puts matrices of equal width one below the other.
func (t *Tape) ConcatRows(parts ...*Value) *Value { return t.concat("ConcatRows", 1, 0, parts) }

// concat joins the parts, one below the other (down = 1) or side by side (across = 1).
func (t *Tape) concat(op string, down, across int, parts []*Value) *Value {
	if len(parts) == 0 {
		panic("tape: " + op + ": no parts")
	}
	R, C := parts[0].Dims()
	for _, p := range parts[1:] {
		r, c := p.Dims()
		if down == 0 && r != R || across == 0 && c != C {
			panic(fmt.Sprintf("tape: %s: a part is %d×%d, the parts before it make %d×%d", op, r, c, R, C))
		}
		R, C = R+down*r, C+across*c
	}
	y := t.room(R, C)
	// at calls f with each part and its place in the whole.
	at := func(whole *mat.Dense, f func(place *mat.Dense, p *Value)) {
		i, j := 0, 0
		for _, p := range parts {
			r, c := p.Dims()
			f(whole.Slice(i, i+r, j, j+c).(*mat.Dense), p)
			i, j = i+down*r, j+across*c
		}
	}
	at(y, func(place *mat.Dense, p *Value) { place.Copy(p.X) })
	return t.Op(y, func(g *mat.Dense) {
		at(g, func(place *mat.Dense, p *Value) {
			if d := p.Accumulate(); d != nil {
				d.Add(d, place)
			}
		})
	}, parts...)
}

// scalar returns a 1×1 matrix that holds v.
func (t *Tape) scalar(v float64) *mat.Dense {
	m := t.Matrix(1, 1)
	m.Set(0, 0, v)
	return m
}

// Sum returns the sum of all elements, 1×1.
func (t *Tape) Sum(a *Value) *Value {
	mustNotBeNil(a)
	return t.Op(t.scalar(mat.Sum(a.X)), func(g *mat.Dense) {
		d := a.Accumulate()
		if d == nil {
			return
		}
		r, _ := d.Dims()
		for i := range r {
			for j := range d.RawRowView(i) {
				d.RawRowView(i)[j] += g.At(0, 0)
			}
		}
	}, a)
}

// Mean returns the mean of all elements, 1×1.
func (t *Tape) Mean(a *Value) *Value {
	r, c := a.Dims()
	return t.Scale(1/float64(r*c), t.Sum(a))
}

// CrossEntropy returns a 1×1 value y, the mean cross-entropy in nats: the mean of −log softmax(row i)[target[i]] over
// the rows i of logits (N×classes). A row does not count if its target equals ignore; at least one row must count.
// For the rows that count,
//
//	ā_ij += ȳ (softmax(row i)_j − [j = target_i]) / number of rows that count
//
// where a is logits.
func (t *Tape) CrossEntropy(logits *Value, target []int, ignore int) *Value {
	n, classes := logits.Dims()
	if len(target) != n {
		panic(fmt.Sprintf("tape: CrossEntropy: %d rows of logits, %d targets", n, len(target)))
	}
	target = append([]int(nil), target...)
	p := t.copyOf(logits.X)
	loss, count := 0.0, 0.0
	for i, k := range target {
		if k == ignore {
			continue
		}
		if k < 0 || k >= classes {
			panic(fmt.Sprintf("tape: CrossEntropy: target[%d] is %d, there are %d classes", i, k, classes))
		}
		count++
		// Compute −log softmax from the logits: a probability that rounds to 0 would make it infinite.
		row := p.RawRowView(i)
		top := math.Inf(-1)
		for _, v := range row {
			top = max(top, v)
		}
		a := row[k]
		sum := 0.0
		for j, v := range row {
			row[j] = math.Exp(v - top)
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
		loss += math.Log(sum) - (a - top)
	}
	if count == 0 {
		panic("tape: CrossEntropy: every target is ignored")
	}
	return t.Op(t.scalar(loss/count), func(g *mat.Dense) {
		d := logits.Accumulate()
		if d == nil {
			return
		}
		w := g.At(0, 0) / count
		for i, k := range target {
			if k == ignore {
				continue
			}
			di := d.RawRowView(i)
			for j, v := range p.RawRowView(i) {
				di[j] += w * v
			}
			di[k] -= w
		}
	}, logits)
}
