package regress

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/twofloat"
)

// exactData solves ridge problems for which float64 has too few digits to compute with X̃'X̃. If the condition number
// of X̃, with columns scaled to length 1, is κ, the condition number of X̃'X̃ is κ². In float64, the solution loses
// all digits when κ is 1e8. Here each element of X̃'X̃ and of its Cholesky factor is a sum of two float64, so all
// digits are lost only when κ is 1e15.
type exactData struct {
	X     *csr.Matrix // n×d: from each column its shift is subtracted, and the difference is multiplied by the column's unit
	shift []float64   // d: 0 or a number near the column's mean
	unit  []float64   // d: powers of two; 0 for a constant column
	// In the dual, all columns that are not constant have this unit.
	common float64
	mean   []twofloat.Number   // d: the means of the columns of X
	ratio  float64             // the largest |mean|/deviation of a column before the shift
	y      [][]twofloat.Number // ỹ of each target
	my     []twofloat.Number   // ȳ of each target
	s      []twofloat.Number   // weights of the points; nil means 1
	total  twofloat.Number     // the sum of the weights
	G      [][]twofloat.Number
	dual   bool
}

// errDependent means that the condition number is too large even for the digits of twofloat.Number.
var errDependent = errors.New("the features are linearly dependent up to rounding")

// veryFar is the ratio of a column's mean to its deviation above which the mean is subtracted beforehand.
// This subtraction has no rounding error, because all numbers of the column are within a factor of 2 of the
// mean. Without it, products lose twice as many digits as the ratio has.
const veryFar = 1e4

// newExactData prepares the data of c. The equations use X̃X̃' if dual is set, otherwise X̃'X̃. The powers of two by
// which columns are multiplied suit penalties of about alpha.
func newExactData(ctx context.Context, c *centeredData, dual bool, alpha float64) (*exactData, error) {
	S := c.S
	if S == nil {
		S = csr.Of(c.raw)
	}
	n, d := c.n, c.d
	e := &exactData{dual: dual, shift: make([]float64, d), unit: make([]float64, d), mean: make([]twofloat.Number, d)}
	means, squares, _ := S.Moments()
	ptr, col, val := S.Raw()
	nonzeros, columns := make([]int, d), make([]int, len(col))
	for p, j := range col {
		nonzeros[j]++
		columns[p] = int(j)
	}
	e.common = rootUnit(floats.Sum(squares)/float64(n) + alpha)
	for j, m := range means {
		if c.constant[j] {
			continue
		}
		if squares[j] > 0 {
			ratio := math.Abs(m) * math.Sqrt(float64(n)/squares[j])
			e.ratio = math.Max(e.ratio, ratio)
			if ratio > veryFar && nonzeros[j] == n {
				e.shift[j] = m
			}
		}
		e.unit[j] = e.common
		if !e.dual {
			e.unit[j] = rootUnit(squares[j] + alpha)
		}
	}
	scaled := make([]float64, len(val))
	sums := make([]twofloat.Number, d)
	e.total = twofloat.Of(float64(n))
	if c.s != nil {
		e.total = twofloat.Number{}
		for _, w := range c.s {
			e.s = append(e.s, twofloat.Of(w))
			e.total = e.total.Add(twofloat.Of(w))
		}
	}
	for i := range n {
		for p := ptr[i]; p < ptr[i+1]; p++ {
			j := columns[p]
			scaled[p] = (val[p] - e.shift[j]) * e.unit[j]
			sums[j] = sums[j].Add(e.weighted(i, twofloat.Of(scaled[p])))
		}
	}
	for j, s := range sums {
		e.mean[j] = s.Quo(e.total)
	}
	var err error
	if e.X, err = csr.New(n, d, ptr, columns, scaled); err != nil {
		return nil, err
	}
	for _, t := range c.targets {
		var mean twofloat.Number
		for i, v := range t.raw {
			mean = mean.Add(e.weighted(i, twofloat.Of(v)))
		}
		mean = mean.Quo(e.total)
		y := make([]twofloat.Number, n)
		for i, v := range t.raw {
			y[i] = twofloat.Of(v).Add(mean.Neg())
		}
		e.my, e.y = append(e.my, mean), append(e.y, y)
	}
	return e, e.gram(ctx)
}

// weighted returns v times the weight of point i.
func (e *exactData) weighted(i int, v twofloat.Number) twofloat.Number {
	if e.s == nil {
		return v
	}
	return v.Mul(e.s[i])
}

