//go:build !noasm && linux

package tsne

import (
	"math"
	"math/rand/v2"
	"testing"

	"overcomplete/internal/simd"
)

// TestKernels compares the assembly with the loops in Go, with the operands at the end of readable memory.
func TestKernels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 4))
	floats := func(n int) []float32 {
		v := make([]float32, n)
		for k := range v {
			v[k] = float32(rnd.NormFloat64())
		}
		return v
	}
	near := func(a, b float32) bool { return math.Abs(float64(a-b)) < 2e-5*(1+math.Abs(float64(b))) }
	for _, n := range []int{1, 2, 7, 15, 16, 17, 31, 32, 33, 100} {
		x, y, mass := atEnd(t, floats(n)), atEnd(t, floats(n)), atEnd(t, floats(n))
		own := &atEnd(t, []block{{x: [lanes]float32(floats(lanes)), y: [lanes]float32(floats(lanes))}})[0]
		for _, cells := range []bool{true, false} {
			begin := sums[float32]{z: [lanes]float32(floats(lanes)), x: [lanes]float32(floats(lanes)), y: [lanes]float32(floats(lanes))}
			want, got16, got8 := begin, &atEnd(t, []sums[float32]{begin})[0], &atEnd(t, []sums[float32]{begin})[0]
			if cells {
				repelCellsGo(x, y, mass, own, &want)
			} else {
				repelPointsGo(x, y, own, &want)
			}
			if simd.AVX512() && cells {
				repelCells16(n, &x[0], &y[0], &mass[0], own, got16)
			} else if simd.AVX512() {
				repelPoints16(n, &x[0], &y[0], own, got16)
			}
			if simd.AVX2() && cells {
				repelCells8(n, &x[0], &y[0], &mass[0], own, got8)
			} else if simd.AVX2() {
				repelPoints8(n, &x[0], &y[0], own, got8)
			}
			if simd.AVX512() && simd.AVX2() && *got8 != *got16 {
				t.Errorf("n = %d, cells %v: AVX2 and AVX-512 differ", n, cells)
			}
			for c := range lanes {
				if simd.AVX2() && !(near(got8.z[c], want.z[c]) && near(got8.x[c], want.x[c]) && near(got8.y[c], want.y[c])) {
					t.Fatalf("n = %d, cells %v: %v, want %v", n, cells, *got8, want)
				}
			}
		}
		if !simd.AVX512() {
			continue
		}
		const points = 50
		pos := atEnd(t, floats(2*points))
		col := make([]int32, n)
		for k := range col {
			col[k] = rnd.Int32N(points)
		}
		col[n-1] = points - 1
		col = atEnd(t, col)
		fx, fy := attractGo(col, mass, pos, 3)
		gx, gy := attract16(n, &col[0], &mass[0], &pos[0], 3)
		if !near(gx, fx) || !near(gy, fy) {
			t.Errorf("n = %d: attraction %v, %v, want %v, %v", n, gx, gy, fx, fy)
		}
	}
}
