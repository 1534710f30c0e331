package programs

import (
	"math"
	"math/cmplx"
)

//program:fft

func transform(x []complex128) []complex128 {
	n := len(x)
	if n == 1 {
		return x
	}
	even, odd := make([]complex128, n/2), make([]complex128, n/2)
	for k := range even {
		even[k], odd[k] = x[2*k], x[2*k+1]
	}
	even, odd = transform(even), transform(odd)
	y := make([]complex128, n)
	for k := range even {
		t := cmplx.Rect(1, -2*math.Pi*float64(k)/float64(n)) * odd[k]
		y[k], y[k+n/2] = even[k]+t, even[k]-t
	}
	return y
}

// FFT transforms 2ⁿ numbers and returns the sum of the absolute values of the result. It computes the fast Fourier
// transform of complex numbers by recursion.
func FFT(n int) float64 {
	x := make([]complex128, 1<<n)
	for k := range x {
		x[k] = complex(float64(k%17), float64(k*k%23))
	}
	sum := 0.0
	for _, y := range transform(x) {
		sum += cmplx.Abs(y)
	}
	return sum
}

//program:floydwarshall

// Shortest replaces each d[i][j], the length of the edge from node i to node j, with the length of the shortest path
// from i to j.
func Shortest(d [][]float64) {
	for k := range d {
		for i := range d {
			for j := range d {
				if through := d[i][k] + d[k][j]; through < d[i][j] {
					d[i][j] = through
				}
			}
		}
	}
}

// FloydWarshall returns the sum of the lengths of the shortest paths between all pairs of the n nodes of a
// graph.
func FloydWarshall(n int) float64 {
	d := make([][]float64, n)
	for i := range d {
		d[i] = make([]float64, n)
		for j := range d[i] {
			d[i][j] = float64((i*131+j*71)%997 + 1)
		}
		d[i][i] = 0
	}
	Shortest(d)
	total := 0.0
	for i := range d {
		for _, length := range d[i] {
			total += length
		}
	}
	return total
}

//program:kmeans

// KMeans clusters n points with 8 coordinates around 10 centers, in ten steps. It returns the sum of the squared
// distances of the points from the nearest centers, as measured in the last step. It uses Lloyd's algorithm for
// k-means.
func KMeans(n int) float64 {
	const k, dim = 10, 8
	points := make([][]float64, n)
	seed := 1
	for i := range points {
		points[i] = make([]float64, dim)
		for j := range points[i] {
			seed = (seed*1103515245 + 12345) & 0x7fffffff
			points[i][j] = float64(i%k) + float64(seed)/0x80000000*4
		}
	}
	centers := make([][]float64, k)
	for c := range centers {
		centers[c] = append([]float64(nil), points[c]...)
	}
	inertia := 0.0
	for range 10 {
		inertia = 0
		counts := make([]int, k)
		sums := make([][]float64, k)
		for c := range sums {
			sums[c] = make([]float64, dim)
		}
		for _, p := range points {
			nearest, least := 0, math.Inf(1)
			for c, center := range centers {
				d := 0.0
				for j, x := range p {
					d += (x - center[j]) * (x - center[j])
				}
				if d < least {
					nearest, least = c, d
				}
			}
			inertia += least
			counts[nearest]++
			for j, x := range p {
				sums[nearest][j] += x
			}
		}
		for c, sum := range sums {
			for j := range sum {
				if counts[c] > 0 {
					centers[c][j] = sum[j] / float64(counts[c])
				}
			}
		}
	}
	return inertia
}

//program:ista

// Shrink moves x towards zero by t.
func Shrink(x, t float64) float64 {
	if math.Abs(x) <= t {
		return 0
	}
	if x > 0 {
		return x - t
	}
	return x + t
}

// Code returns coefficients z that approximately minimize ½‖y - dz‖² + lambda‖z‖₁. It starts at zero and takes the
// given number of steps, whose size is rate.
func Code(d [][]float64, y []float64, lambda, rate float64, steps int) []float64 {
	z := make([]float64, len(d[0]))
	residual := make([]float64, len(y))
	for range steps {
		for i, row := range d {
			r := -y[i]
			for j, a := range row {
				r += a * z[j]
			}
			residual[i] = r
		}
		for j := range z {
			g := 0.0
			for i := range d {
				g += d[i][j] * residual[i]
			}
			z[j] = Shrink(z[j]-rate*g, rate*lambda)
		}
	}
	return z
}

// ISTA returns the L1 norm of a code of 128 coefficients after n steps. It finds a sparse code by iterative shrinkage
// and thresholding, written with plain loops.
func ISTA(n int) float64 {
	d := make([][]float64, 64)
	y := make([]float64, 64)
	for i := range d {
		d[i] = make([]float64, 128)
		for j := range d[i] {
			d[i][j] = float64((i*37+j*61)%101-50) * 0.01
		}
		y[i] = float64(i*29%17-8) * 0.125
	}
	norm := 0.0
	for _, c := range Code(d, y, 0.05, 0.002, n) {
		norm += math.Abs(c)
	}
	return norm
}
