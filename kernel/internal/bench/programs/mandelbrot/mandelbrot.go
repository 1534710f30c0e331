// Package mandelbrot counts steps of the Mandelbrot iteration.
package mandelbrot

// Run returns the sum of the escape times of n×n points. No point is iterated for more than 100 steps.
func Run(n int) int {
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
