package regress

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/constant"
	"overcomplete/kernel-helpers/internal/subset"
)

// A centered computes X̃ = X − 1m' and ỹ = y − ȳ, where m holds the means of the columns. It does so block by
// block, whenever they are needed, because that takes no memory, and little time compared with the products.
type centered struct {
	X        *mat.Dense
	y        []float64
	u        []float64 // square roots of the points' weights; nil means 1
	mean     []float64
	my       float64
	flat     bool  // y is constant
	constant []int // the constant columns, which count as 0
	rows     int   // the number of points in a block
}

func newCentered(X *mat.Dense, y, weights []float64) *centered {
	n, d := X.Dims()
	c := &centered{X: X, y: y, u: roots(weights), mean: means(X, weights), my: mean(y, weights), flat: constant.Values(y), rows: min(n, max(128, 1<<16/(d+2)))}
	for j, same := range constant.Columns(X) {
		if same {
			c.constant = append(c.constant, j)
		}
	}
	return c
}

// blocks calls do for blocks of the given points, in order; nil means all points. A has d+2 columns: those of X̃, ỹ, and
// u. If points have weights, the rows of X̃ and ỹ are multiplied by u. do must not keep A. When ctx is done, blocks
// returns ctx's error.
func (c *centered) blocks(ctx context.Context, points []int, do func(A []float64, rows int)) error {
	d := len(c.mean)
	m, n := d+2, len(points)
	if points == nil {
		n = len(c.y)
	}
	A := make([]float64, min(c.rows, n)*m)
	for from := 0; from < n; from += c.rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := min(c.rows, n-from)
		for r := range rows {
			a, i := A[r*m:(r+1)*m], from+r
			if points != nil {
				i = points[i]
			}
			floats.SubTo(a[:d], c.X.RawRowView(i), c.mean)
			for _, j := range c.constant { // otherwise the rounding error of the mean would count as a feature
				a[j] = 0
			}
			if a[d] = c.y[i] - c.my; c.flat {
				a[d] = 0
			}
			if a[d+1] = 1; c.u != nil {
				floats.Scale(c.u[i], a)
			}
		}
		do(A[:rows*m], rows)
	}
	return nil
}

// products returns the products of all pairs of columns of the blocks of the given points, as a (d+2)×(d+2) matrix
// with only the upper half set, and the number of blocks. The sum of a block's products starts at 0, so that
// rounding errors do not grow with n, but with the size and the number of the blocks.
func (c *centered) products(ctx context.Context, points []int) (sum []float64, blocks int, err error) {
	m := len(c.mean) + 2
	sum = make([]float64, m*m)
	part := make([]float64, m*m)
	err = c.blocks(ctx, points, func(A []float64, rows int) {
		gemm.BLAS{}.Dsyrk(blas.Upper, blas.Trans, m, rows, 1, A, m, 0, part, m)
		floats.Add(sum, part)
		blocks++
	})
	return sum, blocks, err
}

// A gram is the state of coordinate descent on the Gram matrix X̃'X̃, for data with many more points than features. A
// change to one coefficient takes time proportional to d, not n.
//
// The Gram matrix has only half of the data's digits: if columns nearly depend on each other, its minimum is not that
// of the data. So the objective and the gap of a model never rely on the descent alone. Its objective is computed from
// the data, and its duality gap from the data or with a bound on all rounding errors of the Gram matrix. If they are
// not good enough, descent on the data continues where the descent on the Gram matrix has stopped
// (lassoProblem.polish).
type gram struct {
	data     *centered // nil if the points are only a part of those that were centered
	mean     []float64
	my       float64
	d        int
	n        float64   // the sum of the weights
	yy       float64   // ‖ỹ‖²
	G        []float64 // d×d: X̃'X̃; row j is returned by the method row
	c        []float64 // d: X̃'ỹ
	left     []float64 // d+1: the weighted sums of the columns and of y, after data.mean and data.my were subtracted
	length   []float64 // d: at least ‖x̃_j‖
	height   float64   // at least ‖ỹ‖
	rounding float64   // the elements of G and c are off by at most this, times the lengths of the two columns

	all  []int
	w, g []float64 // d: the coefficients, and X̃'(ỹ − X̃w)
	q    []float64 // d: g/n − μw, set by gap
}

