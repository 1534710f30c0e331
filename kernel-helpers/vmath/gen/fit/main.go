// Command fit computes the polynomials of package vmath and prints them as the
// source of package coefficients. It is run by hand:
//
//	go run ./kernel-helpers/vmath/gen/fit > kernel-helpers/internal/coefficients/coefficients.go
//
// Each polynomial P is minimax: it minimizes the largest |w(x) (P(x) − g(x))| on an interval. g is a power
// series, and the weight w makes this the relative error of the function that uses P. The method is Remez's
// exchange with 300-bit numbers (E. W. Cheney, Introduction to Approximation Theory, 1966, section 3.8). The
// coefficients are then rounded, and the printed error is that of the rounded coefficients.
package main

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"os"
)

const (
	prec  = 300  // bits
	terms = 240  // of the power series; |x| <= 0.4143, so the remainder is below 2^-300
	grid  = 3000 // number of points in the search for the extrema
)

// A problem describes one polynomial to compute: the function g that it approximates, the interval, the weight of the
// error, and the number of coefficients.
type problem struct {
	name, doc string
	n         int                        // number of coefficients
	bits      int                        // 53 or 24
	lo, hi    float64                    // the interval
	term      func(k int64) *big.Rat     // coefficient of x^k in g
	weight    func(x, g float64) float64 // w(x), given g(x)
}

// split is sqrt(2) − 1: log reduces its argument to 1+f, −0.2929 <= f <= split.
const split = math.Sqrt2 - 1

var problems = []problem{
	{
		name: "ExpTail64",
		doc:  "e^r = 1 + r + r²/2 + r³ P(r), |r| <= log(2)/2",
		n:    9, bits: 53, lo: -math.Ln2 / 2, hi: math.Ln2 / 2,
		term:   inverseFactorial(3),
		weight: func(r, g float64) float64 { return r * r * r / math.Exp(r) },
	},
	{
		name: "ExpTail32",
		doc:  "e^r = 1 + r + r²/2 + r³ P(r), |r| <= log(2)/2",
		n:    4, bits: 24, lo: -math.Ln2 / 2, hi: math.Ln2 / 2,
		term:   inverseFactorial(3),
		weight: func(r, g float64) float64 { return r * r * r / math.Exp(r) },
	},
	{
		name: "LogTail64",
		doc:  "log(1+f) = 2s + s z P(z), s = f/(2+f), z = s², |s| <= (√2−1)/(√2+1)",
		n:    7, bits: 53, lo: 0, hi: split / (2 + split) * split / (2 + split),
		term:   func(k int64) *big.Rat { return big.NewRat(2, 2*k+3) },
		weight: func(z, g float64) float64 { return z / (2 + z*g) },
	},
	{
		name: "LogTail32",
		doc:  "log(1+f) = f − f²/2 + f³ P(f), 1/√2 <= 1+f <= √2",
		n:    8, bits: 24, lo: math.Sqrt2/2 - 1, hi: split,
		term: func(k int64) *big.Rat { return big.NewRat(1-2*(k&1), k+3) },
		weight: func(f, g float64) float64 {
			if f == 0 {
				return 0
			}
			return f * f * f / math.Log1p(f)
		},
	},
}

// inverseFactorial returns the function that maps k to 1/(k+first)!.
func inverseFactorial(first int64) func(k int64) *big.Rat {
	return func(k int64) *big.Rat {
		return new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).MulRange(1, k+first))
	}
}

func float(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }

func horner(c []*big.Float, x *big.Float) *big.Float {
	y := float(0)
	for k := len(c) - 1; k >= 0; k-- {
		y.Mul(y, x)
		y.Add(y, c[k])
	}
	return y
}

// series returns the coefficients of the power series of g, as many as are needed.
func (p problem) series() []*big.Float {
	c := make([]*big.Float, terms)
	for k := range c {
		c[k] = float(0).SetRat(p.term(int64(k)))
	}
	return c
}

