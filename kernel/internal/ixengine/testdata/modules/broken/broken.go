// Package broken does not type-check.
package broken

func Twice(x int) int {
	return x * "2"
}
