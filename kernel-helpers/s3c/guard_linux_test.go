package s3c

import (
	"testing"
	"unsafe"

	"overcomplete/internal/simd"
	"overcomplete/kernel-helpers/internal/guard"
)

// fenced returns arrays that start or end at the boundary of readable memory.
func fenced(t *testing.T, most int) func(n, end int) []float32 {
	all := guard.Slice[float32](t, most)
	return func(n, end int) []float32 {
		if end == 1 {
			return all[len(all)-n:]
		}
		return all[:n:n]
	}
}

// TestGuard runs the assembly on memory next to protected pages.
func TestGuard(t *testing.T) {
	const most = 64 * 64
	var a [5]func(n, end int) []float32
	for i := range a {
		a[i] = fenced(t, most)
	}
	bits := fenced(t, most)
	simd.Each(func(name string) {
		for end := range 2 {
			for units := 1; units <= 9; units++ {
				for width := 16; width <= 64; width += 16 {
					var x [4][]float32
					for i := range x {
						x[i] = a[i](units*width, end)
						fill(x[i], 0.25)
					}
					c := &sweep{p: &x[0][0], h: &x[1][0], s: &x[2][0], m: &x[3][0], units: units, width: 4 * width,
						eta: 0.5, keep: 0.5, rho: 0.5, most: 1}
					param := a[4](units*inRow, end)
					fill(param, 0.5)
					c.param = &param[0]
					slabRows(c)
					spikeRows(c)
					spikeStoreRows(c)
					sums := a[4](3*width, end)
					c.param = &sums[0]
					if n := units * width / 8; n%4 == 0 {
						b := bits(n/4, end)
						c.bits = (*byte)(unsafe.Pointer(&b[0]))
						screenRows(c)
					}
					param = a[4]((pConstant+1)*width, end)
					fill(param, 0.5)
					c.param, c.stride, c.units = &param[0], 4*width, 1
					slabList(c)
					spikeList(c)
				}
			}
			for n := 16; n <= 64; n += 16 {
				column(a[0](n, end), a[1]((n-1)*20+1, end), 20)
			}
			for d := 16; d <= 160; d += 16 {
				respond(0.5, 0.5, a[0](d, end), a[1](d, end), a[2](d, end), a[3](d, end))
				for _, units := range []int{4, 8, 20} {
					w, r, m := a[0](units*d, end), a[1](d, end), a[2](units, end)
					dots(units, w, r, m)
					sums(w, m, r)
				}
			}
		}
	})
}
