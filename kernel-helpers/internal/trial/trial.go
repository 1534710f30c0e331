// Package trial is for tests of numerical methods. It draws small data sets that are hard for floating-point
// arithmetic, and solves small problems with 400 binary digits. So a test can compare a model with the exact model,
// whatever the units of the data.
package trial

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/patience"
)

// Count returns the number of cases for a test: few in ordinary runs, and many if the tests are to leave nothing out
// (see patience.All).
func Count(few, many int) int {
	if patience.All() {
		return many
	}
	return few
}

// Normal returns an r×c matrix of independent normal numbers with mean 0 and standard deviation scale, which it draws
// row by row.
func Normal(rng *rand.Rand, r, c int, scale float64) *mat.Dense {
	x := make([]float64, r*c)
	for i := range x {
		x[i] = scale * rng.NormFloat64()
	}
	return mat.NewDense(r, c, x)
}

// Features returns n points with d features (n×d). It draws the features from normal distributions, and then changes
// some of them at random: it changes their units or origins, makes them constant, or makes them equal or nearly equal
// to another feature. It may also move one point far away. A good solver must be able to handle such data. The
// returned text says what was changed.
func Features(rng *rand.Rand, n, d int) (*mat.Dense, string) {
	X := Normal(rng, n, d, 1)
	var done []string
	say := func(format string, a ...any) { done = append(done, fmt.Sprintf(format, a...)) }
	power := func(lo, hi float64) float64 { return math.Pow(10, lo+(hi-lo)*rng.Float64()) }
	each := func(j int, f func(i int, x float64) float64) {
		for i := range n {
			X.Set(i, j, f(i, X.At(i, j)))
		}
	}
	for j := range d {
		from := rng.IntN(max(1, j))
		switch kind := rng.IntN(10); {
		case kind == 0:
			c := power(-8, 8)
			each(j, func(int, float64) float64 { return c })
			say("column %d is %g", j, c)
		case kind == 1:
			each(j, func(int, float64) float64 { return 0 })
			say("column %d is 0", j)
		case kind == 2 && j > 0:
			each(j, func(i int, _ float64) float64 { return X.At(i, from) })
			say("column %d is column %d", j, from)
		case kind == 3 && j > 0:
			s := power(-9, -3)
			spread := 0.0
			for i := range n {
				spread = math.Max(spread, math.Abs(X.At(i, from)-X.At(0, from)))
			}
			each(j, func(i int, x float64) float64 { return X.At(i, from) + s*spread*x })
			say("column %d is column %d but for %g", j, from, s)
		case kind < 6:
			s, shift := power(-8, 8), power(0, 8)
			each(j, func(_ int, x float64) float64 { return s * (x + shift) })
			say("column %d + %g, times %g", j, shift, s)
		case kind < 8:
			s := power(-8, 8)
			each(j, func(_ int, x float64) float64 { return s * x })
			say("column %d times %g", j, s)
		}
	}
	if rng.IntN(5) == 0 {
		i, s := rng.IntN(n), power(1, 8)
		for j := range d {
			X.Set(i, j, s*X.At(i, j))
		}
		say("point %d times %g", i, s)
	}
	return X, strings.Join(done, ", ")
}

// Number is a number with 400 binary digits.
type Number = *big.Float

const digits = 400

// Of returns x as a Number.
func Of(x float64) Number { return new(big.Float).SetPrec(digits).SetFloat64(x) }

// Add returns a + b.
func Add(a, b Number) Number { return Of(0).Add(a, b) }

// Sub returns a − b.
func Sub(a, b Number) Number { return Of(0).Sub(a, b) }

// Mul returns ab.
func Mul(a, b Number) Number { return Of(0).Mul(a, b) }

// Quo returns a/b.
func Quo(a, b Number) Number { return Of(0).Quo(a, b) }

// Float returns a as a float64.
func Float(a Number) float64 {
	f, _ := a.Float64()
	return f
}

// Dot returns Σ a_i b_i.
func Dot(a, b []Number) Number {
	s := Of(0)
	for i, v := range a {
		s.Add(s, Mul(v, b[i]))
	}
	return s
}

// Columns returns the columns of X.
func Columns(X mat.Matrix) [][]Number {
	n, d := X.Dims()
	c := make([][]Number, d)
	for j := range c {
		for i := range n {
			c[j] = append(c[j], Of(X.At(i, j)))
		}
	}
	return c
}

// Centered returns x minus its mean, and the mean.
func Centered(x []Number) ([]Number, Number) {
	mean := Of(0)
	for _, v := range x {
		mean.Add(mean, v)
	}
	mean.Quo(mean, Of(float64(len(x))))
	c := make([]Number, len(x))
	for i, v := range x {
		c[i] = Sub(v, mean)
	}
	return c, mean
}

// Gram returns the matrix of inner products of the columns.
func Gram(columns [][]Number) [][]Number {
	G := make([][]Number, len(columns))
	for i := range G {
		G[i] = make([]Number, len(columns))
		for j := range i + 1 {
			G[i][j] = Dot(columns[i], columns[j])
			G[j][i] = G[i][j]
		}
	}
	return G
}