// The Gram matrix is worth its time for up to gramPerAlpha features for each α: it takes nd²/2 multiplications, in a
// fast product, whereas descent on the data takes several times nd for each α, in slower products. The limit
// rises by one feature for every gramPoints points, but by gramMore at most, because descent on the data begins with a
// copy of X. More than gramMost features would take too long between two checks of the context.
const gramPerAlpha, gramPoints, gramMore, gramMost = 16, 64, 64, 2000

// suitsGram reports whether descent on the Gram matrix is faster than descent on the data, for a path of the given
// number of alphas. It is not faster if most of X is 0, because columns are then compressed.
func suitsGram(X mat.Matrix, alphas int) bool {
	D, ok := X.(*mat.Dense)
	if !ok {
		return false
	}
	n, d := D.Dims()
	if n < 2*d || d > min(gramMost, gramPerAlpha*alphas+min(gramMore, n/gramPoints)) {
		return false
	}
	enough := sparseShare * float64(n) * float64(d)
	nonzeros := 0
	for i := range n {
		for _, x := range D.RawRowView(i) {
			if x != 0 {
				nonzeros++
			}
		}
		if float64(nonzeros) > enough {
			return true
		}
	}
	return false
}

// newGram returns the state at w = 0. It returns nil if ctx is done, or if the data are out of range. X must not change
// as long as the state is in use.
func newGram(ctx context.Context, X *mat.Dense, y, weights []float64) *gram {
	c := newCentered(X, y, weights)
	sum, blocks, err := c.products(ctx, nil)
	if err != nil {
		return nil
	}
	same := make([]bool, len(c.mean)+1)
	same[len(c.mean)] = c.flat
	for _, j := range c.constant {
		same[j] = true
	}
	s := c.gram(sum, blocks, same)
	if s != nil {
		s.data = c
	}
	return s
}

// gram returns the state at w = 0 for some points, given the sum of their products, the number of blocks, and which of
// the columns, and of y after them, are constant. The state takes over the sum. It returns nil if squares could
// overflow or underflow, or if the means of these points are so far from c.mean that digits are lost.
func (c *centered) gram(sum []float64, blocks int, same []bool) *gram {
	d := len(c.mean)
	m := d + 2
	zeros := func() []float64 { return make([]float64, d) }
	s := &gram{d: d, n: sum[m*m-1], G: sum, c: zeros(), length: zeros(), mean: zeros(), w: zeros(), g: zeros(), q: zeros(), left: make([]float64, d+1)}
	// A sum of products of a block is off by at most rows·2⁻⁵³. The other terms are for the sum of the blocks, for sums
	// of d products with w, and for the subtraction of the means and the multiplication by the weights.
	s.rounding = float64(c.rows+blocks+2*d+16) * 0x1p-53
	const most, least = 1e290, 1e-280
	for j := range s.left {
		s.left[j] = sum[j*m+d+1]
	}
	at := func(j, k int) float64 { return sum[j*m+k] - s.left[j]/s.n*s.left[k] }
	inRange := func(j int) bool { return sum[j*m+j] <= most && at(j, j) >= least && sum[j*m+j] <= 2*at(j, j) }
	s.my = c.my + s.left[d]/s.n
	flat := same[d]
	if !flat {
		if !inRange(d) {
			return nil
		}
		s.yy, s.height = at(d, d), math.Sqrt(sum[d*m+d])
	}
	for j := range d {
		s.all = append(s.all, j)
		s.mean[j] = c.mean[j] + s.left[j]/s.n
		if same[j] {
			continue
		}
		if !inRange(j) {
			return nil
		}
		s.length[j] = math.Sqrt(sum[j*m+j])
		if !flat {
			s.c[j] = at(j, d)
		}
	}
	for j := range d { // in place, which saves memory
		for k := j; k < d; k++ {
			v := 0.0
			if !same[j] && !same[k] {
				v = at(j, k)
			}
			sum[j*m+k], sum[k*m+j] = v, v
		}
	}
	s.restart()
	return s
}

