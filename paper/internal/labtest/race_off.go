//go:build !race

package labtest

const slower = 1
