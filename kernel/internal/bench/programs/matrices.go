package programs

import (
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"math"
)

//program:matmul

// MatMul multiplies two n×n matrices and returns the trace of the product. The matrices are slices of rows.
func MatMul(n int) float64 {
	a, b, c := make([][]float64, n), make([][]float64, n), make([][]float64, n)
	for i := range a {
		a[i], b[i], c[i] = make([]float64, n), make([]float64, n), make([]float64, n)
		for j := range a[i] {
			a[i][j] = float64(i+2*j%7) * 0.5
			b[i][j] = float64(3*i%5-j) * 0.25
		}
	}
	for i := range a {
		for j := range c[i] {
			s := 0.0
			for k := range b {
				s += a[i][k] * b[k][j]
			}
			c[i][j] = s
		}
	}
	trace := 0.0
	for i := range c {
		trace += c[i][i]
	}
	return trace
}

//program:matat

// MatAt multiplies two n×n matrices and returns the trace of the product. It computes the product of two gonum
// matrices with their methods At and Set, which access one element at a time.
func MatAt(n int) float64 {
	a, b, c := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, float64((i*7+j*3)%11))
			b.Set(i, j, float64((i*5+j)%13))
		}
	}
	for i := range n {
		for j := range n {
			sum := 0.0
			for k := range n {
				sum += a.At(i, k) * b.At(k, j)
			}
			c.Set(i, j, sum)
		}
	}
	trace := 0.0
	for i := range n {
		trace += c.At(i, i)
	}
	return trace
}

//program:matflat

// Multiply returns the product of the n×n matrices a and b, stored row by row.
func Multiply(a, b []float64, n int) []float64 {
	c := make([]float64, n*n)
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			s := 0.0
			for k := 0; k < n; k++ {
				s += a[i*n+k] * b[k*n+j]
			}
			c[i*n+j] = s
		}
	}
	return c
}

// MatFlat multiplies two n×n matrices and returns the trace of the product. Each matrix is stored in one slice.
func MatFlat(n int) float64 {
	a, b := make([]float64, n*n), make([]float64, n*n)
	for i := range a {
		a[i] = float64(i%13) * 0.5
		b[i] = float64(i%17) * 0.25
	}
	c := Multiply(a, b, n)
	trace := 0.0
	for i := 0; i < n; i++ {
		trace += c[i*n+i]
	}
	return trace
}

//program:matapply

// MatApply applies a closure to each element of an n×n matrix and returns the sum of the resulting elements. It
// passes a closure to gonum's mat.Dense.Apply, which calls it for each element.
func MatApply(n int) float64 {
	a := mat.NewDense(n, n, nil)
	offset := 0.5
	a.Apply(func(i, j int, v float64) float64 { return v + float64(i-j)*offset + 1 }, a)
	return mat.Sum(a)
}

//program:lu

// LU factors an n×n matrix into two triangular matrices, with partial pivoting. It returns the logarithm of its
// determinant's absolute value.
func LU(n int) float64 {
	a := make([][]float64, n)
	seed := 1
	for i := range a {
		a[i] = make([]float64, n)
		for j := range a[i] {
			seed = (seed*1103515245 + 12345) & 0x7fffffff
			a[i][j] = float64(seed)/0x80000000 - 0.5
		}
	}
	for k := range n {
		pivot := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a[i][k]) > math.Abs(a[pivot][k]) {
				pivot = i
			}
		}
		a[k], a[pivot] = a[pivot], a[k]
		for i := k + 1; i < n; i++ {
			a[i][k] /= a[k][k]
			for j := k + 1; j < n; j++ {
				a[i][j] -= a[i][k] * a[k][j]
			}
		}
	}
	sum := 0.0
	for k := range n {
		sum += math.Log(math.Abs(a[k][k]))
	}
	return sum
}

//program:minimize

// Minimize minimizes a valley-shaped function of ten variables n times, from different starts. It returns the total
// number of calls to the function plus the sum of the minima. It passes a function and its gradient, both func
// literals, to gonum's optimize.Minimize.
func Minimize(n int) float64 {
	calls := 0
	problem := optimize.Problem{
		Func: func(x []float64) float64 {
			calls++
			f := 0.0
			for i := 0; i+1 < len(x); i++ {
				a, b := 1-x[i], x[i+1]-x[i]*x[i]
				f += a*a + 100*b*b
			}
			return f
		},
		Grad: func(grad, x []float64) {
			for i := range grad {
				grad[i] = 0
			}
			for i := 0; i+1 < len(x); i++ {
				a, b := 1-x[i], x[i+1]-x[i]*x[i]
				grad[i] += -2*a - 400*b*x[i]
				grad[i+1] += 200 * b
			}
		},
	}
	sum := 0.0
	for k := 0; k < n; k++ {
		start := make([]float64, 10)
		for i := range start {
			start[i] = float64((i+k)%5) * 0.2
		}
		result, err := optimize.Minimize(problem, start, nil, &optimize.BFGS{})
		if err != nil {
			panic(err)
		}
		sum += result.F
	}
	return sum + float64(calls)
}
