// Package syntax is not Go.
package syntax

func F() {
	x := = 1
}
