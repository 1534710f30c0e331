// Package appends grows a slice.
package appends

// Run appends n numbers one by one and returns their sum.
func Run(n int) int {
	var list []int
	for i := 0; i < n; i++ {
		list = append(list, i^5)
	}
	sum := 0
	for _, x := range list {
		sum += x
	}
	return sum
}
