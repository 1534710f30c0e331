package native

import (
	"slices"
	"testing"
	"time"
	"unsafe"

	rc "overcomplete/kernel/internal/regcode"
)

// A sample is a function as register code and as compiled Go.
type sample struct {
	code     func() *rc.Code
	numbers  []uint64
	pointers []unsafe.Pointer
	compiled func()
}

// product returns code for the naive matrix product. The parameters are n and *a, *b, *c, which are slices of
// slices.
func product() *rc.Code {
	a := newAsm().numbers("n").pointers("a", "b", "c").constant("zero", 0).real("none", 0)
	a.op(rc.OpMove, "i", "zero")
	a.loop("rows")
	a.branch(rc.OpIfLT, "i", "n", "", "end")
	a.op(rc.OpMove, "j", "zero")
	a.loop("columns")
	a.branch(rc.OpIfLT, "j", "n", "", "next row")
	a.op(rc.OpMove, "k", "zero")
	a.op(rc.OpMove, "s", "none")
	a.loop("sum")
	a.branch(rc.OpIfLT, "k", "n", "", "store")
	a.op(rc.OpElem, "*ai", "*a", "i", "n").Imm = 24
	a.op(rc.OpLoadP, "*ar", "*ai")
	a.op(rc.OpLoad64, "arn", "*ai").Imm = 8
	a.op(rc.OpAt64, "x", "*ar", "k", "arn")
	a.op(rc.OpElem, "*bk", "*b", "k", "n").Imm = 24
	a.op(rc.OpLoadP, "*br", "*bk")
	a.op(rc.OpLoad64, "brn", "*bk").Imm = 8
	a.op(rc.OpAt64, "y", "*br", "j", "brn")
	a.op(rc.OpFMul, "xy", "x", "y")
	a.op(rc.OpFAdd, "s1", "s", "xy")
	a.add("k1", "k", 1)
	a.op(rc.OpMove, "s", "s1")
	a.op(rc.OpMove, "k", "k1")
	a.jump("sum")
	a.label("store")
	a.op(rc.OpElem, "*ci", "*c", "i", "n").Imm = 24
	a.op(rc.OpLoadP, "*cr", "*ci")
	a.op(rc.OpLoad64, "crn", "*ci").Imm = 8
	a.op(rc.OpSet64, "s", "*cr", "j", "crn")
	a.add("j1", "j", 1)
	a.op(rc.OpMove, "j", "j1")
	a.jump("columns")
	a.label("next row")
	a.add("i1", "i", 1)
	a.op(rc.OpMove, "i", "i1")
	a.jump("rows")
	a.label("end")
	a.op(rc.OpReturn)
	return a.done()
}

func multiply(a, b, c [][]float64) {
	n := len(a)
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			s := 0.0
			for k := 0; k < n; k++ {
				s += a[i][k] * b[k][j]
			}
			c[i][j] = s
		}
	}
}

// mandelbrot returns code that counts the iterations of z² + c for n points. The code's parameter is n, and its
// result is the count.
func mandelbrot() *rc.Code {
	a := newAsm().numbers("n").constant("zero", 0).constant("most", 100).real("none", 0).real("step", 0.01).real("left", -2).real("y", 0.3).real("four", 4).real("two", 2)
	a.op(rc.OpMove, "i", "zero")
	a.op(rc.OpMove, "count", "zero")
	a.loop("points")
	a.branch(rc.OpIfLT, "i", "n", "", "end")
	a.op(rc.OpIntFloat, "fi", "i")
	a.op(rc.OpFMul, "dx", "fi", "step")
	a.op(rc.OpFAdd, "cx", "left", "dx")
	a.op(rc.OpMove, "x", "none")
	a.op(rc.OpMove, "z", "none")
	a.op(rc.OpMove, "t", "zero")
	a.op(rc.OpMove, "c2", "count")
	a.loop("turns")
	a.branch(rc.OpIfLT, "t", "most", "", "next")
	a.op(rc.OpFMul, "xx", "x", "x")
	a.op(rc.OpFMul, "zz", "z", "z")
	a.op(rc.OpFAdd, "r", "xx", "zz")
	a.branch(rc.OpIfFLT, "four", "r", "next", "")
	a.op(rc.OpFSub, "d", "xx", "zz")
	a.op(rc.OpFAdd, "x1", "d", "cx")
	a.op(rc.OpFMul, "xz", "x", "z")
	a.op(rc.OpFMul, "xz2", "xz", "two")
	a.op(rc.OpFAdd, "z1", "xz2", "y")
	a.add("t1", "t", 1)
	a.add("c3", "c2", 1)
	a.op(rc.OpMove, "x", "x1")
	a.op(rc.OpMove, "z", "z1")
	a.op(rc.OpMove, "t", "t1")
	a.op(rc.OpMove, "c2", "c3")
	a.jump("turns")
	a.label("next")
	a.op(rc.OpMove, "count", "c2")
	a.add("i1", "i", 1)
	a.op(rc.OpMove, "i", "i1")
	a.jump("points")
	a.label("end")
	a.op(rc.OpMove, "n", "count")
	a.op(rc.OpReturn)
	return a.done()
}

