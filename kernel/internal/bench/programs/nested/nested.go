// Package nested smooths an image by nested loops over slices.
package nested

// Run convolves an image of n×n pixels with a 5×5 window and adds up the result.
func Run(n int) float64 {
	picture := make([][]float64, n)
	for i := range picture {
		picture[i] = make([]float64, n)
		for j := range picture[i] {
			picture[i][j] = float64(i * j % 255)
		}
	}
	window := make([][]float64, 5)
	for i := range window {
		window[i] = make([]float64, 5)
		for j := range window[i] {
			window[i][j] = 1 / float64(1+(i-2)*(i-2)+(j-2)*(j-2))
		}
	}
	total := 0.0
	for i := 2; i < n-2; i++ {
		for j := 2; j < n-2; j++ {
			s := 0.0
			for k, row := range window {
				for l, w := range row {
					s += w * picture[i+k-2][j+l-2]
				}
			}
			total += s
		}
	}
	return total
}
