package programs

import (
	"math"
	"math/big"
)

//program:sum

// Sum returns the sum of i/2 for i from 0 to n-1. It adds up numbers in a loop.
func Sum(n int) float64 {
	s := 0.0
	for i := 0; i < n; i++ {
		s += float64(i) * 0.5
	}
	return s
}

//program:fib

// fib returns the n-th Fibonacci number.
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

// Fib returns the n-th Fibonacci number. It calls itself.
func Fib(n int) int { return fib(n) }

//program:sieve

// Sieve returns the number of primes up to n.
func Sieve(n int) int {
	composite := make([]bool, n+1)
	primes := 0
	for i := 2; i <= n; i++ {
		if composite[i] {
			continue
		}
		primes++
		for j := i * i; j <= n; j += i {
			composite[j] = true
		}
	}
	return primes
}

//program:mandelbrot

// Mandelbrot returns the sum of the escape times of n×n points. No point is iterated for more than 100 steps. It
// counts steps of the Mandelbrot iteration.
func Mandelbrot(n int) int {
	total := 0
	for py := 0; py < n; py++ {
		y0 := float64(py)/float64(n)*2.5 - 1.25
		for px := 0; px < n; px++ {
			x0 := float64(px)/float64(n)*3 - 2
			x, y := 0.0, 0.0
			k := 0
			for k < 100 && x*x+y*y <= 4 {
				x, y = x*x-y*y+x0, 2*x*y+y0
				k++
			}
			total += k
		}
	}
	return total
}

//program:globals

var (
	place = 0.25
	rate  = 3.75
	above = 0
)

// Globals takes n steps of the logistic map, and returns how many of them end above one half. It keeps the
// state of the map in package variables, as a cell keeps its state in session variables.
func Globals(n int) int {
	place, above = 0.25, 0
	for i := 0; i < n; i++ {
		place = rate * place * (1 - place)
		if place > 0.5 {
			above++
		}
	}
	return above
}

//program:nbody

// A Body has a position, a velocity and a mass.
type Body struct {
	X, Y, Z    float64
	VX, VY, VZ float64
	Mass       float64
}

// Advance moves the bodies forward in time by dt, and updates their velocities.
func Advance(bodies []Body, dt float64) {
	for i := range bodies {
		a := &bodies[i]
		for j := i + 1; j < len(bodies); j++ {
			b := &bodies[j]
			dx, dy, dz := a.X-b.X, a.Y-b.Y, a.Z-b.Z
			d2 := dx*dx + dy*dy + dz*dz
			mag := dt / (d2 * math.Sqrt(d2))
			a.VX -= dx * b.Mass * mag
			a.VY -= dy * b.Mass * mag
			a.VZ -= dz * b.Mass * mag
			b.VX += dx * a.Mass * mag
			b.VY += dy * a.Mass * mag
			b.VZ += dz * a.Mass * mag
		}
	}
	for i := range bodies {
		b := &bodies[i]
		b.X += dt * b.VX
		b.Y += dt * b.VY
		b.Z += dt * b.VZ
	}
}

// Energy returns the total energy of the bodies, kinetic and potential.
func Energy(bodies []Body) float64 {
	e := 0.0
	for i, a := range bodies {
		e += 0.5 * a.Mass * (a.VX*a.VX + a.VY*a.VY + a.VZ*a.VZ)
		for _, b := range bodies[i+1:] {
			dx, dy, dz := a.X-b.X, a.Y-b.Y, a.Z-b.Z
			e -= a.Mass * b.Mass / math.Sqrt(dx*dx+dy*dy+dz*dz)
		}
	}
	return e
}

// NBody returns the energy after n steps. It simulates the sun and four planets under gravity. Each body is a struct.
func NBody(n int) float64 {
	bodies := []Body{
		{0, 0, 0, 0, 0, 0, 39.5},
		{4.8, -1.2, -0.1, 0.6, 2.8, -0.02, 0.038},
		{8.3, 4.1, -0.4, -1.0, 1.8, 0.008, 0.011},
		{12.9, -15.1, -0.2, 1.1, 0.9, -0.01, 0.0017},
		{15.4, -25.9, 0.2, 1.0, 0.6, -0.03, 0.002},
	}
	for range n {
		Advance(bodies, 0.001)
	}
	return Energy(bodies)
}

//program:factorial

// Factorial returns the sum of the digits of n!. It multiplies and divides large integers.
func Factorial(n int) int64 {
	f := big.NewInt(1)
	for i := 2; i <= n; i++ {
		f.Mul(f, big.NewInt(int64(i)))
	}
	ten, digit := big.NewInt(10), new(big.Int)
	sum := int64(0)
	for f.Sign() > 0 {
		f.QuoRem(f, ten, digit)
		sum += digit.Int64()
	}
	return sum
}

//program:dot

// dot returns the scalar product of a and b, which have the same length.
func dot(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

// Dot computes the scalar product of two vectors of length n five times, and returns the sum of the results.
func Dot(n int) float64 {
	a, b := make([]float64, n), make([]float64, n)
	for i := range a {
		a[i] = float64(i%1000) * 0.25
		b[i] = float64(i%777) * 0.5
	}
	s := 0.0
	for range 5 {
		s += dot(a, b)
	}
	return s
}

//program:life

func step(from, to [][]bool) {
	n := len(from)
	for y := range n {
		for x := range n {
			neighbors := 0
			for dy := -1; dy <= 1; dy++ {
				row := from[(y+dy+n)%n]
				for dx := -1; dx <= 1; dx++ {
					if (dx != 0 || dy != 0) && row[(x+dx+n)%n] {
						neighbors++
					}
				}
			}
			to[y][x] = neighbors == 3 || neighbors == 2 && from[y][x]
		}
	}
}

// Life plays 20 generations of Conway's Game of Life on a torus of n×n cells, and returns a checksum of the living
// cells.
func Life(n int) int {
	board, next := make([][]bool, n), make([][]bool, n)
	seed := 1
	for y := range n {
		board[y], next[y] = make([]bool, n), make([]bool, n)
		for x := range n {
			seed = (seed*1103515245 + 12345) & 0x7fffffff
			board[y][x] = (seed>>16)%3 == 0
		}
	}
	for range 20 {
		step(board, next)
		board, next = next, board
	}
	sum := 0
	for y := range n {
		for x := range n {
			if board[y][x] {
				sum += x + 7*y
			}
		}
	}
	return sum
}