func mandelbrotCompiled(n int) (count int) {
	for i := range n {
		cx, cy := -2+float64(i)*0.01, 0.3
		x, y := 0.0, 0.0
		for t := 0; t < 100; t++ {
			xx, yy := x*x, y*y
			if xx+yy > 4 {
				break
			}
			x, y = xx-yy+cx, x*y*2+cy
			count++
		}
	}
	return count
}

// sieve returns code for a prime sieve; the parameter n is the length of *s.
func sieve() *rc.Code {
	a := newAsm().numbers("n").pointers("s").constant("two", 2).constant("one", 1).constant("zero", 0)
	a.op(rc.OpMove, "i", "two")
	a.op(rc.OpMove, "count", "zero")
	a.loop("numbers")
	a.branch(rc.OpIfLT, "i", "n", "", "end")
	a.op(rc.OpAt8, "b", "*s", "i", "n")
	a.op(rc.OpMove, "c1", "count")
	a.branch(rc.OpIf, "b", "", "next", "")
	a.add("c2", "count", 1)
	a.op(rc.OpMove, "c1", "c2")
	a.op(rc.OpAdd, "ii", "i", "i")
	a.op(rc.OpMove, "j", "ii")
	a.loop("strike")
	a.branch(rc.OpIfLT, "j", "n", "", "next")
	a.op(rc.OpSet8, "one", "*s", "j", "n")
	a.op(rc.OpAdd, "j1", "j", "i")
	a.op(rc.OpMove, "j", "j1")
	a.jump("strike")
	a.label("next")
	a.op(rc.OpMove, "count", "c1")
	a.add("i1", "i", 1)
	a.op(rc.OpMove, "i", "i1")
	a.jump("numbers")
	a.label("end")
	a.op(rc.OpMove, "n", "count")
	a.op(rc.OpReturn)
	return a.done()
}

func sieveCompiled(s []bool) (count int) {
	for i := 2; i < len(s); i++ {
		if !s[i] {
			count++
			for j := i + i; j < len(s); j += i {
				s[j] = true
			}
		}
	}
	return count
}

func matrix(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
		for j := range m[i] {
			m[i][j] = float64(i*j%7) / 3
		}
	}
	return m
}

var kept int

func samples() map[string]sample {
	x := make([]float64, 100_000)
	for i := range x {
		x[i] = float64(i)
	}
	const size = 100
	a, b, c := matrix(size), matrix(size), matrix(size)
	s := make([]bool, 100_000)
	return map[string]sample{
		"squares": {func() *rc.Code { return sumOfSquares(new(byte)) }, []uint64{uint64(len(x))}, []unsafe.Pointer{slicePointer(x)}, func() {
			s := 0.0
			for i := range x {
				s += x[i] * x[i]
			}
			kept += int(s)
		}},
		"product":    {product, []uint64{size}, []unsafe.Pointer{slicePointer(a), slicePointer(b), slicePointer(c)}, func() { multiply(a, b, c) }},
		"mandelbrot": {mandelbrot, []uint64{300}, nil, func() { kept += mandelbrotCompiled(300) }},
		"sieve":      {sieve, []uint64{uint64(len(s))}, []unsafe.Pointer{slicePointer(s)}, func() { clear(s); kept += sieveCompiled(s) }},
	}
}

// BenchmarkRatio reports the time of native loops as a multiple of the time of compiled Go, as the median of
// alternating runs.
func BenchmarkRatio(b *testing.B) {
	force(b, nil)
	for name, s := range samples() {
		b.Run(name, func(b *testing.B) {
			code := s.code()
			run := func() { do(nil, code, s.numbers, s.pointers, 0) }
			run()
			var native, compiled []float64
			timed := func(f func()) float64 {
				began := time.Now()
				f()
				return time.Since(began).Seconds()
			}
			for b.Loop() {
				for range 15 {
					native = append(native, timed(run))
					compiled = append(compiled, timed(s.compiled))
				}
			}
			slices.Sort(native)
			slices.Sort(compiled)
			b.ReportMetric(1e6*native[len(native)/2], "native-µs")
			b.ReportMetric(native[len(native)/2]/compiled[len(compiled)/2], "ratio")
		})
	}
}