// rooted returns v times the square root of the weight of point i.
func (e *exactData) rooted(i int, v twofloat.Number) twofloat.Number {
	if e.s == nil {
		return v
	}
	return v.Mul(e.s[i].Sqrt())
}

// rootUnit returns the power of two nearest to 1/√v, on a logarithmic scale, or 1 if v is 0.
func rootUnit(v float64) float64 {
	if v == 0 {
		return 1
	}
	return math.Ldexp(1, -int(math.Round(math.Log2(v)/2)))
}

// gram computes e.G: S^½X̃X̃'S^½ if e.dual is set, otherwise X̃'SX̃, where S is the diagonal matrix of the points'
// weights. Afterwards, only the elements G_ik with k >= i are valid.
func (e *exactData) gram(ctx context.Context) error {
	A := e.X // one row of A for each row of G
	if !e.dual {
		A = e.X.Transpose()
	}
	m, _ := A.Dims()
	B := A.Transpose()
	e.G = make([][]twofloat.Number, m)
	parallel.Do(m, 0, func(i int) {
		if ctx.Err() != nil {
			return
		}
		row := make([]twofloat.Number, m)
		col, val := A.View(i)
		for p, j := range col {
			k, v := B.View(int(j))
			if e.s == nil || e.dual {
				axpy(val[p], k, v, row)
				continue
			}
			t := twofloat.Product(e.s[j].Hi, val[p])
			axpy(t.Hi, k, v, row)
			axpy(t.Lo, k, v, row)
		}
		e.G[i] = row
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	mean, all := e.mean, twofloat.Number{}
	if e.dual {
		mean = make([]twofloat.Number, m)
		for i, row := range e.G {
			for k, v := range row {
				mean[i] = mean[i].Add(e.weighted(k, v))
			}
			mean[i] = mean[i].Quo(e.total)
			all = all.Add(e.weighted(i, mean[i]))
		}
		all = all.Quo(e.total)
	}
	for i, row := range e.G {
		for k := i; k < m; k++ {
			if e.dual {
				row[k] = e.rooted(i, e.rooted(k, row[k].Add(mean[i].Neg()).Add(mean[k].Neg()).Add(all)))
			} else {
				row[k] = row[k].Add(mean[i].Mul(mean[k]).Mul(e.total.Neg()))
			}
		}
	}
	return nil
}

// axpy adds t v to the elements of row at the indices k.
func axpy(t float64, k []int32, v []float64, row []twofloat.Number) {
	for q, i := range k {
		r := &row[i]
		p := twofloat.Product(t, v[q])
		s := twofloat.Sum(r.Hi, p.Hi)
		*r = twofloat.Sum(s.Hi, s.Lo+(r.Lo+p.Lo))
	}
}

// solve returns the model of each target for one α. It returns errDependent if even twice the digits of float64 are
// too few.
func (e *exactData) solve(ctx context.Context, alpha float64) ([]*Linear, error) {
	m := len(e.G)
	// The matrix to factor is D(G + αI)D, where D holds powers of two that make the diagonal about 1. H is that
	// diagonal.
	H, D := make([]twofloat.Number, m), make([]float64, m)
	for i := range m {
		unit := e.common
		if !e.dual {
			unit = e.unit[i]
		}
		H[i] = e.G[i][i].Add(twofloat.Product(alpha*unit, unit))
		if unit == 0 && alpha > 0 {
			H[i] = twofloat.Of(1) // w_i is 0
		}
		if !(H[i].Hi > 0) {
			return nil, errDependent
		}
		D[i] = rootUnit(H[i].Hi)
		H[i] = H[i].Mul(twofloat.Product(D[i], D[i]))
	}
	L, cond, err := e.factor(ctx, H, D)
	if err != nil {
		return nil, err
	}
	// If a column was computed in float64 as a combination of others, its last place may be wrong, by ε times its mean.
	// So without a penalty, a smaller difference cannot be distinguished from rounding errors.
	most := 1e27
	if alpha == 0 {
		most /= 1 + e.ratio*e.ratio
	}
	if !(cond < most) {
		return nil, errDependent
	}
	models := make([]*Linear, len(e.y))
	for t := range models {
		models[t] = e.model(t, L, D, alpha)
	}
	return models, nil
}

// model returns the model of target t, given the factor L of D(G + αI)D.
func (e *exactData) model(t int, L [][]twofloat.Number, D []float64, alpha float64) *Linear {
	n, d := e.X.Dims()
	m := len(L)
	u := make([]twofloat.Number, n)
	for i, v := range e.y[t] {
		if e.dual {
			u[i] = e.rooted(i, v)
		} else {
			u[i] = e.weighted(i, v)
		}
	}
	if !e.dual {
		u = e.transposedTimes(u)
	}
	for i := range u {
		u[i] = u[i].Mul(twofloat.Of(D[i]))
	}
	for i := range u { // u = L⁻¹u
		u[i] = minusDot(u[i], L[i][:i], u[:i]).Quo(L[i][i])
	}
	for i := m - 1; i >= 0; i-- { // u = L'⁻¹u
		for k := i + 1; k < m; k++ {
			u[i] = u[i].Add(L[k][i].Mul(u[k]).Neg())
		}
		u[i] = u[i].Quo(L[i][i])
	}
	for i := range u {
		u[i] = u[i].Mul(twofloat.Of(D[i]))
	}
	if e.dual {
		mean := twofloat.Number{}
		for i, v := range u {
			u[i] = e.rooted(i, v)
			mean = mean.Add(u[i])
		}
		mean = mean.Quo(e.total)
		for i := range u {
			u[i] = u[i].Add(e.weighted(i, mean).Neg())
		}
		u = e.transposedTimes(u)
	}
	out := &Linear{W: make([]float64, d), Alpha: alpha}
	b := e.my[t]
	for j := range d {
		out.W[j] = u[j].Float() * e.unit[j]
		if e.unit[j] > 0 {
			b = b.Add(twofloat.Product(-out.W[j], e.shift[j])).Add(e.mean[j].Mul(twofloat.Of(-out.W[j] / e.unit[j])))
		}
	}
	out.Intercept = b.Float()
	return out
}

// transposedTimes returns X̃'a for an a whose elements sum to 0. For such an a, X̃'a = X'a.
func (e *exactData) transposedTimes(a []twofloat.Number) []twofloat.Number {
	_, d := e.X.Dims()
	p := make([]twofloat.Number, d)
	for i, v := range a {
		col, val := e.X.View(i)
		for q, j := range col {
			p[j] = p[j].Add(v.Mul(twofloat.Of(val[q])))
		}
	}
	return p
}

// factor returns the Cholesky factor of D(G + αI)D, a lower triangle stored by rows, and the condition number of D(G +
// αI)D. In this product, D is the diagonal matrix with the elements of the argument D, and G is e.G. The argument H
// holds the diagonal of the product.
func (e *exactData) factor(ctx context.Context, H []twofloat.Number, D []float64) ([][]twofloat.Number, float64, error) {
	m := len(H)
	L := make([][]twofloat.Number, m)
	for i := range L {
		L[i] = make([]twofloat.Number, i+1)
	}
	const rows = 16 // for one call to the function below
	for j := range m {
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		pivot := minusDot(H[j], L[j][:j], L[j][:j])
		if !(pivot.Hi > 0) {
			return nil, 0, errDependent
		}
		L[j][j] = pivot.Sqrt()
		parallel.Do((m-j-1+rows-1)/rows, 0, func(block int) {
			from := j + 1 + block*rows
			for i := from; i < min(from+rows, m); i++ {
				g := e.G[j][i].Mul(twofloat.Product(D[i], D[j]))
				L[i][j] = minusDot(g, L[i][:j], L[j][:j]).Quo(L[j][j])
			}
		})
	}
	R := mat.NewTriDense(m, mat.Upper, nil)
	for i := range m {
		for j := range i + 1 {
			R.SetTri(j, i, L[i][j].Float())
		}
	}
	var chol mat.Cholesky
	chol.SetFromU(R)
	return L, chol.Cond(), nil
}

// minusDot returns g − a'b.
func minusDot(g twofloat.Number, a, b []twofloat.Number) twofloat.Number {
	hi, lo := g.Hi, g.Lo
	for k, x := range a {
		y := b[k]
		p := twofloat.Product(x.Hi, y.Hi)
		p.Lo = math.FMA(x.Hi, y.Lo, p.Lo)
		p.Lo = math.FMA(x.Lo, y.Hi, p.Lo)
		s := twofloat.Sum(hi, -p.Hi)
		hi, lo = s.Hi, lo+(s.Lo-p.Lo)
	}
	return twofloat.Sum(hi, lo)
}