// grams returns a function that returns the state for the points outside fold f, computed from the sum of the other
// folds' products. This function returns nil if there is no such state (see the method gram). grams itself returns nil
// if the method does not suit the data, or if ctx is done. Each point must be in exactly one fold.
func grams(ctx context.Context, X mat.Matrix, y, weights []float64, folds [][]int, alphas int) func(f int) *gram {
	n, d := X.Dims()
	largest := 0
	for _, fold := range folds {
		largest = max(largest, len(fold))
	}
	// The products of the folds must not take more memory than X.
	if n-largest < 2*d || len(folds)*(d+2)*(d+2) > n*d || !suitsGram(X, alphas) || weights != nil && slices.Min(weights) == 0 {
		return nil
	}
	c := newCentered(X.(*mat.Dense), y, weights)
	sums, blocks := make([][]float64, len(folds)), make([]int, len(folds))
	lo, hi := make([][]float64, len(folds)), make([][]float64, len(folds))
	for f, fold := range folds {
		var err error
		if sums[f], blocks[f], err = c.products(ctx, fold); err != nil {
			return nil
		}
		lo[f], hi[f] = ranges(c.X, fold)
		of := subset.Values(y, fold)
		lo[f], hi[f] = append(lo[f], slices.Min(of)), append(hi[f], slices.Max(of))
	}
	return func(f int) *gram {
		sum, total := make([]float64, (d+2)*(d+2)), 0
		for g := range folds {
			if g != f {
				floats.Add(sum, sums[g])
				total += blocks[g] + 1
			}
		}
		same := make([]bool, d+1)
		for j := range same {
			low, high := math.Inf(1), math.Inf(-1)
			for g := range folds {
				if g != f {
					low, high = min(low, lo[g][j]), max(high, hi[g][j])
				}
			}
			same[j] = constant.Range(low, high)
		}
		return c.gram(sum, total, same)
	}
}

// ranges returns the smallest and the largest number of each column among the given points. For columns that are not
// constant, it returns NaN instead, which takes less time.
func ranges(X *mat.Dense, points []int) (lo, hi []float64) {
	_, d := X.Dims()
	lo, hi = slices.Repeat([]float64{math.Inf(1)}, d), slices.Repeat([]float64{math.Inf(-1)}, d)
	left := make([]int, d) // columns in which all numbers so far are equal
	for j := range left {
		left[j] = j
	}
	for _, i := range points {
		row := X.RawRowView(i)
		left = slices.DeleteFunc(left, func(j int) bool {
			lo[j], hi[j] = min(lo[j], row[j]), max(hi[j], row[j])
			if constant.Range(lo[j], hi[j]) {
				return false
			}
			lo[j], hi[j] = math.NaN(), math.NaN()
			return true
		})
	}
	return lo, hi
}

// alphaMax returns ‖X̃'ỹ‖_∞/n.
func (s *gram) alphaMax() float64 { return floats.Norm(s.c, math.Inf(1)) / s.n }

// row returns row j of X̃'X̃.
func (s *gram) row(j int) []float64 { return s.G[j*(s.d+2):][:s.d] }

func (s *gram) coefficients() []float64 { return s.w }

// restart computes g from w, which removes the rounding errors of earlier updates.
func (s *gram) restart() {
	copy(s.g, s.c)
	for j, w := range s.w {
		if w != 0 {
			floats.AddScaled(s.g, -w, s.row(j))
		}
	}
}

func (s *gram) save() (restore func()) {
	g := append([]float64{}, s.g...)
	return func() { copy(s.g, g) }
}

// square returns ‖ỹ − X̃w‖². It is y'y − w'(c + g), which rounding can make negative.
func (s *gram) square() float64 {
	return math.Max(0, s.yy-floats.Dot(s.w, s.c)-floats.Dot(s.w, s.g))
}

func (s *gram) value(_ []int, alpha, mu float64) float64 {
	f := s.square() / (2 * s.n)
	for _, w := range s.w {
		f += alpha*math.Abs(w) + mu/2*w*w
	}
	return f
}

func (s *gram) sweep(features []int, alpha, mu float64) (move float64) {
	alpha, mu = alpha*s.n, mu*s.n
	for _, j := range features {
		row := s.row(j)
		h := row[j]
		if h == 0 { // constant feature
			continue
		}
		old := s.w[j]
		u, v := s.g[j]+h*old, 0.0
		if u > alpha {
			v = (u - alpha) / (h + mu)
		} else if u < -alpha {
			v = (u + alpha) / (h + mu)
		}
		if v != old {
			s.w[j], move = v, 1
			floats.AddScaled(s.g, old-v, row)
		}
	}
	return move
}

