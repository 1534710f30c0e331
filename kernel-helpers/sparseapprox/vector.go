package sparseapprox

//go:generate go run ./gen -isa avx512 -out avx512_amd64.s -stubs avx512_amd64.go -pkg sparseapprox
//go:generate go run ./gen -isa avx2 -out avx2_amd64.s -stubs avx2_amd64.go -pkg sparseapprox
//go:generate go run ./gen -isa neon -out neon_arm64.s -stubs neon_arm64.go -pkg sparseapprox

// These are Go versions of the assembly (see gen). They are used on processors without assembly, and in tests of the
// assembly.

func axpyPortable[T float32 | float64](a T, x, y []T) {
	x = x[:len(y)]
	for i, v := range x {
		y[i] += a * v
	}
}

func axpy4Portable[T float32 | float64](f *[4]T, a, b, c, d, y []T) {
	n := len(y)
	a, b, c, d = a[:n], b[:n], c[:n], d[:n]
	for i, v := range y {
		y[i] = v + f[0]*a[i] + f[1]*b[i] + f[2]*c[i] + f[3]*d[i]
	}
}

func dotPortable(x, y []float64) float64 {
	x = x[:len(y)]
	var s0, s1, s2, s3 float64 // four sums, because each addition to a single sum would wait for the previous one
	for len(y) >= 4 {
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s0 += v * y[i]
	}
	return (s0 + s1) + (s2 + s3)
}

func excessPortable(q, bound []float32, sign float32) (worst float32) {
	bound = bound[:len(q)]
	for j, v := range q {
		if sign*v > v {
			v = -v
		}
		if v -= bound[j]; v > worst {
			worst = v
		}
	}
	return worst
}

func abovePortable(q, bound []float32, sign, least float32, bits []uint64) {
	bound = bound[:len(q)]
	clear(bits[:(len(q)+63)/64])
	for j, v := range q {
		if max(v, sign*v)-bound[j] >= least {
			bits[j/64] |= 1 << (j % 64)
		}
	}
}

// A rows adds multiples of vectors, such as the rows of a matrix, to y. It collects four vectors and their factors
// before it adds them, so that y is read and written only once for four vectors.
type rows struct {
	y []float64
	m int
	f [4]float64
	a [4][]float64
}

func (r *rows) add(f float64, a []float64) {
	r.f[r.m], r.a[r.m] = f, a
	if r.m++; r.m == 4 {
		axpy4(&r.f, r.a[0], r.a[1], r.a[2], r.a[3], r.y)
		r.m = 0
	}
}

// addRest adds the multiples, at most three, that have been collected but not yet added. It must be called at the end.
func (r *rows) addRest() {
	for i := range r.m {
		axpy(r.f[i], r.a[i], r.y)
	}
	r.m = 0
}