// Solve returns the solution of Hz = g for a symmetric and positive semidefinite H. It returns nil if H is
// singular, which means that a pivot has lost 200 binary digits.
func Solve(H [][]Number, g []Number) []Number {
	n := len(g)
	A := make([][]Number, n)
	least := make([]Number, n)
	for i, row := range H {
		for _, v := range row {
			A[i] = append(A[i], Of(0).Set(v))
		}
		A[i] = append(A[i], Of(0).Set(g[i]))
		least[i] = Of(0).SetMantExp(H[i][i], -200)
	}
	for k := range n {
		if A[k][k].Cmp(least[k]) <= 0 {
			return nil
		}
		for i := k + 1; i < n; i++ {
			t := Quo(A[i][k], A[k][k])
			for j := k; j <= n; j++ {
				A[i][j] = Sub(A[i][j], Mul(t, A[k][j]))
			}
		}
	}
	z := make([]Number, n)
	for k := n - 1; k >= 0; k-- {
		s := A[k][n]
		for j := k + 1; j < n; j++ {
			s = Sub(s, Mul(A[k][j], z[j]))
		}
		z[k] = Quo(s, A[k][k])
	}
	return z
}

// Signs calls f with each vector of d signs. A sign is −1, 0 or 1; if the argument nonnegative is set, it is 0 or 1. f
// must not keep the vector.
func Signs(d int, nonnegative bool, f func(sign []int)) {
	sign := make([]int, d)
	least := -1
	if nonnegative {
		least = 0
	}
	var next func(j int)
	next = func(j int) {
		if j == d {
			f(sign)
			return
		}
		for s := least; s <= 1; s++ {
			sign[j] = s
			next(j + 1)
		}
	}
	next(0)
}

// Quadratic minimizes ½z'Gz − c'z + Σ_j weight_j |z_j| by trying all signs. If the argument nonnegative is set, the
// minimum is over z >= 0 only. (There is a minimizer whose nonzero elements have linearly independent columns, so these
// elements solve a linear system.) Quadratic returns the minimum and a minimizer.
func Quadratic(G [][]Number, c, weight []Number, nonnegative bool) (least Number, at []Number) {
	d := len(c)
	least = Of(math.Inf(1))
	Signs(d, nonnegative, func(sign []int) {
		var in []int
		for j, s := range sign {
			if s != 0 {
				in = append(in, j)
			}
		}
		H, g := make([][]Number, len(in)), make([]Number, len(in))
		for a, i := range in {
			for _, j := range in {
				H[a] = append(H[a], G[i][j])
			}
			g[a] = Sub(c[i], Mul(Of(float64(sign[i])), weight[i]))
		}
		z := Solve(H, g)
		if z == nil {
			return
		}
		for a, i := range in {
			if z[a].Sign()*sign[i] < 0 {
				return
			}
		}
		// The minimum of ½z'Hz − g'z is −½g'z.
		if f := Mul(Of(-0.5), Dot(g, z)); f.Cmp(least) < 0 {
			least, at = f, make([]Number, d)
			for j := range at {
				at[j] = Of(0)
			}
			for a, i := range in {
				at[i] = z[a]
			}
		}
	})
	return least, at
}

// Box minimizes ½z'Gz − c'z over 0 <= z_j <= top_j, where top_j may be +Inf. If total is not nil, its elements are
// signs, and the sum Σ total_j z_j must be 0. Box tries every choice of which variables z_j are 0, which are top_j, and
// which are in between. (There is a minimizer for which the variables in between have linearly independent columns, so
// these variables solve a linear system.) Box returns the minimum and a minimizer.
func Box(G [][]Number, c []Number, top []float64, total []float64) (least Number, at []Number) {
	d := len(c)
	least = Of(math.Inf(1))
	Signs(d, false, func(place []int) { // −1 is at 0, 1 is at top, 0 is between
		z := make([]Number, d)
		var in []int
		for j, p := range place {
			switch {
			case p == 1 && math.IsInf(top[j], 1):
				return
			case p == 1:
				z[j] = Of(top[j])
			case p == -1:
				z[j] = Of(0)
			default:
				z[j] = Of(0)
				in = append(in, j)
			}
		}
		H, g, one := make([][]Number, len(in)), make([]Number, len(in)), make([]Number, len(in))
		rest := Of(0) // −Σ total_j z_j of the fixed variables
		for j, v := range z {
			if total != nil {
				rest = Sub(rest, Mul(Of(total[j]), v))
			}
		}
		for a, i := range in {
			g[a] = c[i]
			for j, v := range z {
				g[a] = Sub(g[a], Mul(G[i][j], v))
			}
			for _, j := range in {
				H[a] = append(H[a], G[i][j])
			}
			if total != nil {
				one[a] = Of(total[i])
			}
		}
		free := Solve(H, g)
		if free == nil {
			return
		}
		if total != nil {
			if len(in) == 0 {
				if rest.Sign() != 0 {
					return
				}
			} else { // H z = g − μ one, and one'z = rest
				lift := Solve(H, one)
				mu := Quo(Sub(Dot(one, free), rest), Dot(one, lift))
				for a := range free {
					free[a] = Sub(free[a], Mul(mu, lift[a]))
				}
			}
		}
		for a, i := range in {
			if z[i] = free[a]; z[i].Sign() < 0 || z[i].Cmp(Of(top[i])) > 0 {
				return
			}
		}
		f := Of(0)
		for i, v := range z {
			f = Add(f, Mul(v, Sub(Mul(Of(0.5), Dot(G[i], z)), c[i])))
		}
		if f.Cmp(least) < 0 {
			least, at = f, z
		}
	})
	return least, at
}