// gap returns F and the duality gap as the method gap of descent does, but from the Gram matrix, with its rounding
// errors.
func (s *gram) gap(features []int, alpha, mu float64) (objective, gap float64) {
	top := 0.0
	for _, j := range features {
		s.q[j] = s.g[j]/s.n - mu*s.w[j]
		top = max(top, math.Abs(s.q[j]))
	}
	return gapOf(s.w, s.square(), s.yy-floats.Dot(s.w, s.c), top, s.n, alpha, mu)
}

// size returns an upper bound on ‖ỹ − X̃w‖. The rounding errors of products with w are proportional to this bound.
func (s *gram) size() float64 {
	size := s.height
	for j, w := range s.w {
		size += math.Abs(w) * s.length[j]
	}
	return size
}

// gradient returns a bound on ‖X̃'(ỹ − X̃w)/n − μw‖_∞ that allows for the rounding errors of g.
func (s *gram) gradient(mu float64) (top float64) {
	e := s.rounding * s.size()
	for j, w := range s.w {
		top = max(top, (math.Abs(s.g[j]-s.n*mu*w)+e*s.length[j])/s.n)
	}
	return top
}

// gapOf returns F and the duality gap (see the method gap of descent), given ‖r‖², r'ỹ, and top, which is at least
// ‖X̃'r/n − μw‖_∞.
func gapOf(w []float64, rr, ry, top, n, alpha, mu float64) (objective, gap float64) {
	l1 := floats.Norm(w, 1)
	rr += n * mu * floats.Dot(w, w)
	objective = rr/(2*n) + alpha*l1
	c := 1.0
	if top > alpha {
		c = alpha / top
	}
	// ‖ỹ‖² − ‖ỹ − cr‖² = 2c r'ỹ − c²‖r‖²
	return objective, objective - (2*c*ry-c*c*rr)/(2*n)
}

// solve descends for alpha, starting at the current w, as the method solve of descent does. The returned model has no
// Objective and no Gap yet, and its Status is Interrupted if ctx was done before the descent, otherwise
// IterationLimit.
func (s *gram) solve(ctx context.Context, alpha float64, o LassoOptions) *Lasso {
	const patience = 5 // working sets after which only rounding errors are left if the gap no longer falls
	m := &Lasso{Status: ended.IterationLimit}
	l1, l2 := alpha*o.L1Ratio, alpha*(1-o.L1Ratio)
	enough := o.enough(s.yy, s.n)
	limit := min(o.MaxIterations, slowSweeps)
	var working []int
	best, idle := math.Inf(1), 0
	for {
		s.restart()
		_, gap := s.gap(s.all, l1, l2)
		m.History = append(m.History, gap)
		if idle++; gap < best {
			best, idle = gap, 0
		}
		if gap <= enough || m.Iterations >= limit || idle == patience {
			break
		}
		if ctx.Err() != nil {
			m.Status = ended.Interrupted
			break
		}
		working = choose(working[:0], s.w, s.q, l1)
		sweeps(ctx, s, m, working, l1, l2, max(enough/2, gap/10), limit)
	}
	m.W = append([]float64{}, s.w...)
	m.finish(s.my, s.mean, alpha)
	return m
}

// isProved reports whether the Gram matrix proves that the gap of m is small enough, whatever the rounding errors of
// the Gram matrix are. If so, it also sets Objective and Gap of m.
func (s *gram) isProved(m *Lasso, o LassoOptions) bool {
	objective, gap := s.provedGap(m.W, m.Alpha*o.L1Ratio, m.Alpha*(1-o.L1Ratio))
	if !(gap <= o.enough(s.yy, s.n)) {
		return false
	}
	m.Objective, m.Gap, m.Status = objective, gap, ended.Converged
	m.History[len(m.History)-1] = gap
	return true
}

// provedGap returns F at w, up to rounding errors, and a number that is at least the distance of F from its minimum,
// whatever the rounding errors of G and c are.
func (s *gram) provedGap(w []float64, alpha, mu float64) (objective, gap float64) {
	copy(s.w, w)
	s.restart()
	objective, gap = gapOf(w, s.square(), s.yy-floats.Dot(w, s.c), s.gradient(mu), s.n, alpha, mu)
	// Each of the products ỹ'ỹ, w'c and w'g is off by at most rounding·size². There are three in ‖r‖², which counts
	// twice, and two in r'ỹ, which is doubled.
	return objective, gap + 10*s.rounding*s.size()*s.size()/(2*s.n)
}