// solve returns the coefficients of the polynomial P whose weighted error |w(x)| (P(x) − g(x)) has the same size at
// all n+1 points in the argument x. The sign of the error alternates from point to point. The argument g holds the
// coefficients of the power series of the function g.
func (p problem) solve(x []float64, g []*big.Float) []*big.Float {
	a := make([][]*big.Float, len(x)) // rows: 1, x, …, x^(n−1), ∓1/|w|, g(x)
	for i := range a {
		xi, v := float(x[i]), float(1)
		for range p.n {
			a[i] = append(a[i], v)
			v = float(0).Mul(v, xi)
		}
		gi := horner(g, xi)
		g64, _ := gi.Float64()
		e := float(1 / math.Abs(p.weight(x[i], g64)))
		if i%2 == 1 {
			e.Neg(e)
		}
		a[i] = append(a[i], e, gi)
	}
	n := len(x)
	for j := range n { // Gauss and Jordan, with pivots
		b := j
		for i := j; i < n; i++ {
			if float(0).Abs(a[i][j]).Cmp(float(0).Abs(a[b][j])) > 0 {
				b = i
			}
		}
		a[j], a[b] = a[b], a[j]
		for i := range n {
			if i == j {
				continue
			}
			q := float(0).Quo(a[i][j], a[j][j])
			for k := j; k <= n; k++ {
				a[i][k] = float(0).Sub(a[i][k], float(0).Mul(q, a[j][k]))
			}
		}
	}
	c := make([]*big.Float, p.n)
	for j := range c {
		c[j] = float(0).Quo(a[j][n], a[j][j])
	}
	return c
}

// extrema searches a grid of points for the largest weighted errors |w (P − g)|. c holds the coefficients of P, and g
// holds those of the power series. extrema divides the grid into stretches on which P − g has one sign. For each
// stretch, the slice called size holds the largest weighted error, and the slice called points holds the point where
// this error occurs. The result called largest is the largest weighted error of all.
func (p problem) extrema(c, g []*big.Float) (points, size []float64, largest float64) {
	last := 0
	for i := range grid + 1 {
		x := p.lo + (p.hi-p.lo)*float64(i)/grid
		gx := horner(g, float(x))
		g64, _ := gx.Float64()
		d, _ := float(0).Sub(horner(c, float(x)), gx).Float64()
		e := math.Abs(p.weight(x, g64) * d)
		sign := 1
		if d < 0 {
			sign = -1
		}
		if sign != last {
			points, size, last = append(points, x), append(size, e), sign
		}
		if j := len(points) - 1; e > size[j] {
			points[j], size[j] = x, e
		}
		largest = max(largest, e)
	}
	return points, size, largest
}

// fit returns the rounded coefficients, and the largest weighted error of the polynomial with these coefficients.
func (p problem) fit() ([]float64, float64, error) {
	g := p.series()
	x := make([]float64, p.n+1)
	for i := range x {
		// Avoid the middle of the range of the cosine, where w may be 0.
		x[i] = (p.lo+p.hi)/2 - (p.hi-p.lo)/2*math.Cos(math.Pi*(float64(i)+0.4)/(float64(p.n)+0.9))
	}
	for range 50 {
		c := p.solve(x, g)
		at, size, largest := p.extrema(c, g)
		for len(at) > p.n+1 { // drop the end with the smaller error
			if size[0] < size[len(size)-1] {
				at, size = at[1:], size[1:]
			} else {
				at, size = at[:len(at)-1], size[:len(size)-1]
			}
		}
		if len(at) < p.n+1 {
			return nil, 0, fmt.Errorf("%s: the error changes its sign %d times instead of %d", p.name, len(at)-1, p.n)
		}
		smallest := size[0]
		for _, s := range size {
			smallest = min(smallest, s)
		}
		if largest < 1.001*smallest {
			rounded, out := make([]*big.Float, p.n), make([]float64, p.n)
			for j := range c {
				r := new(big.Float).SetPrec(uint(p.bits)).Set(c[j])
				out[j], _ = r.Float64()
				rounded[j] = float(out[j])
			}
			_, _, largest = p.extrema(rounded, g)
			return out, largest, nil
		}
		x = at
	}
	return nil, 0, fmt.Errorf("%s: no convergence", p.name)
}

func main() {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
	os.Stdout.Write(b.Bytes())
}

// write prints the source of coefficients.go.
func write(w *bytes.Buffer) error {
	fmt.Fprintln(w, "// Code generated by fit. DO NOT EDIT.\n\n// Package coefficients has the polynomials of package vmath's functions, for all that writes\n// code of them.\npackage coefficients")
	for _, p := range problems {
		c, e, err := p.fit()
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\n// %s: %s.\n// The largest relative error is 2^%.1f.\n", p.name, p.doc, math.Log2(e))
		fmt.Fprintf(w, "var %s = []float64{\n", p.name)
		for _, v := range c {
			fmt.Fprintf(w, "\t%v,\n", v)
		}
		fmt.Fprintln(w, "}")
	}
	return nil
}
