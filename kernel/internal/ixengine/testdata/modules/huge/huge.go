// Package huge has a variable that does not fit into memory.
package huge

var A [1 << 50]int