// certify computes Objective and Gap of the models from the data. However, if bounds on the elements of X̃'r that come
// from the Gram matrix suffice to show that the gap is small enough, it uses these bounds, which takes half the time.
func (s *gram) certify(models []*Lasso, o LassoOptions) {
	var open []*Lasso
	for t, r := range s.residuals(models, false) {
		m := models[t]
		copy(s.w, m.W)
		s.restart()
		alpha, mu := m.Alpha*o.L1Ratio, m.Alpha*(1-o.L1Ratio)
		m.Objective, m.Gap = gapOf(m.W, r.rr, r.ry, s.gradient(mu), s.n, alpha, mu)
		if !(m.Gap <= o.enough(s.yy, s.n)) {
			open = append(open, m)
		}
	}
	if len(open) > 0 {
		for t, r := range s.residuals(open, true) {
			m := open[t]
			alpha, mu := m.Alpha*o.L1Ratio, m.Alpha*(1-o.L1Ratio)
			top := 0.0
			for j, w := range m.W {
				top = max(top, math.Abs(r.xr[j]/s.n-mu*w))
			}
			m.Objective, m.Gap = gapOf(m.W, r.rr, r.ry, top, s.n, alpha, mu)
		}
	}
	for _, m := range models {
		m.History[len(m.History)-1] = m.Gap
	}
}

// sums holds products with the residual r of a model: ‖r‖², r'ỹ and X̃'r.
type sums struct {
	rr, ry float64
	xr     []float64
}

// residuals computes products with the residuals of the models from the data. X̃'r is computed only if all is set.
func (s *gram) residuals(models []*Lasso, all bool) []sums {
	m, k := s.d+2, len(models)
	V := make([]float64, m*k) // [X̃ ỹ u] V has the residuals as its columns
	for t, model := range models {
		for j, w := range model.W {
			V[j*k+t] = -w
		}
		V[s.d*k+t] = 1
	}
	first := s.d // of the columns of [X̃ ỹ u] that are multiplied by the residuals
	if all {
		first = 0
	}
	R := make([]float64, s.data.rows*k)
	sum, part := make([]float64, (m-first)*k), make([]float64, (m-first)*k)
	rr, squares := make([]float64, k), make([]float64, k)
	s.data.blocks(context.Background(), nil, func(A []float64, rows int) {
		R := R[:rows*k]
		gemm.BLAS{}.Dgemm(blas.NoTrans, blas.NoTrans, rows, k, m, 1, A, m, V, k, 0, R, k)
		gemm.BLAS{}.Dgemm(blas.Trans, blas.NoTrans, m-first, k, rows, 1, A[first:], m, R, k, 0, part, k)
		floats.Add(sum, part)
		clear(squares)
		addSquares(squares, R)
		floats.Add(rr, squares)
	})
	at := func(j, t int) float64 { return sum[(j-first)*k+t] }
	products := make([]sums, k)
	for t := range products {
		// The rounding errors of the means leave a multiple of u in the columns and in the residual.
		rest := at(s.d+1, t) / s.n
		products[t].rr = max(0, rr[t]-rest*rest*s.n)
		products[t].ry = at(s.d, t) - s.left[s.d]*rest
		if all {
			for j := range s.d {
				products[t].xr = append(products[t].xr, at(j, t)-s.left[j]*rest)
			}
		}
	}
	return products
}

// addSquares adds the squares of the rows of R, which are as long as sum, to sum.
func addSquares(sum, R []float64) {
	k := len(sum)
	for ; len(R) >= 4*k; R = R[4*k:] { // four rows at a time take less time
		a, b, c, d := R[:k], R[k:][:k], R[2*k:][:k], R[3*k:][:k]
		for t, v := range a {
			sum[t] += v*v + b[t]*b[t] + (c[t]*c[t] + d[t]*d[t])
		}
	}
	for ; len(R) > 0; R = R[k:] {
		for t, v := range R[:k] {
			sum[t] += v * v
		}
	}
}
