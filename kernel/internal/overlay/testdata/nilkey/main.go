// Command nilkey looks for nil in a map of more than 896 elements with interfaces for keys.
package main

import "fmt"

func main() {
	for range 20 { // each map has a seed of its own
		m := map[any]int{}
		for i := range 2000 {
			m[i] = i + 1
		}
		if m[nil] != 0 {
			panic("nil is in the map")
		}
		m[nil] = 7
		if m[nil] != 7 {
			panic("nil is not in the map")
		}
	}
	fmt.Println("no fault")
}
